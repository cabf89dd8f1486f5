package dev.quarrel.ingest.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Whether bytes are a text that a column can hold as it is: UTF-8, shortest forms, no surrogates, no NUL.
///
/// - Source: RFC 3629, section 4.
final class PlainUtf8 {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final long ONES = 0x0101_0101_0101_0101L;

    private PlainUtf8() {}

    static boolean is(byte[] bytes, int start, int length) {
        int at = start;
        int end = start + length;
        while (at < end) {
            while (at <= end - 8) {
                long word = (long) WORD.get(bytes, at);
                if (((word | word - ONES) & HIGH_BITS) != 0) { // a byte above 127, or a 0
                    break;
                }
                at += 8;
            }
            if (at >= end) {
                return true;
            }
            int next = character(bytes, at, end);
            if (next < 0) {
                return false;
            }
            at = next;
        }
        return true;
    }

    /// The place behind the character, or -1.
    private static int character(byte[] bytes, int at, int end) {
        int first = bytes[at] & 0xFF;
        if (first < 0x80) {
            return first == 0 ? -1 : at + 1;
        }
        int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4 || at + more >= end) {
            return -1;
        }
        int second = bytes[at + 1] & 0xFF;
        int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int greatest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > greatest) {
            return -1;
        }
        for (int place = at + 2; place <= at + more; place++) {
            if ((bytes[place] & 0xC0) != 0x80) {
                return -1;
            }
        }
        return at + more + 1;
    }
}
