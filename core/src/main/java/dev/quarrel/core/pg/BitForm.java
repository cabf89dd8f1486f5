package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.ByteBuffer;

/// Bit strings, held as their digits 0 and 1: `bit(n)`, and `bit varying(n)`.
///
/// - Source: PostgreSQL's `varbit.c`.
///
/// @param isFixed whether every value has as many bits as its type says
record BitForm(boolean isFixed) implements ValueForm {
    /// The greatest length that a type may be declared with.
    static final int MAX_LENGTH = 10_485_760 * 8;

    @Override
    public String read(String text, int typmod, PgParse.Moment moment) {
        String bits = digits(text);
        return typmod < 0 ? bits : sized(bits, typmod, isFixed);
    }

    /// The bits of what begins with `x` in hexadecimal digits, else with `b` or nothing in binary ones.
    private static String digits(String text) {
        boolean isHex = text.startsWith("x") || text.startsWith("X");
        boolean isPrefixed = isHex || text.startsWith("b") || text.startsWith("B");
        StringBuilder bits = new StringBuilder();
        for (int at = isPrefixed ? 1 : 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            int point = text.codePointAt(at);
            int digit = point < 0x80 ? Character.digit(point, isHex ? 16 : 2) : -1;
            if (digit < 0) {
                throw new QueryException(
                        SqlState.INVALID_TEXT_REPRESENTATION,
                        "\"" + Character.toString(point) + "\" is not a valid " + (isHex ? "hexadecimal" : "binary")
                                + " digit");
            }
            for (int bit = isHex ? 3 : 0; bit >= 0; bit--) {
                bits.append((char) ('0' + (digit >>> bit & 1)));
            }
        }
        return bits.toString();
    }

    /// As an explicit cast makes it: cut, or filled up with zeros.
    static String sized(String bits, int length, boolean isFixed) {
        if (bits.length() > length) {
            return bits.substring(0, length);
        }
        return isFixed ? bits + "0".repeat(length - bits.length()) : bits;
    }

    @Override
    public void appendKey(String text, TextBuffer out) {
        byte[] bytes = BitStrings.bytes(text);
        KeyBytes.escaped(bytes, bytes.length, out);
        KeyBytes.int32(text.length(), out);
    }

    @Override
    public void send(String text, TextBuffer out) {
        KeyBytes.int32(text.length(), out);
        for (byte each : BitStrings.bytes(text)) {
            out.append(each);
        }
    }

    @Override
    public String receive(ByteBuffer bytes) {
        int length = bytes.getInt();
        if (length < 0 || length > 8L * bytes.remaining()) {
            throw new QueryException(SqlState.INVALID_BINARY_REPRESENTATION, "invalid length in external bit string");
        }
        byte[] packed = new byte[(length + 7) / 8];
        bytes.get(packed);
        return BitStrings.text(packed, length);
    }
}
