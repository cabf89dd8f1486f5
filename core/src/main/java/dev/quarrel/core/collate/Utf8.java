package dev.quarrel.core.collate;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.ByteWords;

/// Counts, skips and finds characters in valid UTF-8.
public final class Utf8 {
    private static final int WORK_BETWEEN_CHECKS = 1 << 20;

    private Utf8() {}

    /// Bytes of the character that begins with `lead`.
    public static int width(byte lead) {
        if (lead >= 0) {
            return 1;
        }
        return (lead & 0xE0) == 0xC0 ? 2 : (lead & 0xF0) == 0xE0 ? 3 : 4;
    }

    /// Characters in [start, end): bytes that are no continuation.
    public static int count(byte[] bytes, int start, int end) {
        int count = end - start;
        int index = start;
        for (; index <= end - Long.BYTES; index += Long.BYTES) {
            count -= continuations(ByteWords.get(bytes, index));
        }
        for (; index < end; index++) {
            count -= bytes[index] > (byte) 0xBF ? 0 : 1;
        }
        return count;
    }

    /// Bytes of a word that continue a character: their upper bits are 10.
    private static int continuations(long word) {
        return Long.bitCount(word >>> 7 & ~word >>> 6 & ByteWords.ONES);
    }

    /// Whether all bytes in [start, end) are ASCII.
    public static boolean isAscii(byte[] bytes, int start, int end) {
        long all = 0;
        int index = start;
        for (; index <= end - Long.BYTES; index += Long.BYTES) {
            all |= ByteWords.get(bytes, index);
        }
        for (; index < end; index++) {
            all |= bytes[index];
        }
        return (all & ByteWords.HIGH_BITS) == 0;
    }

    /// Where the character stands that follows `characters` others; `end` where there are fewer.
    public static int skip(byte[] bytes, int start, int end, long characters) {
        int index = start;
        for (long left = characters; left > 0 && index < end; left--) {
            index += width(bytes[index]);
        }
        return Math.min(index, end);
    }

    /// Where the last character before `end` starts.
    public static int previous(byte[] bytes, int start, int end) {
        int index = end - 1;
        while (index > start && (bytes[index] & 0xC0) == 0x80) {
            index--;
        }
        return index;
    }

    /// The code point of the character at `index`.
    public static int codePoint(byte[] bytes, int index) {
        byte lead = bytes[index];
        return switch (width(lead)) {
            case 1 -> lead;
            case 2 -> (lead & 0x1F) << 6 | bytes[index + 1] & 0x3F;
            case 3 -> (lead & 0x0F) << 12 | (bytes[index + 1] & 0x3F) << 6 | bytes[index + 2] & 0x3F;
            default ->
                (lead & 0x07) << 18
                        | (bytes[index + 1] & 0x3F) << 12
                        | (bytes[index + 2] & 0x3F) << 6
                        | bytes[index + 3] & 0x3F;
        };
    }

    /// Where `needle` begins first in [from, end), or -1. In valid UTF-8 a match begins a character.
    public static int indexOf(byte[] bytes, int from, int end, byte[] needle, int needleStart, int needleLength) {
        if (needleLength == 0) {
            return from;
        }
        byte first = needle[needleStart];
        int last = end - needleLength;
        long work = 0;
        int index = from;
        // Eight places at a time, of which those are looked at that have the needle's first and its last byte.
        long firstBytes = ByteWords.ONES * (first & 0xFF);
        long lastBytes = ByteWords.ONES * (needle[needleStart + needleLength - 1] & 0xFF);
        for (; index <= last - Long.BYTES + 1; index += Long.BYTES) {
            long differing = ByteWords.get(bytes, index) ^ firstBytes
                    | ByteWords.get(bytes, index + needleLength - 1) ^ lastBytes;
            for (long found = ByteWords.zeros(differing); found != 0; found &= found - 1) {
                int place = index + (Long.numberOfTrailingZeros(found) >>> 3);
                if (regionMatches(bytes, place, needle, needleStart, needleLength)) {
                    return place;
                }
                work += needleLength; // at most
            }
            if (work > WORK_BETWEEN_CHECKS) {
                work = 0;
                Cancellation.checkCurrent();
            }
        }
        for (; index <= last; index++) {
            if (bytes[index] == first && regionMatches(bytes, index, needle, needleStart, needleLength)) {
                return index;
            }
        }
        return -1;
    }

    public static boolean regionMatches(byte[] bytes, int start, byte[] other, int otherStart, int length) {
        for (int index = 0; index < length; index++) {
            if (bytes[start + index] != other[otherStart + index]) {
                return false;
            }
        }
        return true;
    }

    /// Collation "C" knows the case of ASCII letters alone.
    public static byte lower(byte character) {
        return character >= 'A' && character <= 'Z' ? (byte) (character + 32) : character;
    }

    public static byte upper(byte character) {
        return character >= 'a' && character <= 'z' ? (byte) (character - 32) : character;
    }
}
