package dev.quarrel.export.copy;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// Reads double precision and rounds it to a half float, to the nearest and then to even; appends that as a real.
///
/// @param turnsToNull whether a value beyond what half floats hold becomes NULL; otherwise it is an error
public record HalfReader(String column, boolean turnsToNull) implements FieldReader {
    @Override
    public void read(byte[] row, int offset, int length, ColumnWriter out) {
        if (length != 8) {
            throw new QueryException(
                    SqlState.INVALID_BINARY_REPRESENTATION,
                    "column " + column + " of type double precision came with " + length + " bytes instead of 8");
        }
        append(Double.longBitsToDouble((long) INT64.get(row, offset)), out);
    }

    /// - Errors: `QueryException` 22003 naming the column.
    public void append(double value, ColumnWriter out) {
        float half = rounded(value);
        if (Float.isInfinite(half) && !Double.isInfinite(value)) {
            if (turnsToNull) {
                out.appendNull();
                return;
            }
            throw new QueryException(
                            SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                            "column " + column + " has the value " + value + ", which a half float cannot hold")
                    .withHint("make such values NULL with --numeric-overflow null, or leave the column as it is");
        }
        out.appendFloat32(half);
    }

    static float rounded(double value) {
        float single = (float) value;
        // Rounded twice, a value just beside the middle of two halves would seem to lie on it: an odd last bit keeps it
        // beside.
        if (single != value && !Double.isNaN(value) && (Float.floatToRawIntBits(single) & 1) == 0) {
            boolean isBelow = Math.abs((double) single) < Math.abs(value);
            int bits = Float.floatToRawIntBits(single);
            single = Float.intBitsToFloat(isBelow ? bits + 1 : bits - 1);
        }
        return Float.float16ToFloat(Float.floatToFloat16(single));
    }
}
