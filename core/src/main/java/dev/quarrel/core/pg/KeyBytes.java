package dev.quarrel.core.pg;

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
