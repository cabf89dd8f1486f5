package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.limits.PlanningLimits;
import dev.quarrel.calcite.lower.CastLowering.Number;
import dev.quarrel.calcite.sql.CatalogFunction;
import dev.quarrel.calcite.sql.OpcodeFunction;
import dev.quarrel.calcite.sql.SqlTypes;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.ir.Arithmetic;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;
import org.apache.calcite.avatica.util.TimeUnitRange;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlLikeOperator;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.type.SqlTypeName;

/// Writes expressions into a program.
///
/// - Values of a `char(n)` type are compared without their trailing blanks.
/// - An operand that can fail acts under the mask of the rows that get there (CASE, COALESCE, AND, OR); one that cannot
///   fail gets no mask of its own.
/// - Errors: [Unlowerable] for what has no opcode.
final class RexLowering {
    /// What `atttypmod` counts besides the length.
    private static final int TYPMOD_HEADER = 4;

    /// The longest char(n) that a cast fills up: the blanks are a constant.
    private static final int MAX_PADDED = 4096;

    /// Nodes of one program. Below CASE, AND and OR one is written for each of the masks that it acts under.
    private static final int MAX_WRITTEN = 1_000_000;

    private final ProgramBuilder program;
    private final Slots slots;
    private final RexBuilder rexBuilder;
    private final IntUnaryOperator inputOf;
    private final ToIntFunction<RexNode> outerParameter;
    private final boolean withMasks;
    private final Failing failing;
    private final Map<Written, Integer> written = new HashMap<>();

