package dev.quarrel.core.csv;

import dev.quarrel.core.type.ByteWords;

/// Looks for one of a few bytes, eight places at a time.
final class ByteSearch {
    private final long first;
    private final long second;
    private final long third;

    ByteSearch(int first, int second, int third) {
        this.first = ByteWords.ONES * first;
        this.second = ByteWords.ONES * second;
        this.third = ByteWords.ONES * third;
    }

    /// The place of the first of them; `end` where there is none.
    int find(byte[] bytes, int start, int end) {
        int at = start;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            long word = ByteWords.get(bytes, at);
            long found = ByteWords.zeros(word ^ first) | ByteWords.zeros(word ^ second) | ByteWords.zeros(word ^ third);
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        for (; at < end; at++) {
            byte each = bytes[at];
            if (each == (byte) first || each == (byte) second || each == (byte) third) {
                return at;
            }
        }
        return end;
    }
}
