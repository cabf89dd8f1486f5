package dev.quarrel.calcite.lower;

import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.Casts;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.TypeClass;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;

/// Lowers casts, including the truncation and padding of `varchar(n)` and `char(n)`, and tells which casts are
/// supported.
final class CastLowering {
    /// What `atttypmod` counts besides the length.
    private static final int TYPMOD_HEADER = 4;

    /// The longest char(n) that a cast fills up: the blanks are a constant.
    private static final int MAX_PADDED = 4096;

    private final ProgramBuilder program;
    private final ValueWriter values;

    CastLowering(ProgramBuilder program, ValueWriter values) {
        this.program = program;
        this.values = values;
    }

    static boolean isAllowed(DataType from, DataType to) {
        return from.equals(to) || Casts.isAllowed(TypeClass.of(from), TypeClass.of(to));
    }

    /// Whether every value of `from` has its like in `to`.
    static boolean isLossless(DataType from, DataType to) {
        if (from.equals(to) || to instanceof DataType.Utf8) {
            return true;
        }
        return switch (from) {
            case DataType.Int16 _ ->
                switch (to) {
                    case DataType.Int32 _,
                            DataType.Int64 _,
                            DataType.Float32 _,
                            DataType.Float64 _,
                            DataType.Numeric _ -> true;
                    case DataType.Decimal(int precision, int scale) -> precision - scale >= 5;
                    default -> false;
                };
            case DataType.Int32 _ ->
                switch (to) {
                    case DataType.Int64 _,
                            DataType.Float32 _,
                            DataType.Float64 _,
                            DataType.Numeric _,
                            DataType.Bool _ -> true;
                    case DataType.Decimal(int precision, int scale) -> precision - scale >= 10;
                    default -> false;
                };
            case DataType.Int64 _ ->
                switch (to) {
                    case DataType.Float32 _, DataType.Float64 _, DataType.Numeric _ -> true;
                    case DataType.Decimal(int precision, int scale) -> precision - scale >= 19;
                    default -> false;
                };
            case DataType.Float32 _ -> to instanceof DataType.Float64;
            case DataType.Decimal(int precision, int scale) ->
                switch (to) {
                    case DataType.Numeric _, DataType.Float64 _ -> true;
                    case DataType.Decimal(int wider, int wideScale) ->
                        wideScale >= scale && wider - wideScale >= precision - scale;
                    default -> false;
                };
            case DataType.Bool _ -> to instanceof DataType.Int32;
            default -> false;
        };
    }

    int cast(RexNode operand, RelDataType target, DataType to, int mask) {
        Literal literal = Literals.as(operand, to);
        if (literal != null && !(to instanceof DataType.Utf8)) {
            return values.constant(literal, mask);
        }
        DataType from = RowTypes.of(operand.getType());
        int value = values.lower(operand, mask);
        if (!(to instanceof DataType.Utf8)) {
            if (to instanceof DataType.Bool && !(from instanceof DataType.Bool) && !isAllowed(from, to)) {
                throw new Unlowerable("no conversion from " + from + " to " + to);
            }
            return values.convert(RowTypes.isPadded(operand.getType()) ? values.trimmed(value, mask) : value, to, mask);
        }
        boolean toPadded = RowTypes.isPadded(target);
        int length =
                SqlTypes.pgType(target) == PgType.VARCHAR || toPadded ? SqlTypes.typmod(target) - TYPMOD_HEADER : -1;
        boolean isBounded = length > 0;
        int text = values.convert(value, to, mask);
        if (toPadded && isBounded) {
            return isSameLength(operand, target) ? text : padded(text, length, mask);
        }
        if (RowTypes.isPadded(operand.getType()) && !toPadded) {
            text = values.trimmed(text, mask);
        }
        return isBounded && !isWithin(operand.getType(), length)
                ? program.value(Opcode.LEFT, DataType.UTF8, mask, 0, text, values.int32(length, mask))
                : text;
    }

    /// To char(n): cut, or filled up with blanks.
    private int padded(int text, int length, int mask) {
        if (length > MAX_PADDED) {
            throw new Unlowerable("a cast to character(" + length + ") has no opcode");
        }
        int filled = program.value(Opcode.CONCAT, DataType.UTF8, mask, 0, text, values.text(" ".repeat(length), mask));
        return program.value(Opcode.LEFT, DataType.UTF8, mask, 0, filled, values.int32(length, mask));
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
}
