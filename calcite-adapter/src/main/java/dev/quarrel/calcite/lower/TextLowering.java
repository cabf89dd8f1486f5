package dev.quarrel.calcite.lower;

import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.fun.SqlLikeOperator;
import org.apache.calcite.sql.fun.SqlTrimFunction;

/// Lowers functions and operators on text: pattern matching, concatenation, substrings and lengths.
final class TextLowering {
    private final ProgramBuilder program;
    private final ValueWriter values;

    TextLowering(ProgramBuilder program, ValueWriter values) {
        this.program = program;
        this.values = values;
    }

    int like(RexCall call, int mask) {
        SqlLikeOperator operator = (SqlLikeOperator) call.getOperator();
        return like(call.getOperands(), operator.isCaseSensitive(), operator.isNegated(), mask);
    }

    /// LIKE as an operator: `~~`, `!~~`, `~~*`, `!~~*`.
    int likeSymbol(String name, List<RexNode> operands, int mask) {
        return like(operands, !name.endsWith("*"), name.startsWith("!"), mask);
    }

    private int like(List<RexNode> operands, boolean isCaseSensitive, boolean isNegated, int mask) {
        int escape = operands.size() > 2 ? values.lower(operands.get(2), mask) : values.text("\\", mask);
        int result = program.value(
                isCaseSensitive ? Opcode.LIKE : Opcode.ILIKE,
                DataType.BOOL,
                mask,
                0,
                values.lower(operands.get(0), mask),
                values.lower(operands.get(1), mask),
                escape);
        return isNegated ? values.not(result, mask) : result;
    }

    int regex(String name, List<RexNode> operands, int mask) {
        boolean insensitive = name.endsWith("*") || name.endsWith("insensitive");
        // A char(n) is matched with its blanks.
        int result = program.value(
                insensitive ? Opcode.REGEX_NOCASE : Opcode.REGEX,
                DataType.BOOL,
                mask,
                0,
                values.lowerAs(operands.get(0), DataType.UTF8, mask),
                values.lowerAs(operands.get(1), DataType.UTF8, mask));
        return name.startsWith("!") ? values.not(result, mask) : result;
    }

    int concat(List<RexNode> operands, int mask) {
        int result = values.lowerText(operands.getFirst(), mask);
        for (RexNode operand : operands.subList(1, operands.size())) {
            result = program.value(Opcode.CONCAT, DataType.UTF8, mask, 0, result, values.lowerText(operand, mask));
        }
        return result;
    }

    /// concat() takes NULL for an empty text.
    int concatPresent(List<RexNode> operands, int mask) {
        int result = -1;
        for (RexNode operand : operands) {
            int value = values.lowerAs(operand, DataType.UTF8, mask);
            int present = program.mask(Opcode.MASK_PRESENT, mask, value);
            int part = program.value(Opcode.SELECT, DataType.UTF8, mask, 0, present, value, values.text("", mask));
            result = result < 0 ? part : program.value(Opcode.CONCAT, DataType.UTF8, mask, 0, result, part);
        }
        return result < 0 ? values.text("", mask) : result;
    }

    int length(String name, List<RexNode> operands, int mask) {
        if (operands.size() != 1) {
            throw new Unlowerable(name + " of " + operands.size() + " arguments has no opcode");
        }
        return program.value(
                Opcode.LENGTH,
                DataType.INT32,
                mask,
                0,
                values.lowerComparable(operands.getFirst(), DataType.UTF8, mask));
    }

    int substring(List<RexNode> operands, int mask) {
        if (operands.size() < 2 || !OperandTypes.isInteger(operands.get(1))) {
            throw new Unlowerable("substring by a pattern has no opcode");
        }
        int text = values.lowerText(operands.get(0), mask);
        int from = values.lowerAs(operands.get(1), DataType.INT32, mask);
        return operands.size() == 2
                ? program.value(Opcode.SUBSTRING_FROM, DataType.UTF8, mask, 0, text, from)
                : program.value(
                        Opcode.SUBSTRING,
                        DataType.UTF8,
                        mask,
                        0,
                        text,
                        from,
                        values.lowerAs(operands.get(2), DataType.INT32, mask));
    }

    int trim(List<RexNode> operands, int mask) {
        SqlTrimFunction.Flag flag = ((RexLiteral) operands.getFirst()).getValueAs(SqlTrimFunction.Flag.class);
        Opcode op =
                switch (flag) {
                    case LEADING -> Opcode.LTRIM;
                    case TRAILING -> Opcode.RTRIM;
                    case BOTH -> Opcode.BTRIM;
                };
        return functionOf(op, DataType.UTF8, List.of(operands.get(2), operands.get(1)), mask);
    }

    int trimFunction(Opcode op, List<RexNode> operands, int mask) {
        int characters = operands.size() > 1 ? values.lowerText(operands.get(1), mask) : values.text(" ", mask);
        return program.value(op, DataType.UTF8, mask, 0, values.lowerText(operands.getFirst(), mask), characters);
    }

    int textAndCount(Opcode op, List<RexNode> operands, int mask) {
        return program.value(
                op,
                DataType.UTF8,
                mask,
                0,
                values.lowerText(operands.get(0), mask),
                values.lowerAs(operands.get(1), DataType.INT32, mask));
    }

    /// A function of texts alone, as one opcode.
    int functionOf(Opcode op, DataType type, List<RexNode> operands, int mask) {
        if (operands.size() != op.arguments().size()) {
            throw new Unlowerable(op.symbol() + " of " + operands.size() + " arguments has no opcode");
        }
        List<Integer> registers = new ArrayList<>();
        for (RexNode operand : operands) {
            registers.add(values.lowerText(operand, mask));
        }
        return program.value(op, type, mask, 0, registers.toArray(Integer[]::new));
    }
}
