package dev.quarrel.core.csv;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Rows of fields cut out of bytes; they stand in one buffer until the next row: no objects are made of them.
///
/// - Errors: `QueryException` 22P04 with PostgreSQL's messages, 54000 for a row above 1 GiB.
abstract sealed class FieldRows permits CsvRows, TextRows {
    private static final int FIRST_BYTES = 1 << 20;
    private static final int MAX_ROW_BYTES = 1 << 30;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final int MAX_SHOWN = 100;

    private final InputStream in;
    final byte[] nullText;

    byte[] buffer = new byte[FIRST_BYTES];
    int next; // of the row after this one
    int end;
    boolean isOver;
    private LineEnd lineEnd; // that of the first line; null before
    private boolean isFirst = true;
    private String shown; // of the row, before its fields were cut

    int count;
    int[] starts = new int[64];
    int[] lengths = new int[64];
    boolean[] nulls = new boolean[64];
    boolean[] quoted = new boolean[64];
    long lines; // of the rows so far

    FieldRows(InputStream in, String nullText) {
        this.in = in;
        this.nullText = nullText.getBytes(StandardCharsets.UTF_8);
    }

    enum LineEnd {
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

    /// Whether a field has the text that stands for NULL, and quotes around it.
    boolean isQuotedNull(int field) {
        return quoted[field]
                && Arrays.equals(buffer, starts[field], starts[field] + lengths[field], nullText, 0, nullText.length);
    }

    String text(int field) {
        return new String(buffer, starts[field], lengths[field], StandardCharsets.UTF_8);
    }

    /// The line that the row ends on, from 1.
    long line() {
        return lines;
    }

    /// The row as it is written, or its beginning; null before the first.
    String shown() {
        return shown;
    }

    /// Reads the next row.
    ///
    /// @return false where there is none
    final boolean next() throws IOException {
        if (isFirst) {
            isFirst = false;
            fill(0);
            if (end >= 3 && Arrays.equals(buffer, 0, 3, BYTE_ORDER_MARK, 0, 3)) {
                next = 3;
            }
        }
        shown = null;
        if (isEnded()) {
            in.transferTo(OutputStream.nullOutputStream()); // what is behind the rows' end
            return false;
        }
        if (next == end && (isOver || !fill(next))) {
            return false;
        }
        int rowEnd = rowEnd();
        if (rowEnd < 0) {
            return next();
        }
        shown = shown(next, rowEnd);
        count = 0;
        cut(next, rowEnd);
        next = Math.min(end, rowEnd + separator(rowEnd));
        return true;
    }

    private String shown(int from, int to) {
        int most = Math.min(to, from + MAX_SHOWN);
        while (most < to && most > from && (buffer[most] & 0xC0) == 0x80) {
            most--;
        }
        return new String(buffer, from, most - from, StandardCharsets.UTF_8) + (most < to ? "..." : "");
    }

    /// Whether no row follows, whatever bytes do.
    boolean isEnded() {
        return false;
    }

    private int separator(int at) {
        return at + 1 < end && buffer[at] == '\r' && buffer[at + 1] == '\n' ? 2 : 1;
    }

    /// Where the row that begins at `next` ends; it is all in the buffer then. Less than 0 where none is any more.
    abstract int rowEnd() throws IOException;

    /// Cuts a row into its fields.
    abstract void cut(int from, int to);

    /// Makes room for one more field.
    final void grow() {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
            nulls = Arrays.copyOf(nulls, count * 2);
            quoted = Arrays.copyOf(quoted, count * 2);
        }
    }

    /// Ends a line.
    ///
    /// - Errors: 22P04 where earlier lines ended in another way.
    final int endLine(LineEnd found, int at) {
        lines++;
        lineEnd = lineEnd == null ? found : lineEnd;
        if (found != lineEnd) {
            shown = shown(next, at);
            throw strayEnd(found == LineEnd.NEWLINE);
        }
        return at;
    }

    LineEnd lineEnd() {
        return lineEnd;
    }

    abstract QueryException strayEnd(boolean isNewline);

    /// Moves what is from `from` on to the front, and reads more behind it.
    ///
    /// @return whether there is more
    final boolean fill(int from) throws IOException {
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

    static QueryException wrong(String message) {
        return new QueryException(SqlState.BAD_COPY_FILE_FORMAT, message);
    }
}
