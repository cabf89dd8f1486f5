package dev.quarrel.calcite.lower;

import dev.quarrel.core.cpu.expr.ConstantFolder;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Slot;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;

/// Determines whether an expression can raise an error for some row, and whether it can be lowered at all. It
/// finds out both by compiling the expression.
///
/// What has no program may fail.
public final class Failing {
    private final List<DataType> inputs;
    private final RexBuilder rexBuilder;
    private final Map<RexNode, Answer> answers = new IdentityHashMap<>();

    /// @param inputs types of the columns that expressions refer to
    public Failing(List<DataType> inputs, RexBuilder rexBuilder) {
        this.inputs = List.copyOf(inputs);
        this.rexBuilder = rexBuilder;
    }

    /// For expressions over a node's columns. A column of a type that is not held makes its expressions able to fail.
    public static Failing over(RelDataType rowType, RexBuilder rexBuilder) {
        return new Failing(
                rowType.getFieldList().stream()
                        .map(field -> RowTypes.orNull(field.getType()))
                        .map(type -> type == null ? DataType.UTF8 : type)
                        .toList(),
                rexBuilder);
    }

    private record Answer(boolean canFail, String obstacle) {}

    public boolean canFail(RexNode node) {
        return answer(node).canFail();
    }

    /// Why no program can compute the expression, or null.
    public String obstacle(RexNode node) {
        return answer(node).obstacle();
    }

    /// The value of an expression without inputs, computed by the engine; null if it has no program, or fails.
    public Literal constant(RexNode node) {
        ProgramBuilder builder = new ProgramBuilder(List.of());
        Slots slots = new Slots();
        try {
            RexLowering lowering =
                    new RexLowering(builder, slots, rexBuilder, index -> index, Failing::noParameter, this, true);
            int register = lowering.lower(node, ProgramBuilder.ALL_ROWS);
            Program program = builder.build(ProgramBuilder.ALL_ROWS, List.of(register), slots.all());
            List<Literal> values = slots.all().stream()
                    .map(slot -> ((Slot.Constant) slot).literal())
                    .toList();
            return ConstantFolder.evaluate(program, values).getFirst();
        } catch (Unlowerable | QueryException _) {
            return null;
        }
    }

    private static int noParameter(RexNode node) {
        throw new Unlowerable(node + " is no constant");
    }

    private Answer answer(RexNode node) {
        Answer known = answers.get(node);
        if (known == null) {
            known = find(node);
            answers.put(node, known);
        }
        return known;
    }

    private Answer find(RexNode node) {
        ProgramBuilder builder = new ProgramBuilder(inputs);
        Slots slots = new Slots();
        try {
            RexLowering lowering = new RexLowering(builder, slots, rexBuilder, index -> index, _ -> 1, this, false);
            int register = lowering.lower(node, ProgramBuilder.ALL_ROWS);
            Program program = builder.build(ProgramBuilder.ALL_ROWS, List.of(register), slots.all());
            return new Answer(
                    program.code().stream().anyMatch(instruction -> canFail(instruction, program, slots)), null);
        } catch (Unlowerable reason) {
            return new Answer(true, reason.getMessage());
        }
    }

    /// Whether a step of a program may raise an error, by its types and constants.
    static boolean canFail(Instruction instruction, Program program, Slots slots) {
        Opcode op = instruction.op();
        if (!instruction.canFail()) {
            return false;
        }
        List<Integer> arguments = instruction.arguments();
        return switch (op) {
            case CAST ->
                !CastLowering.isLossless(
                        program.valueType(arguments.getFirst()), program.valueType(instruction.result()));
            case ADD_DECIMAL, SUB_DECIMAL, MUL_DECIMAL -> {
                DataType.Decimal one = (DataType.Decimal) program.valueType(arguments.get(0));
                DataType.Decimal other = (DataType.Decimal) program.valueType(arguments.get(1));
                int digits = op == Opcode.MUL_DECIMAL
                        ? one.precision() + other.precision()
                        : Math.max(one.precision(), other.precision()) + 1;
                yield digits > DataType.Decimal.MAX_PRECISION;
            }
            case DIV_INT16, DIV_INT32, DIV_INT64, MOD_INT16, MOD_INT32, MOD_INT64 -> {
                Literal divisor = constant(arguments.get(1), program, slots);
                boolean isSafe = divisor != null
                        && (divisor.isNull() || (long) divisor.value() != 0 && (long) divisor.value() != -1);
                yield !isSafe;
            }
            case LIKE, ILIKE -> {
                Literal pattern = constant(arguments.get(1), program, slots);
                Literal escape = constant(arguments.get(2), program, slots);
                yield pattern == null || escape == null || !isSafePattern(pattern, escape);
            }
            case SUBSTRING -> {
                Literal length = constant(arguments.get(2), program, slots);
                yield length == null || !length.isNull() && (long) length.value() < 0;
            }
            default -> true;
        };
    }

    /// A pattern fails only when it ends in a lone escape character, or the escape is more than one character.
    private static boolean isSafePattern(Literal pattern, Literal escape) {
        if (pattern.isNull() || escape.isNull()) {
            return true;
        }
        String mark = (String) escape.value();
        return mark.isEmpty()
                || mark.codePointCount(0, mark.length()) == 1 && !((String) pattern.value()).endsWith(mark);
    }

    private static Literal constant(int register, Program program, Slots slots) {
        for (Instruction instruction : program.code()) {
            if (instruction.result() == register) {
                return instruction.op() == Opcode.CONST
                                && slots.get(instruction.immediate()) instanceof Slot.Constant(Literal literal)
                        ? literal
                        : null;
            }
        }
        return null;
    }
}
