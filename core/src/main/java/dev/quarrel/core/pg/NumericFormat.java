package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;

/// PostgreSQL's binary form of numeric: digits to base 10,000, the weight of the first, a sign, and the display
/// scale.
///
/// - Source: PostgreSQL's `numeric_send` and `numeric_recv`.
public final class NumericFormat {
    private static final int POSITIVE = 0x0000;
    private static final int NEGATIVE = 0x4000;
    private static final int NAN = 0xC000;
    private static final int INFINITY = 0xD000;
    private static final int MINUS_INFINITY = 0xF000;
    private static final int BASE_DIGITS = 4;
    private static final int BASE = 10_000;
    private static final int MAX_DIGITS = 40; // 38 decimal digits, moved to a group's edge, and zeros below the point
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

    private NumericFormat() {}

    /// Appends NaN or an infinity.
    static void append(SpecialNumeric special, TextBuffer out) {
        int16(0, out);
        int16(0, out);
        int16(
                switch (special) {
                    case NAN -> NAN;
                    case INFINITY -> INFINITY;
                    case MINUS_INFINITY -> MINUS_INFINITY;
                },
                out);
        int16(0, out);
    }

    /// Appends `unscaled * 10^-scale`.
    public static void append(long high, long low, int scale, TextBuffer out) {
        if (SpecialNumeric.is(scale)) {
            append(SpecialNumeric.of(low), out);
            return;
        }
        boolean negative = high < 0;
        // Moves the point to the edge of a group of four digits, so that groups can be cut from the right.
        int padding = Math.floorMod(-scale, BASE_DIGITS);
        int fractionGroups = (scale + padding) / BASE_DIGITS;
        int[] groups = new int[MAX_DIGITS];
        int count = high == (low >> 63) && low != Long.MIN_VALUE && Math.abs(low) < Long.MAX_VALUE / 1000
                ? cut(Math.abs(low) * power(padding), groups)
                : cut(wide(high, low).abs().multiply(BigInteger.valueOf(power(padding))), groups);
        int lowest = 0;
        while (lowest < count && groups[lowest] == 0) {
            lowest++;
        }
        int sent = count - lowest;
        int weight = sent == 0 ? 0 : count - fractionGroups - 1;
        int16(sent, out);
        int16(weight, out);
        int16(negative ? NEGATIVE : POSITIVE, out);
        int16(scale, out);
        for (int index = count - 1; index >= lowest; index--) {
            int16(groups[index], out);
        }
    }

    /// Appends a value of any number of digits.
    static void append(BigDecimal value, TextBuffer out) {
        int scale = value.scale();
        int padding = Math.floorMod(-scale, BASE_DIGITS);
        String digits = value.signum() == 0 ? "" : value.unscaledValue().abs() + "0".repeat(padding);
        int groups = (digits.length() + BASE_DIGITS - 1) / BASE_DIGITS;
        int sent = groups;
        while (sent > 0 && group(digits, groups - sent) == 0) {
            sent--;
        }
        int16(sent, out);
        int16(sent == 0 ? 0 : groups - (scale + padding) / BASE_DIGITS - 1, out);
        int16(value.signum() < 0 ? NEGATIVE : POSITIVE, out);
        int16(scale, out);
        for (int index = groups - 1; index >= groups - sent; index--) {
            int16(group(digits, index), out);
        }
    }

    /// The group of four digits at that place, counted from the right.
    private static int group(String digits, int fromRight) {
        int end = digits.length() - fromRight * BASE_DIGITS;
        return Integer.parseInt(digits.substring(Math.max(0, end - BASE_DIGITS), end));
    }

    private static int cut(long value, int[] groups) {
        int count = 0;
        for (long rest = value; rest != 0; rest /= BASE) {
            groups[count++] = (int) (rest % BASE);
        }
        return count;
    }

    private static int cut(BigInteger value, int[] groups) {
        int count = 0;
        BigInteger rest = value;
        while (rest.signum() != 0) {
            BigInteger[] parts = rest.divideAndRemainder(BigInteger.valueOf(BASE));
            groups[count++] = parts[1].intValue();
            rest = parts[0];
        }
        return count;
    }

    private static long power(int digits) {
        return digits == 0 ? 1 : digits == 1 ? 10 : digits == 2 ? 100 : 1000;
    }

    private static BigInteger wide(long high, long low) {
        BigInteger lower = BigInteger.valueOf(low);
        return BigInteger.valueOf(high).multiply(TWO_64).add(low < 0 ? lower.add(TWO_64) : lower);
    }

    private static void int16(int value, TextBuffer out) {
        out.append((byte) (value >>> 8));
        out.append((byte) value);
    }

    /// Reads a value: a BigDecimal at its display scale, or a SpecialNumeric.
    ///
    /// - Errors: `QueryException` 22P03 for bytes that are no numeric, 22003 for more than 38 digits.
    public static Object parse(byte[] bytes) {
        return parse(ByteBuffer.wrap(bytes), false);
    }

    /// The same of any number of digits, of the bytes that are left.
    static Object parseWide(ByteBuffer in) {
        return parse(in, true);
    }

    private static Object parse(ByteBuffer in, boolean isWide) {
        if (in.remaining() < 8) {
            throw invalid("insufficient data left in message");
        }
        int count = in.getShort() & 0xFFFF;
        int weight = in.getShort();
        int sign = in.getShort() & 0xFFFF;
        int scale = in.getShort() & 0xFFFF;
        if (in.remaining() != count * 2) {
            throw invalid("invalid length in external \"numeric\" value");
        }
        SpecialNumeric special =
                switch (sign) {
                    case POSITIVE, NEGATIVE -> null;
                    case NAN -> SpecialNumeric.NAN;
                    case INFINITY -> SpecialNumeric.INFINITY;
                    case MINUS_INFINITY -> SpecialNumeric.MINUS_INFINITY;
                    default -> throw invalid("invalid sign in external \"numeric\" value");
                };
        if (scale > 16_383) {
            throw invalid("invalid scale in external \"numeric\" value");
        }
        if (special != null) {
            return special;
        }
        if (!isWide && (count > MAX_DIGITS || Math.abs(weight) > 100)) {
            throw tooWide();
        }
        StringBuilder digits = new StringBuilder("0");
        for (int index = 0; index < count; index++) {
            int digit = in.getShort();
            if (digit < 0 || digit >= BASE) {
                throw invalid("invalid digit in external \"numeric\" value");
            }
            for (int power = BASE / 10; power > 0; power /= 10) {
                digits.append((char) ('0' + digit / power % 10));
            }
        }
        BigDecimal value = new BigDecimal(new BigInteger(digits.toString()), (count - 1 - weight) * BASE_DIGITS);
        // digits beyond the display scale are cut off, as numeric_recv does
        value = value.setScale(scale, java.math.RoundingMode.DOWN);
        if (!isWide && value.precision() > 38) {
            throw tooWide();
        }
        return sign == NEGATIVE ? value.negate() : value;
    }

    private static QueryException invalid(String message) {
        return new QueryException(SqlState.INVALID_BINARY_REPRESENTATION, message);
    }

    private static QueryException tooWide() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
                .withDetail("Quarrel holds numeric values of up to 38 digits.")
                .ofNarrowNumerics();
    }
}
