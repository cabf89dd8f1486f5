package dev.quarrel.core.cpu.sort;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// The place in one sorted run where a merge has come to.
final class RunCursor implements AutoCloseable {
    private final int run;
    private final SpillFile file;
    private final List<SpillFile.Chunk> chunks;
    private final int endRow; // of the last chunk
    private final RunKey[] keys;
    private final long[][] words;
    private final ScratchMemory scratch;
    private final Reservation reservation;
    private Batch batch;
    private MemorySegment[] values = new MemorySegment[0];
    private MemorySegment morsels;
    private long head = Long.MAX_VALUE;
    private int nextChunk;
    private int row;
    private int rowCount;

    /// @param keys of the run's rows, which other cursors share
    RunCursor(int run, SpillFile file, RunRange range, RunKey[] keys, MemoryBudget budget) {
        this.run = run;
        this.file = file;
        this.chunks = range.chunks();
        this.endRow = range.endRow();
        this.keys = keys;
        this.words = new long[keys.length][0];
        this.scratch = new ScratchMemory(budget);
        this.reservation = new Reservation(budget);
        boolean done = false;
        try {
            read(range.firstRow());
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private void read(int firstRow) {
        scratch.reset();
        row = firstRow;
        rowCount = 0;
        batch = null;
        if (nextChunk == chunks.size()) {
            head = Long.MAX_VALUE;
            return;
        }
        batch = file.read(chunks.get(nextChunk++), scratch);
        rowCount = nextChunk == chunks.size() ? endRow : batch.rowCount();
        int width = batch.columns().size();
        values = new MemorySegment[width];
        for (int column = 0; column < width; column++) {
            values[column] = batch.column(column) instanceof FixedColumn fixed ? fixed.values() : null;
        }
        morsels = values[width - 1];
        for (int key = 0; key < keys.length; key++) {
            if (words[key].length < rowCount) {
                reservation.growToSpill((rowCount - words[key].length) * 8L);
                words[key] = new long[rowCount];
            }
            keys[key].fill(batch.column(keys[key].output()), rowCount, words[key]);
        }
        head = keys.length == 0 ? 0 : words[0][row];
    }

    int run() {
        return run;
    }

    boolean isAtEnd() {
        return rowCount == 0;
    }

    int row() {
        return row;
    }

    /// The word of the row's first key; at the end no word is greater.
    long head() {
        return head;
    }

    boolean isLastOfChunk() {
        return row == rowCount - 1;
    }

    void advance() {
        if (++row == rowCount) {
            read(0);
        } else if (keys.length > 0) {
            head = words[0][row];
        }
    }

    Column column(int index) {
        return batch.column(index);
    }

    /// Values of a column of fixed width.
    MemorySegment values(int column) {
        return values[column];
    }

    /// Orders the two cursors' rows by the keys, then by their morsels.
    int compare(RunCursor other) {
        for (int key = 0; key < keys.length; key++) {
            long one = words[key][row];
            long two = other.words[key][other.row];
            if (one != two || !keys[key].isExact()) {
                int order = keys[key].compare(
                        batch.column(keys[key].output()),
                        row,
                        one,
                        other.batch.column(keys[key].output()),
                        other.row,
                        two);
                if (order != 0) {
                    return order;
                }
            } else if (keys[key].mayBeNull()) {
                int order = keys[key].compareNulls(
                        batch.column(keys[key].output()), row, other.batch.column(keys[key].output()), other.row);
                if (order != 0) {
                    return order;
                }
            }
        }
        return Integer.compare(morsels.get(INT32, row * 4L), other.morsels.get(INT32, other.row * 4L));
    }

    @Override
    public void close() {
        scratch.close();
        reservation.close();
    }
}
