package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.function.IntBinaryOperator;

/// Operations on strings of bits, which are held as their digits.
///
/// - Source: PostgreSQL's `varbit.c`.
public final class BitStrings {
    // PostgreSQL takes no more for a length.
    private static final int LARGEST = Integer.MAX_VALUE - 7;

    private BitStrings() {}

    /// - Errors: 54000 for more bits than any column has.
    private static void requireHeld(int length) {
        if (length > BitForm.MAX_LENGTH) {
            throw new QueryException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED, "a bit string of " + length + " bits is too long");
        }
    }

    /// Eight bits a byte, the first the most significant; the last byte filled up with zeros.
    public static byte[] bytes(String bits) {
        byte[] bytes = new byte[(bits.length() + 7) / 8];
        for (int at = 0; at < bits.length(); at++) {
            bytes[at >>> 3] |= (byte) ((bits.charAt(at) & 1) << (~at & 7));
        }
        return bytes;
    }

    static String text(byte[] bytes, int length) {
        StringBuilder bits = new StringBuilder(length);
        for (int at = 0; at < length; at++) {
            bits.append((char) ('0' + (bytes[at >>> 3] >>> (~at & 7) & 1)));
        }
        return bits.toString();
    }

    /// - Errors: 22026 for operands of different lengths.
    public static String combined(String left, String right, String symbol, IntBinaryOperator operator) {
        if (left.length() != right.length()) {
            throw mismatch("cannot " + symbol + " bit strings of different sizes");
        }
        StringBuilder bits = new StringBuilder(left.length());
        for (int at = 0; at < left.length(); at++) {
            bits.append((char) ('0' + (operator.applyAsInt(left.charAt(at), right.charAt(at)) & 1)));
        }
        return bits.toString();
    }

    public static String and(String left, String right) {
        return combined(left, right, "AND", (one, two) -> one & two);
    }

    public static String or(String left, String right) {
        return combined(left, right, "OR", (one, two) -> one | two);
    }

    public static String xor(String left, String right) {
        return combined(left, right, "XOR", (one, two) -> one ^ two);
    }

    public static String not(String bits) {
        return combined(bits, bits, "NOT", (one, _) -> ~one);
    }

    /// Moved to the left, or by a negative number to the right; zeros take the free places.
    public static String shifted(String bits, long places) {
        int length = bits.length();
        if (Math.abs(places) >= length) {
            return "0".repeat(length);
        }
        int by = (int) places;
        return by >= 0 ? bits.substring(by) + "0".repeat(by) : "0".repeat(-by) + bits.substring(0, length + by);
    }

    /// The last `length` bits of a number, whose sign fills up what is in front.
    public static String ofNumber(long value, int length) {
        int size = length < 1 || length > LARGEST ? 1 : length;
        requireHeld(size);
        StringBuilder bits = new StringBuilder(size);
        for (int bit = size - 1; bit >= 0; bit--) {
            bits.append((char) ('0' + (value >> Math.min(bit, Long.SIZE - 1) & 1)));
        }
        return bits.toString();
    }

    /// - Errors: 22003 for more bits than the number has.
    public static long toNumber(String bits, int size, String type) {
        if (bits.length() > size) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, type + " out of range");
        }
        long value = 0;
        for (int at = 0; at < bits.length(); at++) {
            value = value << 1 | bits.charAt(at) & 1;
        }
        return size == Integer.SIZE ? (int) value : value;
    }

    /// - Errors: 22011 for a negative length.
    public static String substring(String bits, long from, long length, boolean hasLength) {
        if (hasLength && length < 0) {
            // An end beyond the range of numbers is no negative length.
            throw new QueryException(SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
        }
        long end = hasLength ? from + length : Long.MAX_VALUE;
        int start = (int) Math.clamp(from, 1L, bits.length() + 1L);
        int stop = (int) Math.clamp(end, start, bits.length() + 1L);
        return bits.substring(start - 1, stop - 1);
    }

    /// - Errors: 22011 for a place before the first.
    public static String overlay(String bits, String with, int from, int length) {
        if (from <= 0) {
            throw new QueryException(SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
        }
        long behind = (long) from + length;
        if (behind > Integer.MAX_VALUE || behind < Integer.MIN_VALUE) {
            throw new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "integer out of range");
        }
        return substring(bits, 1, from - 1L, true) + with + substring(bits, behind, 0, false);
    }

    /// Where `wanted` begins, counted from 1; 0 if nowhere.
    public static int position(String bits, String wanted) {
        return bits.isEmpty() ? 0 : bits.indexOf(wanted) + 1;
    }

    /// - Errors: 2202E outside.
    public static int bit(String bits, int index) {
        requireInside(bits, index);
        return bits.charAt(index) & 1;
    }

    /// - Errors: 2202E outside, 22023 for what is neither 0 nor 1.
    public static String withBit(String bits, int index, int bit) {
        requireInside(bits, index);
        if (bit != 0 && bit != 1) {
            throw new QueryException(SqlState.INVALID_PARAMETER_VALUE, "new bit must be 0 or 1");
        }
        return bits.substring(0, index) + bit + bits.substring(index + 1);
    }

    private static void requireInside(String bits, int index) {
        if (index < 0 || index >= bits.length()) {
            throw new QueryException(
                    SqlState.ARRAY_SUBSCRIPT_ERROR,
                    "bit index " + index + " out of valid range (0.." + (bits.length() - 1) + ")");
        }
    }

    /// As a declared length has it.
    ///
    /// - Errors: where no cast asks for it, 22026 for another length than that of `bit(n)`, 22001 for a greater one
    ///   than that of `bit varying(n)`.
    public static String sized(String bits, int length, boolean isExplicit, boolean isFixed) {
        if (length < 1 || length > LARGEST) {
            return bits;
        }
        if (!isExplicit && isFixed && bits.length() != length) {
            throw mismatch("bit string length " + bits.length() + " does not match type bit(" + length + ")");
        }
        if (!isExplicit && bits.length() > length) {
            throw new QueryException(
                    SqlState.STRING_DATA_RIGHT_TRUNCATION, "bit string too long for type bit varying(" + length + ")");
        }
        if (isFixed && length > bits.length()) {
            requireHeld(length);
        }
        return BitForm.sized(bits, length, isFixed);
    }

    private static QueryException mismatch(String message) {
        return new QueryException(SqlState.STRING_DATA_LENGTH_MISMATCH, message);
    }
}
