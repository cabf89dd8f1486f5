package dev.quarrel.core.csv;

/// Cuts rows of COPY's text format: a delimiter between fields, and a backslash before what is not itself.
///
/// - Source: PostgreSQL's `copyfromparse.c`, CopyReadAttributesText.
final class TextFields extends RowFields {
    private final byte delimiter;
    private final ByteSearch stops;

    TextFields(byte delimiter, String nullText) {
        super(nullText);
        this.delimiter = delimiter;
        this.stops = new ByteSearch(delimiter, '\\', '\\');
    }

    @Override
    void cut(int from, int to) {
        int start = from;
        while (true) {
            int at = stops.find(bytes, start, to);
            if (at < to && bytes[at] == '\\') {
                at = unescape(start, at, to);
            } else {
                add(start, at);
            }
            if (at >= to) {
                return;
            }
            start = at + 1;
        }
    }

    /// Adds a field, whose value is written over it: that is never longer.
    ///
    /// @param from the first backslash
    /// @return where the field ends
    private int unescape(int start, int from, int to) {
        int fieldEnd = from;
        while (fieldEnd < to && bytes[fieldEnd] != delimiter) {
            fieldEnd += bytes[fieldEnd] == '\\' && fieldEnd + 1 < to ? 2 : 1;
        }
        if (isNullText(start, fieldEnd)) {
            add(start, fieldEnd);
            return fieldEnd;
        }
        int target = from;
        int at = from;
        while (at < fieldEnd) {
            byte each = bytes[at++];
            if (each == '\\' && at == fieldEnd) {
                break; // one that ends all of the rows escapes nothing
            }
            if (each == '\\') {
                each = bytes[at++];
                switch (each) {
                    case 'b' -> each = '\b';
                    case 'f' -> each = '\f';
                    case 'n' -> each = '\n';
                    case 'r' -> each = '\r';
                    case 't' -> each = '\t';
                    case 'v' -> each = 0x0B;
                    case '0', '1', '2', '3', '4', '5', '6', '7' -> {
                        int value = each - '0';
                        for (int more = 0; more < 2 && at < fieldEnd && digit(bytes[at], 8) >= 0; more++) {
                            value = value << 3 | digit(bytes[at++], 8);
                        }
                        each = (byte) value;
                    }
                    case 'x' -> {
                        if (at < fieldEnd && digit(bytes[at], 16) >= 0) {
                            int value = digit(bytes[at++], 16);
                            if (at < fieldEnd && digit(bytes[at], 16) >= 0) {
                                value = value << 4 | digit(bytes[at++], 16);
                            }
                            each = (byte) value;
                        }
                    }
                    default -> {} // itself
                }
            }
            bytes[target++] = each;
        }
        add(start, target);
        nulls[count - 1] = false;
        escaped[count - 1] = true;
        return fieldEnd;
    }

    private static int digit(byte each, int radix) {
        return each < 0 ? -1 : Character.digit(each, radix);
    }
}
