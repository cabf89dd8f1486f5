package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.rel.LiftedLiteral;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;

/// Lowers expressions into a program. Each kind of operator has a class of its own, which this one calls.
///
/// Errors: [Unlowerable] for what has no opcode.
final class RexLowering {
    private final ProgramBuilder program;
    private final RexBuilder rexBuilder;
    private final IntUnaryOperator inputOf;
    private final ToIntFunction<RexNode> outerParameter;
    private final ValueWriter values;
    private final ComparisonLowering comparisons;
    private final ConditionalLowering conditionals;
    private final NumberLowering numbers;
    private final TimeLowering times;
    private final TextLowering texts;
    private final CastLowering casts;
    private final FunctionLowering functions;

    /// @param inputOf the program's input for an input reference's index
    /// @param outerParameter parameter number of an outer row's field, or of the moment that now() answers
    /// @param withMasks false to find out what instructions an expression needs, without regard to rows
    RexLowering(
            ProgramBuilder program,
            Slots slots,
            RexBuilder rexBuilder,
            IntUnaryOperator inputOf,
            ToIntFunction<RexNode> outerParameter,
            Failing failing,
            boolean withMasks) {
        this.program = program;
        this.rexBuilder = rexBuilder;
        this.inputOf = inputOf;
        this.outerParameter = outerParameter;
        values = new ValueWriter(program, slots, this::raw);
        comparisons = new ComparisonLowering(program, values);
        conditionals =
                new ConditionalLowering(program, values, comparisons, node -> withMasks && failing.canFail(node));
        numbers = new NumberLowering(program, values);
        times = new TimeLowering(program, values);
        texts = new TextLowering(program, values);
        casts = new CastLowering(program, values);
        functions = new FunctionLowering(program, values, outerParameter, texts, numbers, times, conditionals);
    }

    /// The mask of the rows of `mask` in which all of `conjuncts` are true. Each acts only where those before it
    /// are.
    int filter(List<RexNode> conjuncts, int mask) {
        int rows = mask;
        for (RexNode conjunct : conjuncts) {
            rows = filter(conjunct, rows);
        }
        return rows;
    }

    private int filter(RexNode condition, int mask) {
        if (condition.isAlwaysTrue()) {
            return mask;
        }
        if (condition.isA(SqlKind.AND)) {
            return filter(((RexCall) condition).getOperands(), mask);
        }
        return program.mask(Opcode.MASK_TRUE, mask, values.lower(condition, mask));
    }

    /// The register of an expression's value, of the data type of its Calcite type.
    int lower(RexNode node, int mask) {
        return values.lower(node, mask);
    }

    /// The register of an expression's value as `target`; a literal is converted here, not row by row.
    int lowerAs(RexNode node, DataType target, int mask) {
        return values.lowerAs(node, target, mask);
    }

    /// As `lowerAs`, and without trailing blanks where the type says that they do not count.
    int lowerComparable(RexNode node, DataType target, int mask) {
        return values.lowerComparable(node, target, mask);
    }

    private int raw(RexNode node, DataType declared, int mask) {
        return switch (node) {
            case RexInputRef input -> program.load(inputOf.applyAsInt(input.getIndex()), mask);
            case RexLiteral literal -> values.constant(Literals.of(literal, declared), mask);
            case LiftedLiteral lifted -> values.lifted(lifted, declared, mask);
            case RexDynamicParam parameter -> values.parameter(parameter.getIndex() + 1, declared, mask);
            case RexFieldAccess access -> values.parameter(outerParameter.applyAsInt(access), declared, mask);
            case RexCall call -> call(call, declared, mask);
            default -> throw new Unlowerable(node.getClass().getSimpleName() + " has no opcode");
        };
    }

    private int call(RexCall call, DataType type, int mask) {
        List<RexNode> operands = call.getOperands();
        return switch (call.getKind()) {
            case AND, OR -> conditionals.logic(call.getKind() == SqlKind.AND, operands, mask);
            case NOT -> unary(Opcode.NOT, DataType.BOOL, operands, mask);
            case IS_NULL -> unary(Opcode.IS_NULL, DataType.BOOL, operands, mask);
            case IS_NOT_NULL -> unary(Opcode.IS_NOT_NULL, DataType.BOOL, operands, mask);
            case IS_TRUE -> unary(Opcode.IS_TRUE, DataType.BOOL, operands, mask);
            case IS_FALSE -> unary(Opcode.IS_FALSE, DataType.BOOL, operands, mask);
            case IS_NOT_TRUE -> values.not(unary(Opcode.IS_TRUE, DataType.BOOL, operands, mask), mask);
            case IS_NOT_FALSE -> values.not(unary(Opcode.IS_FALSE, DataType.BOOL, operands, mask), mask);
            case IS_UNKNOWN -> unary(Opcode.IS_NULL, DataType.BOOL, operands, mask);
            case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
                comparisons.comparison(call.getKind(), operands.get(0), operands.get(1), mask);
            case IS_DISTINCT_FROM ->
                values.not(comparisons.sameOrBothNull(operands.get(0), operands.get(1), mask), mask);
            case IS_NOT_DISTINCT_FROM -> comparisons.sameOrBothNull(operands.get(0), operands.get(1), mask);
            case BETWEEN -> throw new Unlowerable("BETWEEN was not expanded");
            case SEARCH -> values.lower(RexUtil.expandSearch(rexBuilder, null, call), mask);
            case PLUS, MINUS, TIMES, DIVIDE, MOD, PLUS_PREFIX, MINUS_PREFIX ->
                TimeLowering.isOfTimes(call)
                        ? times.arithmetic(call, type, mask)
                        : numbers.arithmetic(call, type, mask);
            case CASE -> conditionals.cases(operands, 0, type, mask);
            case COALESCE -> conditionals.coalesce(operands, 0, type, mask);
            case NULLIF -> conditionals.nullIf(operands, type, mask);
            case GREATEST, LEAST, GREATEST_PG, LEAST_PG -> {
                boolean greatest = call.getKind() == SqlKind.GREATEST || call.getKind() == SqlKind.GREATEST_PG;
                yield conditionals.extreme(greatest, operands, type, mask);
            }
            case CAST, SAFE_CAST, REINTERPRET -> {
                if (call.getKind() == SqlKind.SAFE_CAST) {
                    throw new Unlowerable("SAFE_CAST has no opcode");
                }
                yield casts.cast(operands.getFirst(), call.getType(), type, mask);
            }
            case LIKE -> texts.like(call, mask);
            case EXTRACT -> times.extract(operands, mask);
            case TRIM -> texts.trim(operands, mask);
            case POSITION ->
                texts.functionOf(Opcode.POSITION, DataType.INT32, List.of(operands.get(1), operands.get(0)), mask);
            default -> functions.function(call, type, mask);
        };
    }

    private int unary(Opcode op, DataType type, List<RexNode> operands, int mask) {
        return program.value(op, type, mask, 0, values.lower(operands.getFirst(), mask));
    }
}
