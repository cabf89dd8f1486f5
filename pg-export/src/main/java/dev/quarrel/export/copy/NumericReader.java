package dev.quarrel.export.copy;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// Reads PostgreSQL's numeric, base-10000 digits with a weight, into a 128-bit integer of the column's scale.
///
/// - Source: PostgreSQL's `numeric_send`: ndigits, weight, sign, dscale (16 bits each), then the digits.
final class NumericReader implements FieldReader {
    private static final int HEADER_BYTES = 8;
    private static final int POSITIVE = 0x0000;
    private static final int NEGATIVE = 0x4000;
    private static final int NAN = 0xC000;
    private static final int INFINITY = 0xD000;
    private static final int MINUS_INFINITY = 0xF000;
    private static final long[] POWERS = {1, 10, 100, 1000, 10_000};

    private final DataType.Decimal type;
    private final String column;
    private final long limitHigh;
    private final long limitLow;

    // The value being read; 128 bits, never negative.
    private long high;
    private long low;

    NumericReader(DataType.Decimal type, String column) {
        this.type = type;
        this.column = column;
        high = 0;
        low = 1;
        for (int digit = 0; digit < type.precision(); digit++) {
            multiplyAdd(10, 0);
        }
        limitHigh = high;
        limitLow = low;
    }

    @Override
    public void read(byte[] row, int offset, int length, ColumnWriter out) {
        if (length < HEADER_BYTES) {
            throw broken(length + " bytes");
        }
        int digitCount = (short) INT16.get(row, offset);
        int weight = (short) INT16.get(row, offset + 2);
        int sign = (short) INT16.get(row, offset + 4) & 0xFFFF;
        if (digitCount < 0 || length != HEADER_BYTES + 2 * digitCount) {
            throw broken(digitCount + " digits in " + length + " bytes");
        }
        if (sign != POSITIVE && sign != NEGATIVE) {
            throw special(sign);
        }
        accumulate(row, offset + HEADER_BYTES, digitCount, weight);
        if (sign == NEGATIVE) {
            out.appendDecimal(~high + (low == 0 ? 1 : 0), -low);
        } else {
            out.appendDecimal(high, low);
        }
    }

    private void accumulate(byte[] row, int offset, int digitCount, int weight) {
        high = 0;
        low = 0;
        // Digit i stands for 10^(4 * (weight - i) + scale) of the unscaled value.
        int exponent = 4 * weight + type.scale();
        int index = 0;
        while (index < digitCount && digit(row, offset, index) == 0) {
            index++;
        }
        if (index == digitCount) {
            return;
        }
        if (exponent - 4 * index > DataType.Decimal.MAX_PRECISION) {
            throw overflow();
        }
        int last = index - 1;
        for (; index < digitCount && exponent - 4 * index > -4; index++) {
            int digit = digit(row, offset, index);
            int power = exponent - 4 * index;
            if (power >= 0) {
                multiplyAdd(10_000, digit);
            } else {
                long cut = POWERS[-power];
                if (digit % cut != 0) {
                    throw tooFine();
                }
                multiplyAdd(POWERS[4 + power], digit / cut);
            }
            last = index;
        }
        for (; index < digitCount; index++) {
            if (digit(row, offset, index) != 0) {
                throw tooFine();
            }
        }
        for (int power = exponent - 4 * last; power > 0; power -= 4) {
            multiplyAdd(POWERS[Math.min(power, 4)], 0);
        }
        if (high > limitHigh || (high == limitHigh && Long.compareUnsigned(low, limitLow) >= 0)) {
            throw overflow();
        }
    }

    private int digit(byte[] row, int offset, int index) {
        int digit = (short) INT16.get(row, offset + 2 * index);
        if (digit < 0 || digit > 9999) {
            throw broken("digit " + digit);
        }
        return digit;
    }

    private void multiplyAdd(long factor, long addend) {
        long product = low * factor;
        long carry = Math.unsignedMultiplyHigh(low, factor);
        // A value below 10^38 takes 127 bits; the next step could overflow, and nothing larger fits a column.
        if (high > Long.MAX_VALUE / factor - 1) {
            throw overflow();
        }
        low = product + addend;
        high = high * factor + carry + (Long.compareUnsigned(low, product) < 0 ? 1 : 0);
    }

    private QueryException broken(String what) {
        return new QueryException(
                SqlState.INVALID_BINARY_REPRESENTATION, "column " + column + " came with a broken numeric: " + what);
    }

    private QueryException special(int sign) {
        String value =
                switch (sign) {
                    case NAN -> "NaN";
                    case INFINITY -> "Infinity";
                    case MINUS_INFINITY -> "-Infinity";
                    default -> throw broken("sign " + Integer.toHexString(sign));
                };
        return new QueryException(
                        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                        "column " + column + " has the numeric value " + value + ", which a decimal cannot hold")
                .withHint("leave it out with --exclude " + column
                        + ", or export a query that replaces it, such as nullif(x, '" + value + "')");
    }

    private QueryException overflow() {
        return new QueryException(
                        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                        "column " + column + " has a value that numeric(" + type.precision() + "," + type.scale()
                                + ") cannot hold")
                .withHint("export it with more digits before the point (--numeric precision,scale)");
    }

    private QueryException tooFine() {
        return new QueryException(
                        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                        "column " + column + " has a value with more than " + type.scale()
                                + " digits after the point, which the export would have to round")
                .withHint("export it with a larger scale (--numeric precision,scale), or a query that rounds");
    }
}
