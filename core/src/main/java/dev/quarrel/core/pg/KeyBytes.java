package dev.quarrel.core.pg;

import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;

/// Writes the parts of keys, whose bytes order as what they are made of, and of binary forms.
public final class KeyBytes {
    private KeyBytes() {}

    /// Bytes of any number: one less than another that begins with them.
    public static void escaped(byte[] bytes, int count, TextBuffer out) {
        for (int index = 0; index < count; index++) {
            out.append(bytes[index]);
            if (bytes[index] == 0) {
                out.append((byte) 1);
            }
        }
        out.append((byte) 0);
        out.append((byte) 0);
    }

    /// The sign; then the power of ten and the digits, turned round for negative numbers. Before all numbers is
    /// -Infinity, behind them are Infinity and NaN.
    public static void number(Object canonical, TextBuffer out) {
        if (!(canonical instanceof BigDecimal value)) {
            out.append((byte)
                    switch ((SpecialNumeric) canonical) {
                        case MINUS_INFINITY -> 0;
                        case INFINITY -> 4;
                        case NAN -> 5;
                    });
            return;
        }
        out.append((byte) (value.signum() + 2));
        if (value.signum() == 0) {
            return;
        }
        BigDecimal number = value.abs().stripTrailingZeros();
        int flip = value.signum() < 0 ? 0xFF : 0;
        int power = number.precision() - number.scale() + (1 << 30);
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.append((byte) (power >>> shift ^ flip));
        }
        String digits = number.unscaledValue().toString();
        for (int index = 0; index < digits.length(); index++) {
            out.append((byte) (digits.charAt(index) - '0' + 1 ^ flip));
        }
        out.append((byte) flip);
    }

    /// A number with a sign.
    public static void word(long value, TextBuffer out) {
        int64(value ^ Long.MIN_VALUE, out);
    }

    /// The bytes of a number, the most significant first.
    public static void int64(long value, TextBuffer out) {
        int32((int) (value >>> 32), out);
        int32((int) value, out);
    }

    public static void int32(int value, TextBuffer out) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.append((byte) (value >>> shift));
        }
    }
}
