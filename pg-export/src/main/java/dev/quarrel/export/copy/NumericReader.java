package dev.quarrel.export.copy;

import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;

/// Reads PostgreSQL's numeric, base-10000 digits with a weight, into a 128-bit integer of the column's scale, or
/// of each value's own.
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

    private static final DataType.Decimal WIDEST = new DataType.Decimal(DataType.Decimal.MAX_PRECISION, 0);

    private final DataType.Decimal type;
    private final boolean hasOwnScales;
    private final String column;
    private final boolean turnsToNull;
    private final long limitHigh;
    private final long limitLow;

    // The value being read; 128 bits, never negative.
    private long high;
    private long low;
    private int scale;

    /// @param target a Decimal, or Numeric
    /// @param turnsToNull whether a value that the column cannot hold becomes NULL; otherwise it is an error
    NumericReader(DataType target, String column, boolean turnsToNull) {
        this.type = target instanceof DataType.Decimal decimal ? decimal : WIDEST;
        this.hasOwnScales = target instanceof DataType.Numeric;
        this.column = column;
        this.turnsToNull = turnsToNull;
        this.scale = type.scale();
        high = 0;
        low = 1;
        boolean fits = true;
        for (int digit = 0; digit < type.precision(); digit++) {
            fits &= multiplyAdd(10, 0);
        }
        assert fits;
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
            SpecialNumeric special = special(sign);
            if (hasOwnScales) {
                out.appendNumeric(special);
            } else if (turnsToNull) {
                out.appendNull();
            } else {
                throw noDecimal(special);
            }
            return;
        }
        if (hasOwnScales) {
            scale = (short) INT16.get(row, offset + 6);
            if (scale < 0) {
                throw broken("scale " + scale);
            }
        }
        boolean fits =
                scale <= DataType.Decimal.MAX_PRECISION && accumulate(row, offset + HEADER_BYTES, digitCount, weight);
        if (!fits) {
            if (!turnsToNull) {
                throw overflow();
            }
            out.appendNull();
            return;
        }
        long signedHigh = sign == NEGATIVE ? ~high + (low == 0 ? 1 : 0) : high;
        long signedLow = sign == NEGATIVE ? -low : low;
        if (hasOwnScales) {
            out.appendNumeric(signedHigh, signedLow, scale);
        } else {
            out.appendDecimal(signedHigh, signedLow);
        }
    }

    /// @return whether the column can hold the value
    private boolean accumulate(byte[] row, int offset, int digitCount, int weight) {
        high = 0;
        low = 0;
        // Digit i stands for 10^(4 * (weight - i) + scale) of the unscaled value.
        int exponent = 4 * weight + scale;
        int index = 0;
        while (index < digitCount && digit(row, offset, index) == 0) {
            index++;
        }
        if (index == digitCount) {
            return true;
        }
        if (exponent - 4 * index > DataType.Decimal.MAX_PRECISION) {
            return false;
        }
        boolean fits = true;
        int last = index - 1;
        for (; index < digitCount && exponent - 4 * index > -4; index++) {
            int digit = digit(row, offset, index);
            int power = exponent - 4 * index;
            if (power >= 0) {
                fits &= multiplyAdd(10_000, digit);
            } else {
                long cut = POWERS[-power];
                if (digit % cut != 0) {
                    throw tooFine();
                }
                fits &= multiplyAdd(POWERS[4 + power], digit / cut);
            }
            last = index;
        }
        for (; index < digitCount; index++) {
            if (digit(row, offset, index) != 0) {
                throw tooFine();
            }
        }
        for (int power = exponent - 4 * last; power > 0; power -= 4) {
            fits &= multiplyAdd(POWERS[Math.min(power, 4)], 0);
        }
        return fits && (high < limitHigh || high == limitHigh && Long.compareUnsigned(low, limitLow) < 0);
    }

    private int digit(byte[] row, int offset, int index) {
        int digit = (short) INT16.get(row, offset + 2 * index);
        if (digit < 0 || digit > 9999) {
            throw broken("digit " + digit);
        }
        return digit;
    }

    /// @return false, and the value is lost, where it grows beyond what any column holds
    private boolean multiplyAdd(long factor, long addend) {
        long product = low * factor;
        long carry = Math.unsignedMultiplyHigh(low, factor);
        // A value below 10^38 takes 127 bits; the next step could overflow, and nothing larger fits a column.
        if (high > Long.MAX_VALUE / factor - 1) {
            return false;
        }
        low = product + addend;
        high = high * factor + carry + (Long.compareUnsigned(low, product) < 0 ? 1 : 0);
        return true;
    }

    private QueryException broken(String what) {
        return new QueryException(
                SqlState.INVALID_BINARY_REPRESENTATION, "column " + column + " came with a broken numeric: " + what);
    }

    private SpecialNumeric special(int sign) {
        return switch (sign) {
            case NAN -> SpecialNumeric.NAN;
            case INFINITY -> SpecialNumeric.INFINITY;
            case MINUS_INFINITY -> SpecialNumeric.MINUS_INFINITY;
            default -> throw broken("sign " + Integer.toHexString(sign));
        };
    }

    private QueryException noDecimal(SpecialNumeric value) {
        return new QueryException(
                        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                        "column " + column + " has the numeric value " + value + ", which a decimal cannot hold")
                .withHint("make such values NULL with --numeric-overflow null, leave the column out with --exclude "
                        + column + ", or export a query that replaces it, such as nullif(x, '" + value + "')");
    }

    private QueryException overflow() {
        return new QueryException(
                        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                        "column " + column + " has a value "
                                + (hasOwnScales
                                        ? "of more than 38 digits"
                                        : "that numeric(" + type.precision() + "," + type.scale() + ") cannot hold"))
                .withHint(
                        hasOwnScales
                                ? "export the column as text with --numeric-overflow text, or such values as NULL with"
                                        + " --numeric-overflow null"
                                : "export it with more digits before the point (--numeric precision,scale)");
    }

    private QueryException tooFine() {
        return new QueryException(
                        SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
                        "column " + column + " has a value with more than " + type.scale()
                                + " digits after the point, which the export would have to round")
                .withHint("export it with a larger scale (--numeric precision,scale), or a query that rounds");
    }
}
