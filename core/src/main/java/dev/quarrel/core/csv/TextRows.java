package dev.quarrel.core.csv;

import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/// Cuts the text format of COPY into rows: a delimiter between fields, and a backslash before what is not itself.
///
/// - Source: PostgreSQL's `copyfromparse.c`, CopyReadLineText and CopyReadAttributesText.
final class TextRows extends FieldRows {
    private final byte delimiter;
    private boolean isEnded;

    TextRows(InputStream in, byte delimiter, String nullText) {
        super(in, nullText);
        this.delimiter = delimiter;
    }

    @Override
    boolean isEnded() {
        return isEnded;
    }

    @Override
    int rowEnd() throws IOException {
        int length = 0;
        while (true) {
            if (next + length == end) {
                if (!isOver && fill(next)) {
                    continue;
                }
                lines++;
                return next + length;
            }
            byte each = buffer[next + length];
            if (each == '\n') {
                return endLine(LineEnd.NEWLINE, next + length);
            }
            if (each == '\r' || each == '\\') {
                byte after = after(length);
                if (each == '\r') {
                    return endLine(after == '\n' ? LineEnd.BOTH : LineEnd.RETURN, next + length);
                }
                if (after == '.') {
                    return endOfCopy(length);
                }
                length += next + length + 1 < end ? 1 : 0; // what follows ends no line
            }
            length++;
        }
    }

    /// The byte behind one of the row; 0 where there is none.
    private byte after(int length) throws IOException {
        if (next + length + 1 == end && !isOver) {
            fill(next);
        }
        return next + length + 1 < end ? buffer[next + length + 1] : 0;
    }

    /// A line of `\.` alone.
    private int endOfCopy(int length) throws IOException {
        byte behind = after(length + 1);
        boolean isLast = next + length + 2 >= end;
        boolean isAlone = length == 0 && (isLast || behind == '\n' || behind == '\r');
        lines++;
        if (!isAlone) {
            throw wrong("end-of-copy marker is not alone on its line");
        }
        isEnded = true;
        return -1;
    }

    @Override
    QueryException strayEnd(boolean isNewline) {
        return isNewline
                ? wrong("literal newline found in data").withHint("Use \"\\n\" to represent newline.")
                : wrong("literal carriage return found in data").withHint("Use \"\\r\" to represent carriage return.");
    }

    @Override
    void cut(int from, int to) {
        int at = from;
        while (true) {
            grow();
            int start = at;
            while (at < to && buffer[at] != delimiter && buffer[at] != '\\') {
                at++;
            }
            starts[count] = start;
            lengths[count] = at - start;
            nulls[count] = false;
            quoted[count] = false;
            if (at < to && buffer[at] == '\\') {
                at = unescape(start, at, to);
            } else {
                nulls[count] = Arrays.equals(buffer, start, at, nullText, 0, nullText.length);
            }
            count++;
            if (at >= to) {
                return;
            }
            at++;
        }
    }

    /// Writes the field's value over it, which is never longer.
    ///
    /// @param from the first backslash
    /// @return where the field ends
    private int unescape(int start, int from, int to) {
        int fieldEnd = from;
        while (fieldEnd < to && buffer[fieldEnd] != delimiter) {
            fieldEnd += buffer[fieldEnd] == '\\' && fieldEnd + 1 < to ? 2 : 1;
        }
        if (Arrays.equals(buffer, start, fieldEnd, nullText, 0, nullText.length)) {
            nulls[count] = true;
            return fieldEnd;
        }
        int target = from;
        int at = from;
        while (at < fieldEnd) {
            byte each = buffer[at++];
            if (each == '\\' && at < fieldEnd) {
                each = buffer[at++];
                switch (each) {
                    case 'b' -> each = '\b';
                    case 'f' -> each = '\f';
                    case 'n' -> each = '\n';
                    case 'r' -> each = '\r';
                    case 't' -> each = '\t';
                    case 'v' -> each = 0x0B;
                    case '0', '1', '2', '3', '4', '5', '6', '7' -> {
                        int value = each - '0';
                        for (int more = 0; more < 2 && at < fieldEnd && digit(buffer[at], 8) >= 0; more++) {
                            value = value << 3 | digit(buffer[at++], 8);
                        }
                        each = (byte) value;
                    }
                    case 'x' -> {
                        if (at < fieldEnd && digit(buffer[at], 16) >= 0) {
                            int value = digit(buffer[at++], 16);
                            if (at < fieldEnd && digit(buffer[at], 16) >= 0) {
                                value = value << 4 | digit(buffer[at++], 16);
                            }
                            each = (byte) value;
                        }
                    }
                    default -> {} // itself
                }
            }
            buffer[target++] = each;
        }
        lengths[count] = target - start;
        return fieldEnd;
    }

    private static int digit(byte each, int radix) {
        return each < 0 ? -1 : Character.digit(each, radix);
    }
}
