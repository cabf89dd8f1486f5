package dev.quarrel.core.csv;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;

/// Finds where rows end, and hands them out in blocks that others cut into fields. Lines end as the first one does.
///
/// - Errors: `QueryException` 22P04 with PostgreSQL's messages, 54000 for a row above 1 GiB: with the block, since rows
///   before may have errors of their own.
/// - Threads: one; blocks may be given back by any.
abstract sealed class RowScanner permits CsvScanner, TextScanner {
    /// Where a row's end is not among the bytes read so far.
    static final int BEYOND = -1;
    /// Where no row follows, whatever bytes do.
    static final int NONE = -2;

    private static final int BLOCK_BYTES = 1 << 20;
    private static final int MAX_ROW_BYTES = 1 << 30;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final String name;
    private final InputStream in;
    private final ConcurrentLinkedQueue<byte[]> spare = new ConcurrentLinkedQueue<>();
    private boolean isBegun;
    private boolean hasEnded;
    private LineEnd lineEnd; // that of the first line; null before
    private String shown; // of the row that is wrong

    byte[] buffer;
    int rowStart;
    int at; // up to where the row's end was looked for
    int end;
    boolean isOver; // no bytes follow
    long lines; // of the rows so far

    /// @param name for messages
    RowScanner(String name, InputStream in) {
        this.name = name;
        this.in = in;
        int known = in instanceof ByteArrayInputStream few ? few.available() : BLOCK_BYTES;
        this.buffer = new byte[Math.min(known + 1, BLOCK_BYTES)]; // room for the end to be seen
    }

    enum LineEnd {
        NEWLINE,
        RETURN,
        BOTH
    }

    /// The next rows, at most so many, and of 1 MiB unless a single one has more; null where there are none.
    final RowBlock next(int maxRows) throws IOException {
        RowBlock block = new RowBlock(lines);
        try {
            begin();
            scan(block, maxRows);
        } catch (QueryException wrong) {
            hasEnded = true;
            block.fail(wrong.context() == null ? wrong.withContext(place()) : wrong);
        }
        if (block.count() == 0 && block.fault() == null) {
            return null;
        }
        block.complete(buffer, end);
        keepRest();
        return block;
    }

    private String place() {
        return name + ", line " + lines + (shown == null ? "" : ": \"" + shown + "\"");
    }

    /// Whether there is nothing more.
    final boolean hasEnded() {
        return hasEnded || isOver && rowStart == end;
    }

    /// Takes the bytes of a block that nobody reads any more, to read others into them.
    final void giveBack(RowBlock block) {
        if (block.bytes().length == BLOCK_BYTES) {
            spare.add(block.bytes());
        }
    }

    private void begin() throws IOException {
        if (isBegun) {
            return;
        }
        isBegun = true;
        do {
            fill();
        } while (!isOver && end < BYTE_ORDER_MARK.length && buffer[0] == BYTE_ORDER_MARK[0]);
        int length = BYTE_ORDER_MARK.length;
        boolean isMarked = end >= length && Arrays.equals(buffer, 0, length, BYTE_ORDER_MARK, 0, length);
        rowStart = isMarked ? length : 0;
        at = rowStart;
    }

    private void scan(RowBlock block, int maxRows) throws IOException {
        while (block.count() < maxRows && !hasEnded()) {
            int rowEnd = rowStart == end ? BEYOND : rowEnd();
            if (rowEnd == BEYOND) {
                if (block.count() > 0 && end >= BLOCK_BYTES) {
                    return;
                }
                fill();
            } else if (rowEnd == NONE) {
                hasEnded = true;
                in.transferTo(OutputStream.nullOutputStream());
            } else {
                block.add(rowStart, rowEnd, lines);
                rowStart = Math.min(end, rowEnd + separator(rowEnd));
                at = rowStart;
            }
        }
    }

    private int separator(int rowEnd) {
        return rowEnd + 1 < end && buffer[rowEnd] == '\r' && buffer[rowEnd + 1] == '\n' ? 2 : 1;
    }

    /// Reads more.
    private void fill() throws IOException {
        if (end == buffer.length) {
            if (end - rowStart > MAX_ROW_BYTES) {
                throw new QueryException(
                        SqlState.PROGRAM_LIMIT_EXCEEDED, "line " + (lines + 1) + " has more than 1 GiB");
            }
            byte[] larger = new byte[Math.multiplyExact(2, buffer.length)];
            System.arraycopy(buffer, 0, larger, 0, end);
            buffer = larger;
        }
        int read = in.read(buffer, end, Math.min(buffer.length - end, BLOCK_BYTES));
        isOver = read <= 0;
        end += Math.max(read, 0);
    }

    /// Moves what follows a block to an array that is not the block's.
    private void keepRest() {
        int rest = hasEnded ? 0 : end - rowStart;
        boolean isMore = rest > 0 || !isOver;
        byte[] next = rest <= BLOCK_BYTES && isMore ? spare.poll() : null;
        if (next == null) {
            next = new byte[isMore ? Math.max(rest, BLOCK_BYTES) : 0];
        }
        System.arraycopy(buffer, rowStart, next, 0, rest);
        buffer = next;
        at -= rowStart;
        end = rest;
        rowStart = 0;
    }

    /// Looks on from `at` for where the row that begins at `rowStart` ends. There is a byte of it at least.
    ///
    /// @return the place of the line's end, or of that of all bytes; `BEYOND`, which it is not if `isOver`; or
    /// `NONE`
    abstract int rowEnd();

    /// Ends a line.
    ///
    /// - Errors: 22P04 where earlier lines ended in another way.
    final int endLine(LineEnd found, int place) {
        lines++;
        lineEnd = lineEnd == null ? found : lineEnd;
        if (found != lineEnd) {
            throw strayEnd(found == LineEnd.NEWLINE);
        }
        return place;
    }

    /// Has messages show the row as far as it has been read.
    final void showRow() {
        shown = RowFields.shown(buffer, rowStart, end);
    }

    abstract QueryException strayEnd(boolean isNewline);

    static QueryException wrong(String message) {
        return new QueryException(SqlState.BAD_COPY_FILE_FORMAT, message);
    }
}
