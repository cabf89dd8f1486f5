package dev.quarrel.core.type;

/// Whether bytes are a text that a value can hold as it is: UTF-8, shortest forms, no surrogates, no NUL.
///
/// - Source: RFC 3629, section 4.
public final class Utf8Text {
    private Utf8Text() {}

    public static boolean is(byte[] bytes, int start, int length) {
        return wrong(bytes, start, start + length) < 0;
    }

    /// - Errors: `QueryException` 22021 naming the first bad bytes, as PostgreSQL does.
    public static void require(byte[] bytes, int start, int length) {
        int wrong = wrong(bytes, start, start + length);
        if (wrong >= 0) {
            throw new QueryException(
                    SqlState.CHARACTER_NOT_IN_REPERTOIRE,
                    "invalid byte sequence for encoding \"UTF8\": " + shown(bytes, wrong, start + length));
        }
    }

    /// The place of the first byte that begins no character, or -1.
    private static int wrong(byte[] bytes, int start, int end) {
        int at = start;
        while (at < end) {
            while (at <= end - Long.BYTES) {
                long word = ByteWords.get(bytes, at);
                if (((word | word - ByteWords.ONES) & ByteWords.HIGH_BITS) != 0) { // a byte above 127, or a 0
                    break;
                }
                at += Long.BYTES;
            }
            if (at < end) {
                int next = behind(bytes, at, end);
                if (next < 0) {
                    return at;
                }
                at = next;
            }
        }
        return -1;
    }

    /// The place behind the character, or -1.
    private static int behind(byte[] bytes, int at, int end) {
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

    /// As many bytes as the first one says that its character has.
    private static String shown(byte[] bytes, int at, int end) {
        int lead = bytes[at] & 0xFF;
        int width = (lead & 0xE0) == 0xC0 ? 2 : (lead & 0xF0) == 0xE0 ? 3 : (lead & 0xF8) == 0xF0 ? 4 : 1;
        StringBuilder shown = new StringBuilder();
        for (int index = at; index < Math.min(end, at + width); index++) {
            shown.append(index == at ? "0x" : " 0x").append("%02x".formatted(bytes[index]));
        }
        return shown.toString();
    }
}
