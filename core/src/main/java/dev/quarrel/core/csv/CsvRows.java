package dev.quarrel.core.csv;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Cuts CSV into rows of fields, which stand in one buffer until the next row: no objects are made of them.
///
/// Quotes may begin and end anywhere in a field, as in PostgreSQL; lines end as the first one does.
///
/// - Errors: `QueryException` 22P04 with PostgreSQL's messages and the line, 54000 for a row above 1 GiB.
/// - Source: PostgreSQL's `copyfromparse.c`, CopyReadLineText and CopyReadAttributesCSV.
final class CsvRows {
    private static final int FIRST_BYTES = 1 << 20;
    private static final int MAX_ROW_BYTES = 1 << 30;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final InputStream in;
    private final CsvFormat format;
    private final byte[] nullText;

    private byte[] buffer = new byte[FIRST_BYTES];
    private int next; // of the row after this one
    private int end;
    private boolean isOver;
    private LineEnd lineEnd; // that of the first line; null before
    private boolean isFirst = true;

    private int count;
    private int[] starts = new int[64];
    private int[] lengths = new int[64];
    private boolean[] nulls = new boolean[64];
    private long line;
    private long lines; // of the rows so far

    CsvRows(InputStream in, CsvFormat format) {
        this.in = in;
        this.format = format;
        this.nullText = format.nullText().getBytes(StandardCharsets.UTF_8);
    }

    private enum LineEnd {
        NEWLINE,
        RETURN,
        BOTH
    }

    /// The bytes that fields are in; another array after some calls of `next`.
    byte[] bytes() {
        return buffer;
    }

    int count() {
        return count;
    }

    int start(int field) {
        return starts[field];
    }

    int length(int field) {
        return lengths[field];
    }

    boolean isNull(int field) {
        return nulls[field];
    }

    String text(int field) {
        return new String(buffer, starts[field], lengths[field], StandardCharsets.UTF_8);
    }

    /// The line that the row begins on, from 1.
    long line() {
        return line;
    }

    /// Reads the next row.
    ///
    /// @return false where there is none
    boolean next() throws IOException {
        if (isFirst) {
            isFirst = false;
            fill(0);
            if (end >= 3 && Arrays.equals(buffer, 0, 3, BYTE_ORDER_MARK, 0, 3)) {
                next = 3;
            }
        }
        if (next == end && (isOver || !fill(next))) {
            return false;
        }
        line = lines + 1;
        int rowEnd = rowEnd();
        cut(next, rowEnd);
        next = Math.min(end, rowEnd + separator(rowEnd));
        return true;
    }

    private int separator(int at) {
        return at + 1 < end && buffer[at] == '\r' && buffer[at + 1] == '\n' ? 2 : 1;
    }

    /// Where the row that begins at `next` ends; it is all in the buffer then.
    private int rowEnd() throws IOException {
        boolean isQuoted = false;
        int at = next;
        byte quote = format.quote();
        byte escape = format.escape();
        while (true) {
            if (at == end) {
                int shift = next;
                boolean isMore = !isOver && fill(next);
                at -= shift - next;
                if (isMore) {
                    continue;
                }
                if (isQuoted) {
                    throw wrong("unterminated CSV quoted field");
                }
                lines++;
                return at;
            }
            byte each = buffer[at];
            if (isQuoted) {
                if (each == escape && escape != quote) {
                    if (at + 1 == end) {
                        int shift = next;
                        boolean isMore = !isOver && fill(next);
                        at -= shift - next;
                        if (isMore) {
                            continue;
                        }
                    } else if (buffer[at + 1] == quote || buffer[at + 1] == escape) {
                        at++;
                    }
                } else if (each == quote) {
                    isQuoted = false; // a second one opens it again
                } else if (each == '\n') {
                    lines++;
                }
            } else if (each == quote) {
                isQuoted = true;
            } else if (each == '\n') {
                return endLine(LineEnd.NEWLINE, at);
            } else if (each == '\r') {
                if (at + 1 == end) {
                    int shift = next;
                    boolean isMore = !isOver && fill(next);
                    at -= shift - next;
                    if (isMore) {
                        continue;
                    }
                }
                boolean isBoth = at + 1 < end && buffer[at + 1] == '\n';
                return endLine(isBoth ? LineEnd.BOTH : LineEnd.RETURN, at);
            }
            at++;
        }
    }

    /// - Errors: 22P04 where earlier lines ended in another way.
    private int endLine(LineEnd found, int at) {
        lines++;
        lineEnd = lineEnd == null ? found : lineEnd;
        if (found != lineEnd) {
            boolean isNewline = found == LineEnd.NEWLINE;
            throw wrong("unquoted " + (isNewline ? "newline" : "carriage return") + " found in data")
                    .withHint("Use quoted CSV field to represent " + (isNewline ? "newline." : "carriage return."));
        }
        return at;
    }

    /// Moves what is from `from` on to the front, and reads more behind it.
    ///
    /// @return whether there is more
    private boolean fill(int from) throws IOException {
        int kept = end - from;
        if (kept > MAX_ROW_BYTES) {
            throw new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "line " + (lines + 1) + " has more than 1 GiB");
        }
        byte[] target = kept > buffer.length / 2 ? new byte[buffer.length * 2] : buffer;
        System.arraycopy(buffer, from, target, 0, kept);
        buffer = target;
        next -= from;
        end = kept;
        int read = in.read(buffer, end, buffer.length - end);
        if (read <= 0) {
            isOver = true;
            return false;
        }
        end += read;
        return true;
    }

    private void cut(int from, int to) {
        count = 0;
        byte delimiter = format.delimiter();
        byte quote = format.quote();
        int at = from;
        while (true) {
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, count * 2);
                lengths = Arrays.copyOf(lengths, count * 2);
                nulls = Arrays.copyOf(nulls, count * 2);
            }
            int start = at;
            while (at < to && buffer[at] != delimiter && buffer[at] != quote) {
                at++;
            }
            starts[count] = start;
            lengths[count] = at - start;
            nulls[count] = false;
            if (at < to && buffer[at] == quote) {
                at = unquote(start, at, to);
            } else {
                nulls[count] = Arrays.equals(buffer, start, at, nullText, 0, nullText.length);
            }
            count++;
            if (at >= to) {
                return;
            }
            at++;
            if (at == to) { // a delimiter ends the row: an empty field follows
                continue;
            }
        }
    }

    /// Writes the field's value over it, which is never longer.
    ///
    /// @param from where quotes begin
    /// @return where the field ends
    private int unquote(int start, int from, int to) {
        byte quote = format.quote();
        byte escape = format.escape();
        byte delimiter = format.delimiter();
        boolean isQuoted = false;
        int target = from;
        int at = from;
        while (at < to) {
            byte each = buffer[at];
            if (!isQuoted && each == delimiter) {
                break;
            }
            boolean isEscaped =
                    isQuoted && each == escape && at + 1 < to && (buffer[at + 1] == quote || buffer[at + 1] == escape);
            if (isEscaped) {
                at++;
                buffer[target++] = buffer[at];
            } else if (each == quote) {
                isQuoted = !isQuoted;
            } else {
                buffer[target++] = each;
            }
            at++;
        }
        lengths[count] = target - start;
        return at;
    }

    private QueryException wrong(String message) {
        return new QueryException(SqlState.BAD_COPY_FILE_FORMAT, message).withDetail("line " + line);
    }
}