    /// A node seen before is not written again; nodes are compared by identity, since equal trees can be large.
    private record Written(int identity, RexNode node, int mask) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Written that && that.node == node && that.mask == mask;
        }

        @Override
        public int hashCode() {
            return identity * 31 + mask;
        }
    }

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
        this.slots = slots;
        this.rexBuilder = rexBuilder;
        this.inputOf = inputOf;
        this.outerParameter = outerParameter;
        this.failing = failing;
        this.withMasks = withMasks;
    }

    /// The mask of the rows of `mask` in which all of `conjuncts` are true. Each acts only where those before it are.
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
        return program.mask(Opcode.MASK_TRUE, mask, lower(condition, mask));
    }

    /// The register of an expression's value, of the data type of its Calcite type.
    int lower(RexNode node, int mask) {
        Written key = new Written(System.identityHashCode(node), node, mask);
        Integer known = written.get(key);
        if (known != null) {
            return known;
        }
        PlanningLimits.tick();
        if (written.size() >= MAX_WRITTEN) {
            throw PlanningLimits.tooComplex("One of its expressions has more than " + MAX_WRITTEN + " steps.");
        }
        DataType declared = RowTypes.of(node.getType());
        Literal constant = node.getKind() == SqlKind.CAST ? Literals.as(node, declared) : null;
        int register = constant != null ? constant(constant, mask) : convert(raw(node, declared, mask), declared, mask);
        written.put(key, register);
        return register;
    }

    /// The register of an expression's value as `target`; a literal is converted here, not row by row.
    int lowerAs(RexNode node, DataType target, int mask) {
        Literal literal = Literals.as(node, target);
        if (literal != null) {
            return constant(literal, mask);
        }
        return convert(lower(node, mask), target, mask);
    }

    /// As `lowerAs`, and without trailing blanks where the type says that they do not count.
    int lowerComparable(RexNode node, DataType target, int mask) {
        int register = lowerAs(node, target, mask);
        return RowTypes.isPadded(node.getType()) ? trimmed(register, mask) : register;
    }

    private int trimmed(int register, int mask) {
        return program.value(Opcode.RTRIM, DataType.UTF8, mask, 0, register, text(" ", mask));
    }

    int constant(Literal literal, int mask) {
        return program.constant(slots.constant(literal), literal.type(), mask);
    }

    private int text(String value, int mask) {
        return constant(new Literal(DataType.UTF8, value), mask);
    }

    private int int32(long value, int mask) {
        return constant(new Literal(DataType.INT32, value), mask);
    }

    /// The same value as another type.
    int convert(int register, DataType to, int mask) {
        DataType from = program.type(register);
        if (from.equals(to)) {
            return register;
        }
        if (!CastLowering.isAllowed(from, to)) {
            throw new Unlowerable("no conversion from " + from + " to " + to);
        }
        return program.value(Opcode.CAST, to, mask, 0, register);
    }

    private int raw(RexNode node, DataType declared, int mask) {
        return switch (node) {
            case RexInputRef input -> program.load(inputOf.applyAsInt(input.getIndex()), mask);
            case RexLiteral literal -> constant(Literals.of(literal, declared), mask);
            case RexDynamicParam parameter ->
                program.constant(slots.parameter(parameter.getIndex() + 1, declared), declared, mask);
            case RexFieldAccess access ->
                program.constant(slots.parameter(outerParameter.applyAsInt(access), declared), declared, mask);
            case RexCall call -> call(call, declared, mask);
            default -> throw new Unlowerable(node.getClass().getSimpleName() + " has no opcode");
        };
    }

    private int call(RexCall call, DataType type, int mask) {
        List<RexNode> operands = call.getOperands();
        return switch (call.getKind()) {
            case AND, OR -> logic(call.getKind() == SqlKind.AND, operands, mask);
            case NOT -> unary(Opcode.NOT, DataType.BOOL, operands, mask);
            case IS_NULL -> unary(Opcode.IS_NULL, DataType.BOOL, operands, mask);
            case IS_NOT_NULL -> unary(Opcode.IS_NOT_NULL, DataType.BOOL, operands, mask);
            case IS_TRUE -> unary(Opcode.IS_TRUE, DataType.BOOL, operands, mask);
            case IS_FALSE -> unary(Opcode.IS_FALSE, DataType.BOOL, operands, mask);
            case IS_NOT_TRUE -> not(unary(Opcode.IS_TRUE, DataType.BOOL, operands, mask), mask);
            case IS_NOT_FALSE -> not(unary(Opcode.IS_FALSE, DataType.BOOL, operands, mask), mask);
            case IS_UNKNOWN -> unary(Opcode.IS_NULL, DataType.BOOL, operands, mask);
            case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
                comparison(call.getKind(), operands.get(0), operands.get(1), mask);
            case IS_DISTINCT_FROM -> not(sameOrBothNull(operands.get(0), operands.get(1), mask), mask);
            case IS_NOT_DISTINCT_FROM -> sameOrBothNull(operands.get(0), operands.get(1), mask);
            case BETWEEN -> throw new Unlowerable("BETWEEN was not expanded");
            case SEARCH -> lower(RexUtil.expandSearch(rexBuilder, null, call), mask);
            case PLUS, MINUS, TIMES, DIVIDE, MOD, PLUS_PREFIX, MINUS_PREFIX -> arithmetic(call, type, mask);
            case CASE -> cases(operands, 0, type, mask);
            case COALESCE -> coalesce(operands, 0, type, mask);
            case NULLIF -> nullIf(operands, type, mask);
            case GREATEST, LEAST, GREATEST_PG, LEAST_PG -> {
                boolean greatest = call.getKind() == SqlKind.GREATEST || call.getKind() == SqlKind.GREATEST_PG;
                yield extreme(greatest, operands, type, mask);
            }
            case CAST, SAFE_CAST, REINTERPRET -> {
                if (call.getKind() == SqlKind.SAFE_CAST) {
                    throw new Unlowerable("SAFE_CAST has no opcode");
                }
                yield cast(operands.getFirst(), call.getType(), type, mask);
            }
            case LIKE -> like(call, mask);
            case EXTRACT -> extract(operands, mask);
            case TRIM -> trim(operands, mask);
            case POSITION ->
                functionOf(Opcode.POSITION, DataType.INT32, List.of(operands.get(1), operands.get(0)), mask);
            default -> function(call, type, mask);
        };
    }

    private int unary(Opcode op, DataType type, List<RexNode> operands, int mask) {
        return program.value(op, type, mask, 0, lower(operands.getFirst(), mask));
    }

    private int not(int register, int mask) {
        return program.value(Opcode.NOT, DataType.BOOL, mask, 0, register);
    }

    private int logic(boolean and, List<RexNode> operands, int mask) {
        int result = lower(operands.getFirst(), mask);
        for (RexNode operand : operands.subList(1, operands.size())) {
            int rows = mask;
            if (canFail(operand)) {
                rows = program.mask(and ? Opcode.MASK_NOT_FALSE : Opcode.MASK_NOT_TRUE, mask, result);
            }
            int next = lower(operand, rows);
            result = program.value(and ? Opcode.AND : Opcode.OR, DataType.BOOL, mask, 0, result, next);
        }
        return result;
    }

    private boolean canFail(RexNode node) {
        return withMasks && failing.canFail(node);
    }

    /// `operands` from `index` on are: condition, value, condition, value, …, else.
    private int cases(List<RexNode> operands, int index, DataType type, int mask) {
        if (index == operands.size() - 1) {
            return lowerAs(operands.get(index), type, mask);
        }
        int chosen = program.mask(Opcode.MASK_TRUE, mask, lower(operands.get(index), mask));
        RexNode value = operands.get(index + 1);
        int result = lowerAs(value, type, canFail(value) ? chosen : mask);
        boolean restCanFail =
                operands.subList(index + 2, operands.size()).stream().anyMatch(this::canFail);
        int others = restCanFail ? program.mask(Opcode.MASK_MINUS, mask, chosen) : mask;
        int rest = cases(operands, index + 2, type, others);
        return program.value(Opcode.SELECT, type, mask, 0, chosen, result, rest);
    }

    private int coalesce(List<RexNode> operands, int index, DataType type, int mask) {
        int value = lowerAs(operands.get(index), type, mask);
        if (index == operands.size() - 1) {
            return value;
        }
        int present = program.mask(Opcode.MASK_PRESENT, mask, value);
        boolean restCanFail =
                operands.subList(index + 1, operands.size()).stream().anyMatch(this::canFail);
        int others = restCanFail ? program.mask(Opcode.MASK_MINUS, mask, present) : mask;
        int rest = coalesce(operands, index + 1, type, others);
        return program.value(Opcode.SELECT, type, mask, 0, present, value, rest);
    }

    private int nullIf(List<RexNode> operands, DataType type, int mask) {
        int equal = program.mask(
                Opcode.MASK_TRUE, mask, comparison(SqlKind.EQUALS, operands.get(0), operands.get(1), mask));
        int value = lowerAs(operands.getFirst(), type, mask);
        return program.value(Opcode.SELECT, type, mask, 0, equal, constant(Literal.ofNull(type), mask), value);
    }

    /// GREATEST and LEAST skip NULLs.
    private int extreme(boolean greatest, List<RexNode> operands, DataType type, int mask) {
        int best = lowerAs(operands.getFirst(), type, mask);
        for (RexNode operand : operands.subList(1, operands.size())) {
            int next = lowerAs(operand, type, mask);
            Opcode compare = CastLowering.comparison(greatest ? SqlKind.GREATER_THAN : SqlKind.LESS_THAN, type);
            int isBetter = program.value(compare, DataType.BOOL, mask, 0, next, best);
            int isFirst = program.value(Opcode.IS_NULL, DataType.BOOL, mask, 0, best);
            int takes = program.value(Opcode.OR, DataType.BOOL, mask, 0, isFirst, isBetter);
            int chosen = program.mask(Opcode.MASK_TRUE, mask, takes);
            best = program.value(Opcode.SELECT, type, mask, 0, chosen, next, best);
        }
        return best;
    }

    private int comparison(SqlKind kind, RexNode left, RexNode right, int mask) {
        DataType type = CastLowering.comparable(left, right);
        if (type == null) {
            throw new Unlowerable(
                    RowTypes.of(left.getType()) + " cannot be compared with " + RowTypes.of(right.getType()));
        }
        Opcode op = CastLowering.comparison(kind, type);
        int one = compared(left, right, type, mask);
        int other = compared(right, left, type, mask);
        return program.value(op, DataType.BOOL, mask, 0, one, other);
    }

    /// Calcite calls every literal CHAR(n): beside a text, its blanks count.
    private int compared(RexNode node, RexNode other, DataType type, int mask) {
        return node instanceof RexLiteral && !RowTypes.isPadded(other.getType())
                ? lowerAs(node, type, mask)
                : lowerComparable(node, type, mask);
    }

    private int sameOrBothNull(RexNode left, RexNode right, int mask) {
        int equal = comparison(SqlKind.EQUALS, left, right, mask);
        int same = program.value(Opcode.IS_TRUE, DataType.BOOL, mask, 0, equal);
        int leftNull = program.value(Opcode.IS_NULL, DataType.BOOL, mask, 0, lower(left, mask));
        int rightNull = program.value(Opcode.IS_NULL, DataType.BOOL, mask, 0, lower(right, mask));
        int bothNull = program.value(Opcode.AND, DataType.BOOL, mask, 0, leftNull, rightNull);
        return program.value(Opcode.OR, DataType.BOOL, mask, 0, same, bothNull);
    }

    private int arithmetic(RexCall call, DataType type, int mask) {
        List<RexNode> operands = call.getOperands();
        if (operands.size() > 1
                && (isTime(operands.get(0)) || isTime(operands.get(1)) && call.getKind() == SqlKind.PLUS)) {
            return timeArithmetic(call, type, mask);
        }
        if (operands.size() == 1) {
            if (call.getKind() == SqlKind.PLUS_PREFIX) {
                return lower(operands.getFirst(), mask);
            }
            return program.value(
                    CastLowering.arithmetic(SqlKind.MINUS_PREFIX, type),
                    type,
                    mask,
                    0,
                    lowerAs(operands.getFirst(), type, mask));
        }
        RexNode left = operands.get(0);
        RexNode right = operands.get(1);
        if (type instanceof DataType.Decimal(int _, int scale)) {
            return decimalArithmetic(call.getKind(), left, right, scale, mask);
        }
        return program.value(
                CastLowering.arithmetic(call.getKind(), type),
                type,
                mask,
                0,
                lowerAs(left, type, mask),
                lowerAs(right, type, mask));
    }

    private int decimalArithmetic(SqlKind kind, RexNode left, RexNode right, int resultScale, int mask) {
        Number one = CastLowering.number(left);
        Number other = CastLowering.number(right);
        if (one == null || other == null || kind == SqlKind.DIVIDE) {
            return numericArithmetic(kind, left, right, mask);
        }
        int maxPrecision = DataType.Decimal.MAX_PRECISION;
        if (kind == SqlKind.TIMES) {
            int scale = one.scale() + other.scale();
            if (scale > maxPrecision) {
                return numericArithmetic(kind, left, right, mask);
            }
            int precision = Math.min(maxPrecision, one.precision() + other.precision());
            return program.value(
                    Opcode.MUL_DECIMAL,
                    new DataType.Decimal(Math.max(precision, scale), scale),
                    mask,
                    0,
                    lowerAs(left, one.type(), mask),
                    lowerAs(right, other.type(), mask));
        }
        int scale = Math.max(one.scale(), other.scale());
        if (scale != resultScale) {
            throw new Unlowerable(
                    kind + " of scales " + one.scale() + ", " + other.scale() + " is typed with scale " + resultScale);
        }
        DataType first = one.withScale(scale);
        DataType second = other.withScale(scale);
        if (first == null || second == null) {
            return numericArithmetic(kind, left, right, mask);
        }
        int digits = Math.max(one.digits(), other.digits()) + (kind == SqlKind.MOD ? 0 : 1) + scale;
        return program.value(
                CastLowering.arithmetic(kind, first),
                new DataType.Decimal(Math.min(maxPrecision, digits), scale),
                mask,
                0,
                lowerAs(left, first, mask),
                lowerAs(right, second, mask));
    }

    private int numericArithmetic(SqlKind kind, RexNode left, RexNode right, int mask) {
        return program.value(
                CastLowering.arithmetic(kind, DataType.NUMERIC),
                DataType.NUMERIC,
                mask,
                0,
                lowerAs(left, DataType.NUMERIC, mask),
                lowerAs(right, DataType.NUMERIC, mask));
    }

    private static boolean isTime(RexNode node) {
        DataType type = RowTypes.orNull(node.getType());
        return type instanceof DataType.Date || type instanceof DataType.Timestamp;
    }

    private static boolean isInterval(RexNode node) {
        return SqlTypeName.INTERVAL_TYPES.contains(node.getType().getSqlTypeName());
    }

    private int timeArithmetic(RexCall call, DataType type, int mask) {
        RexNode left = call.getOperands().get(0);
        RexNode right = call.getOperands().get(1);
        boolean plus = call.getKind() == SqlKind.PLUS;
        if (plus && !isTime(left)) {
            RexNode swapped = left;
            left = right;
            right = swapped;
        }
        DataType from = RowTypes.of(left.getType());
        if (isInterval(right)) {
            return addInterval(left, right, plus, mask);
        }
        if (from instanceof DataType.Date && isTime(right) && RowTypes.of(right.getType()) instanceof DataType.Date) {
            return program.value(Opcode.SUB_DATE_DATE, DataType.INT32, mask, 0, lower(left, mask), lower(right, mask));
        }
        DataType by = RowTypes.of(right.getType());
        if (from instanceof DataType.Date && (by instanceof DataType.Int32 || by instanceof DataType.Int16)) {
            return program.value(
                    plus ? Opcode.ADD_DATE_INT32 : Opcode.SUB_DATE_INT32,
                    DataType.DATE,
                    mask,
                    0,
                    lower(left, mask),
                    lowerAs(right, DataType.INT32, mask));
        }
        throw new Unlowerable(from + " " + call.getKind().sql + " " + by + " giving " + type + " has no opcode");
    }

    /// Timestamp ± one of Calcite's own interval literals.
    private int addInterval(RexNode time, RexNode interval, boolean plus, int mask) {
        if (!(interval instanceof RexLiteral literal) || literal.isNull()) {
            throw new Unlowerable("arithmetic with an interval that is no constant has no opcode");
        }
        DataType type = RowTypes.of(time.getType()) instanceof DataType.Timestamp known ? known : DataType.TIMESTAMP;
        BigDecimal amount = literal.getValueAs(BigDecimal.class);
        boolean isYears =
                SqlTypeName.YEAR_INTERVAL_TYPES.contains(interval.getType().getSqlTypeName());
        Interval value = isYears
                ? new Interval(amount.intValueExact(), 0, 0)
                : new Interval(0, 0, amount.multiply(BigDecimal.valueOf(1000)).longValueExact());
        return program.value(
                plus ? Opcode.ADD_TIMESTAMP_INTERVAL : Opcode.SUB_TIMESTAMP_INTERVAL,
                type,
                mask,
                0,
                lowerAs(time, type, mask),
                constant(new Literal(DataType.INTERVAL, value), mask));
    }

    private int cast(RexNode operand, RelDataType target, DataType to, int mask) {
        Literal literal = Literals.as(operand, to);
        if (literal != null && !(to instanceof DataType.Utf8)) {
            return constant(literal, mask);
        }
        DataType from = RowTypes.of(operand.getType());
        int value = lower(operand, mask);
        if (!(to instanceof DataType.Utf8)) {
            if (to instanceof DataType.Bool && !(from instanceof DataType.Bool) && !CastLowering.isAllowed(from, to)) {
                throw new Unlowerable("no conversion from " + from + " to " + to);
            }
            return convert(RowTypes.isPadded(operand.getType()) ? trimmed(value, mask) : value, to, mask);
        }
        boolean toPadded = RowTypes.isPadded(target);
        int length =
                SqlTypes.pgType(target) == PgType.VARCHAR || toPadded ? SqlTypes.typmod(target) - TYPMOD_HEADER : -1;
        boolean isBounded = length > 0;
        int text = convert(value, to, mask);
        if (toPadded && isBounded) {
            return isSameLength(operand, target) ? text : padded(text, length, mask);
        }
        if (RowTypes.isPadded(operand.getType()) && !toPadded) {
            text = trimmed(text, mask);
        }
        return isBounded && !isWithin(operand.getType(), length)
                ? program.value(Opcode.LEFT, DataType.UTF8, mask, 0, text, int32(length, mask))
                : text;
    }

    /// To char(n): cut, or filled up with blanks.
    private int padded(int text, int length, int mask) {
        if (length > MAX_PADDED) {
            throw new Unlowerable("a cast to character(" + length + ") has no opcode");
        }
        int filled = program.value(Opcode.CONCAT, DataType.UTF8, mask, 0, text, text(" ".repeat(length), mask));
        return program.value(Opcode.LEFT, DataType.UTF8, mask, 0, filled, int32(length, mask));
    }

    /// Whether text of the type has at most `length` characters.
    private static boolean isWithin(RelDataType type, int length) {
        int typmod = SqlTypes.typmod(type);
        return RowTypes.of(type) instanceof DataType.Utf8 && typmod > TYPMOD_HEADER && typmod - TYPMOD_HEADER <= length;
    }

    private static boolean isSameLength(RexNode operand, RelDataType target) {
        return operand.getType().getSqlTypeName() == SqlTypeName.CHAR
                        && SqlTypes.typmod(operand.getType()) == SqlTypes.typmod(target)
                || operand instanceof RexLiteral literal
                        && !literal.isNull()
                        && literal.getValueAs(String.class).length() == target.getPrecision();
    }

    private int like(RexCall call, int mask) {
        SqlLikeOperator operator = (SqlLikeOperator) call.getOperator();
        List<RexNode> operands = call.getOperands();
        int escape = operands.size() > 2 ? lower(operands.get(2), mask) : text("\\", mask);
        int result = program.value(
                operator.isCaseSensitive() ? Opcode.LIKE : Opcode.ILIKE,
                DataType.BOOL,
                mask,
                0,
                lower(operands.get(0), mask),
                lower(operands.get(1), mask),
                escape);
        return operator.isNegated() ? not(result, mask) : result;
    }

    private int extract(List<RexNode> operands, int mask) {
        DateField field = field(operands.getFirst());
        return extractField(field, operands.get(1), mask);
    }

    private int extractField(DateField field, RexNode operand, int mask) {
        return switch (RowTypes.of(operand.getType())) {
            case DataType.Date _ -> {
                if (isOfTime(field)) {
                    throw new Unlowerable("date units \"" + name(field) + "\" have no opcode");
                }
                yield program.value(Opcode.EXTRACT_DATE, DataType.INT32, mask, field.ordinal(), lower(operand, mask));
            }
            case DataType.Timestamp _ ->
                program.value(Opcode.EXTRACT_TIMESTAMP, DataType.NUMERIC, mask, field.ordinal(), lower(operand, mask));
            case DataType.Time _ ->
                program.value(Opcode.EXTRACT_TIME, DataType.NUMERIC, mask, field.ordinal(), lower(operand, mask));
            case DataType.Interval _ ->
                program.value(Opcode.EXTRACT_INTERVAL, DataType.NUMERIC, mask, field.ordinal(), lower(operand, mask));
            default -> throw new Unlowerable("extract from " + operand.getType() + " has no opcode");
        };
    }

    private static boolean isOfTime(DateField field) {
        return switch (field) {
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS, EPOCH -> true;
            default -> false;
        };
    }

    private static String name(DateField field) {
        return field.name().toLowerCase(Locale.ROOT);
    }

    private static DateField field(RexNode node) {
        if (!(node instanceof RexLiteral literal) || literal.isNull()) {
            throw new Unlowerable("a date field that is no constant has no opcode");
        }
        Object value = literal.getValue();
        String name = value instanceof TimeUnitRange range
                ? range.name()
                : literal.getTypeName() == SqlTypeName.SYMBOL ? value.toString() : literal.getValueAs(String.class);
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "YEAR", "YEARS" -> DateField.YEAR;
            case "QUARTER" -> DateField.QUARTER;
            case "MONTH", "MONTHS" -> DateField.MONTH;
            case "DAY", "DAYS" -> DateField.DAY;
            case "HOUR", "HOURS" -> DateField.HOUR;
            case "MINUTE", "MINUTES" -> DateField.MINUTE;
            case "SECOND", "SECONDS" -> DateField.SECOND;
            case "MILLISECOND", "MILLISECONDS" -> DateField.MILLISECONDS;
            case "MICROSECOND", "MICROSECONDS" -> DateField.MICROSECONDS;
            case "DOW" -> DateField.DOW;
            case "ISODOW" -> DateField.ISODOW;
            case "DOY" -> DateField.DOY;
            case "WEEK" -> DateField.WEEK;
            case "ISOYEAR" -> DateField.ISOYEAR;
            case "DECADE" -> DateField.DECADE;
            case "CENTURY" -> DateField.CENTURY;
            case "MILLENNIUM" -> DateField.MILLENNIUM;
            case "EPOCH" -> DateField.EPOCH;
            default -> throw new Unlowerable("date field " + name + " has no opcode");
        };
    }

    private int trim(List<RexNode> operands, int mask) {
        SqlTrimFunction.Flag flag = ((RexLiteral) operands.getFirst()).getValueAs(SqlTrimFunction.Flag.class);
        Opcode op =
                switch (flag) {
                    case LEADING -> Opcode.LTRIM;
                    case TRAILING -> Opcode.RTRIM;
                    case BOTH -> Opcode.BTRIM;
                };
        return functionOf(op, DataType.UTF8, List.of(operands.get(2), operands.get(1)), mask);
    }

    /// Functions and operators that Calcite knows by name only.
    private int function(RexCall call, DataType type, int mask) {
        List<RexNode> operands = call.getOperands();
        if (call.getOperator() instanceof CatalogFunction function) {
            return catalogFunction(function.row(), operands, mask);
        }
        if (call.getOperator() instanceof OpcodeFunction one) {
            Integer[] registers = new Integer[operands.size()];
            for (int index = 0; index < registers.length; index++) {
                registers[index] = lowerAs(operands.get(index), one.arguments().get(index), mask);
            }
            return program.value(one.opcode(), one.result(), mask, 0, registers);
        }
        int count = operands.size();
        String name = call.getOperator().getName().toLowerCase(Locale.ROOT);
        return switch (name) {
            case "||" -> concat(operands, mask);
            case "concat" -> concatPresent(operands, mask);
            case "~", "!~", "~*", "!~*", "posix regex case sensitive", "posix regex case insensitive" ->
                regex(name, operands, mask);
            case "~~", "!~~", "~~*", "!~~*" -> likeSymbol(name, operands, mask);
            case "like_escape" -> throw new Unlowerable("like_escape has no opcode");
            case "lower" -> functionOf(Opcode.LOWER, DataType.UTF8, operands, mask);
            case "padded_text" -> lowerAs(operands.getFirst(), DataType.UTF8, mask);
            case "upper" -> functionOf(Opcode.UPPER, DataType.UTF8, operands, mask);
            case "length", "char_length", "character_length" -> {
                if (count != 1) {
                    throw new Unlowerable(name + " of " + count + " arguments has no opcode");
                }
                yield program.value(
                        Opcode.LENGTH,
                        DataType.INT32,
                        mask,
                        0,
                        lowerComparable(operands.getFirst(), DataType.UTF8, mask));
            }
            case "substring", "substr" -> substring(operands, mask);
            case "ltrim" -> trimFunction(Opcode.LTRIM, operands, mask);
            case "rtrim" -> trimFunction(Opcode.RTRIM, operands, mask);
            case "btrim", "trim" -> trimFunction(Opcode.BTRIM, operands, mask);
            case "replace" -> functionOf(Opcode.REPLACE, DataType.UTF8, operands, mask);
            case "strpos" -> functionOf(Opcode.POSITION, DataType.INT32, operands, mask);
            case "left" -> textAndCount(Opcode.LEFT, operands, mask);
            case "right" -> textAndCount(Opcode.RIGHT, operands, mask);
            case "abs" -> {
                Opcode op = CastLowering.arithmetic(Arithmetic.ABS, type);
                yield program.value(op, type, mask, 0, lowerAs(operands.getFirst(), type, mask));
            }
            case "mod" ->
                type instanceof DataType.Decimal(int _, int scale)
                        ? decimalArithmetic(SqlKind.MOD, operands.get(0), operands.get(1), scale, mask)
                        : program.value(
                                CastLowering.arithmetic(SqlKind.MOD, type),
                                type,
                                mask,
                                0,
                                lowerAs(operands.get(0), type, mask),
                                lowerAs(operands.get(1), type, mask));
            case "round", "trunc", "truncate" -> rounding(name, operands, type, mask);
            case "floor" -> whole(Opcode.FLOOR_NUMERIC, Opcode.FLOOR_FLOAT64, operands, type, mask);
            case "ceil", "ceiling" -> whole(Opcode.CEIL_NUMERIC, Opcode.CEIL_FLOAT64, operands, type, mask);
            case "extract", "date_part" -> extractField(field(operands.get(0)), operands.get(1), mask);
            case "date_trunc" -> dateTrunc(operands, mask);
            case "now", "current_timestamp", "current_date" ->
                program.constant(slots.parameter(outerParameter.applyAsInt(call), type), type, mask);
            case "greatest", "least" -> extreme(name.equals("greatest"), operands, type, mask);
            case "nullif" -> nullIf(operands, type, mask);
            case "coalesce" -> coalesce(operands, 0, type, mask);
            default -> throw new Unlowerable(name + " has no opcode");
        };
    }

    private int catalogFunction(FunctionRow row, List<RexNode> operands, int mask) {
        List<Integer> registers = new ArrayList<>();
        for (int index = 0; index < operands.size(); index++) {
            registers.add(
                    lowerAs(operands.get(index), row.arguments().get(index).dataType(), mask));
        }
        return switch (row.kind()) {
            case FunctionRow.Kind.Instruction(Opcode opcode) ->
                program.value(opcode, row.result().dataType(), mask, 0, registers.toArray(Integer[]::new));
            case FunctionRow.Kind.Kernel _ -> program.call(row.callee(), mask, registers);
            default -> throw new Unlowerable(row.signature() + " is no instruction");
        };
    }

    private int functionOf(Opcode op, DataType type, List<RexNode> operands, int mask) {
        if (operands.size() != op.arguments().size()) {
            throw new Unlowerable(op.symbol() + " of " + operands.size() + " arguments has no opcode");
        }
        List<Integer> registers = new ArrayList<>();
        for (RexNode operand : operands) {
            registers.add(lowerText(operand, mask));
        }
        return program.value(op, type, mask, 0, registers.toArray(Integer[]::new));
    }

    /// As text: char(n) loses its trailing blanks, as a cast to text does.
    private int lowerText(RexNode operand, int mask) {
        return lowerComparable(operand, DataType.UTF8, mask);
    }

    private int concat(List<RexNode> operands, int mask) {
        int result = lowerText(operands.getFirst(), mask);
        for (RexNode operand : operands.subList(1, operands.size())) {
            result = program.value(Opcode.CONCAT, DataType.UTF8, mask, 0, result, lowerText(operand, mask));
        }
        return result;
    }

    /// concat() takes NULL for an empty text.
    private int concatPresent(List<RexNode> operands, int mask) {
        int result = -1;
        for (RexNode operand : operands) {
            int value = lowerAs(operand, DataType.UTF8, mask);
            int present = program.mask(Opcode.MASK_PRESENT, mask, value);
            int part = program.value(Opcode.SELECT, DataType.UTF8, mask, 0, present, value, text("", mask));
            result = result < 0 ? part : program.value(Opcode.CONCAT, DataType.UTF8, mask, 0, result, part);
        }
        return result < 0 ? text("", mask) : result;
    }

    private int regex(String name, List<RexNode> operands, int mask) {
        boolean insensitive = name.endsWith("*") || name.endsWith("insensitive");
        // A char(n) is matched with its blanks.
        int result = program.value(
                insensitive ? Opcode.REGEX_NOCASE : Opcode.REGEX,
                DataType.BOOL,
                mask,
                0,
                lowerAs(operands.get(0), DataType.UTF8, mask),
                lowerAs(operands.get(1), DataType.UTF8, mask));
        return name.startsWith("!") ? not(result, mask) : result;
    }

    private int likeSymbol(String name, List<RexNode> operands, int mask) {
        int escape = operands.size() > 2 ? lower(operands.get(2), mask) : text("\\", mask);
        int result = program.value(
                name.endsWith("*") ? Opcode.ILIKE : Opcode.LIKE,
                DataType.BOOL,
                mask,
                0,
                lower(operands.get(0), mask),
                lower(operands.get(1), mask),
                escape);
        return name.startsWith("!") ? not(result, mask) : result;
    }

    private int substring(List<RexNode> operands, int mask) {
        if (operands.size() < 2 || !CastLowering.isInteger(operands.get(1))) {
            throw new Unlowerable("substring by a pattern has no opcode");
        }
        int text = lowerText(operands.get(0), mask);
        int from = lowerAs(operands.get(1), DataType.INT32, mask);
        return operands.size() == 2
                ? program.value(Opcode.SUBSTRING_FROM, DataType.UTF8, mask, 0, text, from)
                : program.value(
                        Opcode.SUBSTRING,
                        DataType.UTF8,
                        mask,
                        0,
                        text,
                        from,
                        lowerAs(operands.get(2), DataType.INT32, mask));
    }

    private int trimFunction(Opcode op, List<RexNode> operands, int mask) {
        int characters = operands.size() > 1 ? lowerText(operands.get(1), mask) : text(" ", mask);
        return program.value(op, DataType.UTF8, mask, 0, lowerText(operands.getFirst(), mask), characters);
    }

    private int textAndCount(Opcode op, List<RexNode> operands, int mask) {
        return program.value(
                op,
                DataType.UTF8,
                mask,
                0,
                lowerText(operands.get(0), mask),
                lowerAs(operands.get(1), DataType.INT32, mask));
    }

    private int rounding(String name, List<RexNode> operands, DataType type, int mask) {
        boolean round = name.equals("round");
        if (type instanceof DataType.Float64) {
            if (operands.size() != 1 || !round) {
                throw new Unlowerable(name + " of double precision has no opcode");
            }
            return program.value(
                    Opcode.ROUND_FLOAT64, type, mask, 0, lowerAs(operands.getFirst(), DataType.FLOAT64, mask));
        }
        if (!(type instanceof DataType.Numeric || type instanceof DataType.Decimal)) {
            throw new Unlowerable(name + " giving " + type + " has no opcode");
        }
        int digits = operands.size() > 1 ? lowerAs(operands.get(1), DataType.INT32, mask) : int32(0, mask);
        return program.value(
                round ? Opcode.ROUND_NUMERIC : Opcode.TRUNC_NUMERIC,
                DataType.NUMERIC,
                mask,
                0,
                lowerAs(operands.getFirst(), DataType.NUMERIC, mask),
                digits);
    }

    private int whole(Opcode numeric, Opcode float64, List<RexNode> operands, DataType type, int mask) {
        if (operands.size() != 1) {
            throw new Unlowerable(numeric.symbol() + " of " + operands.size() + " arguments has no opcode");
        }
        boolean isFloat = type instanceof DataType.Float64;
        DataType argument = isFloat ? DataType.FLOAT64 : DataType.NUMERIC;
        return program.value(
                isFloat ? float64 : numeric, argument, mask, 0, lowerAs(operands.getFirst(), argument, mask));
    }

    private int dateTrunc(List<RexNode> operands, int mask) {
        if (operands.size() != 2) {
            throw new Unlowerable("date_trunc with a time zone has no opcode");
        }
        DateField field = field(operands.get(0));
        RexNode time = operands.get(1);
        if (RowTypes.of(time.getType()) instanceof DataType.Interval span) {
            return program.value(Opcode.TRUNC_INTERVAL, span, mask, field.ordinal(), lower(time, mask));
        }
        if (!(RowTypes.of(time.getType()) instanceof DataType.Timestamp type)) {
            throw new Unlowerable("date_trunc of " + time.getType() + " has no opcode");
        }
        return program.value(Opcode.TRUNC_TIMESTAMP, type, mask, field.ordinal(), lower(time, mask));
    }
}
