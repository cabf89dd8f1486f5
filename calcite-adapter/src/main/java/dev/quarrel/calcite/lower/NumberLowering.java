package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.lower.OperandTypes.Number;
import dev.quarrel.core.ir.Arithmetic;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.type.DataType;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;

/// Lowers arithmetic on numbers, and their rounding.
final class NumberLowering {
    private final ProgramBuilder program;
    private final ValueWriter values;

    NumberLowering(ProgramBuilder program, ValueWriter values) {
        this.program = program;
        this.values = values;
    }

    int arithmetic(RexCall call, DataType type, int mask) {
        List<RexNode> operands = call.getOperands();
        if (operands.size() == 1) {
            if (call.getKind() == SqlKind.PLUS_PREFIX) {
                return values.lower(operands.getFirst(), mask);
            }
            return program.value(
                    OperandTypes.arithmetic(SqlKind.MINUS_PREFIX, type),
                    type,
                    mask,
                    0,
                    values.lowerAs(operands.getFirst(), type, mask));
        }
        return binary(call.getKind(), operands.get(0), operands.get(1), type, mask);
    }

    int binary(SqlKind kind, RexNode left, RexNode right, DataType type, int mask) {
        if (type instanceof DataType.Decimal(int _, int scale)) {
            return decimalArithmetic(kind, left, right, scale, mask);
        }
        return program.value(
                OperandTypes.arithmetic(kind, type),
                type,
                mask,
                0,
                values.lowerAs(left, type, mask),
                values.lowerAs(right, type, mask));
    }

    private int decimalArithmetic(SqlKind kind, RexNode left, RexNode right, int resultScale, int mask) {
        Number one = OperandTypes.number(left);
        Number other = OperandTypes.number(right);
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
                    values.lowerAs(left, one.type(), mask),
                    values.lowerAs(right, other.type(), mask));
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
                OperandTypes.arithmetic(kind, first),
                new DataType.Decimal(Math.min(maxPrecision, digits), scale),
                mask,
                0,
                values.lowerAs(left, first, mask),
                values.lowerAs(right, second, mask));
    }

    private int numericArithmetic(SqlKind kind, RexNode left, RexNode right, int mask) {
        return program.value(
                OperandTypes.arithmetic(kind, DataType.NUMERIC),
                DataType.NUMERIC,
                mask,
                0,
                values.lowerAs(left, DataType.NUMERIC, mask),
                values.lowerAs(right, DataType.NUMERIC, mask));
    }

    int abs(RexNode operand, DataType type, int mask) {
        Opcode op = OperandTypes.arithmetic(Arithmetic.ABS, type);
        return program.value(op, type, mask, 0, values.lowerAs(operand, type, mask));
    }

    int rounding(String name, List<RexNode> operands, DataType type, int mask) {
        boolean round = name.equals("round");
        if (type instanceof DataType.Float64) {
            if (operands.size() != 1 || !round) {
                throw new Unlowerable(name + " of double precision has no opcode");
            }
            return program.value(
                    Opcode.ROUND_FLOAT64, type, mask, 0, values.lowerAs(operands.getFirst(), DataType.FLOAT64, mask));
        }
        if (!(type instanceof DataType.Numeric || type instanceof DataType.Decimal)) {
            throw new Unlowerable(name + " giving " + type + " has no opcode");
        }
        int digits =
                operands.size() > 1 ? values.lowerAs(operands.get(1), DataType.INT32, mask) : values.int32(0, mask);
        return program.value(
                round ? Opcode.ROUND_NUMERIC : Opcode.TRUNC_NUMERIC,
                DataType.NUMERIC,
                mask,
                0,
                values.lowerAs(operands.getFirst(), DataType.NUMERIC, mask),
                digits);
    }

    int whole(Opcode numeric, Opcode float64, List<RexNode> operands, DataType type, int mask) {
        if (operands.size() != 1) {
            throw new Unlowerable(numeric.symbol() + " of " + operands.size() + " arguments has no opcode");
        }
        boolean isFloat = type instanceof DataType.Float64;
        DataType argument = isFloat ? DataType.FLOAT64 : DataType.NUMERIC;
        return program.value(
                isFloat ? float64 : numeric, argument, mask, 0, values.lowerAs(operands.getFirst(), argument, mask));
    }
}
