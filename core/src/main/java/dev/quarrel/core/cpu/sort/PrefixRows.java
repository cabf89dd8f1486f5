package dev.quarrel.core.cpu.sort;

/// Counts the rows of the first morsels, in the order in which morsels are given out and without a gap: once
/// there are enough rows, no further morsel matters. Threads share it.
public final class PrefixRows {
    private final long wanted;
    private final long[] rows; // by place, -1 for a morsel that has not ended
    private int settled;
    private long settledRows;
    private volatile boolean isReached;

    public PrefixRows(int morselCount, long wanted) {
        this.wanted = wanted;
        this.rows = new long[morselCount];
        java.util.Arrays.fill(rows, -1);
    }

    /// Says that the morsel at a place has ended.
    public synchronized void ended(int place, long rowCount) {
        rows[place] = rowCount;
        while (settled < rows.length && rows[settled] >= 0) {
            settledRows += rows[settled++];
        }
        isReached |= settledRows >= wanted;
    }

    public boolean isReached() {
        return isReached;
    }
}
