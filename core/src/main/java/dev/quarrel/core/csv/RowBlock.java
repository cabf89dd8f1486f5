package dev.quarrel.core.csv;

import dev.quarrel.core.type.QueryException;
import java.util.Arrays;

/// Whole rows as they are written, which stand one after another in an array of bytes.
public final class RowBlock {
    private static final int FIRST_ROWS = 1 << 10;

    private final long linesBefore;
    private byte[] bytes;
    private int limit;
    private int[] starts = new int[FIRST_ROWS];
    private int[] ends = new int[FIRST_ROWS];
    private int[] lines = new int[FIRST_ROWS];
    private int count;
    private QueryException fault;

    /// @param linesBefore of the rows before these
    public RowBlock(long linesBefore) {
        this.linesBefore = linesBefore;
    }

    /// @param line that the row is said to be on, from 1
    public void add(int start, int end, long line) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
            ends = Arrays.copyOf(ends, count * 2);
            lines = Arrays.copyOf(lines, count * 2);
        }
        starts[count] = start;
        ends[count] = end;
        lines[count++] = (int) (line - linesBefore);
    }

    /// @param to where the bytes end that have been read
    public void complete(byte[] all, int to) {
        bytes = all;
        limit = to;
    }

    /// Where a row's line ends, with what ends it but for a second byte of that.
    int lineEnd(int row) {
        return Math.min(ends[row] + 1, limit);
    }

    /// What is wrong behind the rows.
    public void fail(QueryException wrong) {
        fault = wrong;
    }

    public int count() {
        return count;
    }

    /// Of all rows, with what stands between them.
    int byteCount() {
        return count == 0 ? 0 : ends[count - 1] - starts[0];
    }

    public byte[] bytes() {
        return bytes;
    }

    public int start(int row) {
        return starts[row];
    }

    public int end(int row) {
        return ends[row];
    }

    /// Whether there is nothing on a row's line.
    boolean isEmpty(int row) {
        return starts[row] == ends[row];
    }

    /// The line that a row is on: of CSV the one that it ends on, from 1.
    public long line(int row) {
        return linesBefore + lines[row];
    }

    /// Null where nothing is.
    public QueryException fault() {
        return fault;
    }
}
