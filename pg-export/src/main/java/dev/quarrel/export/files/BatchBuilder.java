package dev.quarrel.export.files;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.snapshot.RowRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A batch that grows row by row.
///
/// - Memory: owns its buffers. Touched by one thread at a time; a leftover passes to whoever merges it.
public final class BatchBuilder implements AutoCloseable {
    private static final int FIRST_ROWS = 1024;
    private static final int SAMPLE_ROWS = 4096;
    private static final double SPARE = 1.0 / 16;
    private static final long SMALL_BYTES = 1 << 20; // of first buffers, however many columns there are
    private static final int MAX_EXPECTED_ROWS = 1 << 28;

    private static final int ROW_BITS = 40;

    private final Schema schema;
    private final Set<String> coded;
    private final long batchBytes;
    private final BufferPool memory = new BufferPool();
    private final ColumnWriter[] writers;
    private int expectedRows;
    private boolean isForeseen;
    private long sequence = Long.MAX_VALUE;

    /// @param coded text columns to keep as codes
    /// @param batchBytes how large batches become
    /// @param expectedRows no more rows come, if an estimate is right; the builder grows beyond it
    public BatchBuilder(Schema schema, Set<String> coded, long batchBytes, long expectedRows) {
        this.schema = schema;
        this.coded = coded;
        this.batchBytes = batchBytes;
        this.expectedRows = Math.clamp(expectedRows, FIRST_ROWS, MAX_EXPECTED_ROWS);
        this.writers = new ColumnWriter[schema.size()];
        begin();
    }

    private void begin() {
        for (int column = 0; column < writers.length; column++) {
            writers[column] = coded.contains(schema.field(column).name())
                    ? ColumnWriter.coded(schema.type(column), memory, FIRST_ROWS)
                    : new ColumnWriter(schema.type(column), memory, FIRST_ROWS);
        }
        isForeseen = false;
    }

    /// Once some rows have shown how large they are, makes room for as many as the batch will have: buffers
    /// that doubled on the way there would take half as much again.
    public void foresee() {
        int rowCount = rowCount();
        if (isForeseen || rowCount < SAMPLE_ROWS) {
            return;
        }
        isForeseen = true;
        double rows = Math.min(expectedRows, (double) batchBytes / Math.max(1, byteCount()) * rowCount);
        int target = (int) Math.min(MAX_EXPECTED_ROWS, rows * (1 + SPARE) + SAMPLE_ROWS);
        if (target > rowCount) {
            for (ColumnWriter writer : writers) {
                writer.foresee(target, (double) target / rowCount);
            }
        }
    }

    /// Whether the rows are to be written: they are many enough, or their buffers have grown beyond what a
    /// batch may take.
    public boolean isFull() {
        return byteCount() >= batchBytes || memory.byteCount() > largestBytes() && rowCount() > 0;
    }

    /// Bytes that the builder has taken of the system.
    public long memoryBytes() {
        return memory.byteCount();
    }

    private long largestBytes() {
        return batchBytes + batchBytes / 4 + SMALL_BYTES;
    }

    public ColumnWriter[] writers() {
        return writers;
    }

    /// The place of a row in its table: by range, then by row within it.
    ///
    /// @param row of the range, from 0
    static long sequence(RowRange range, long row) {
        return (long) range.index() << ROW_BITS | row;
    }

    /// Notes where the batch belongs in the file: at the place of its first row.
    void beginAt(long place) {
        if (rowCount() == 0) {
            sequence = place;
        }
    }

    /// Says how many rows come before the next batch ends, at most. There are none yet.
    void expect(long rows) {
        if (memory.byteCount() > batchBytes / 2) {
            memory.release(); // buffers of the sizes that other batches had
            begin();
        }
        expectedRows = Math.clamp(rows, FIRST_ROWS, MAX_EXPECTED_ROWS);
    }

    long sequence() {
        return sequence;
    }

    int rowCount() {
        return writers[0].rowCount();
    }

    /// Forgets the last rows, down to `rowCount`.
    void truncate(int rowCount) {
        for (ColumnWriter writer : writers) {
            writer.truncate(rowCount);
        }
    }

    public long byteCount() {
        long bytes = 0;
        for (ColumnWriter writer : writers) {
            bytes += writer.byteCount();
        }
        return bytes;
    }

    /// The rows so far as a batch; closing it makes the builder ready for the next ones, with buffers as large.
    public Batch take() {
        int rowCount = rowCount();
        List<Column> columns = new ArrayList<>(writers.length);
        for (ColumnWriter writer : writers) {
            columns.add(writer.finish());
        }
        return Batch.owning(schema, columns, rowCount, () -> {
            if (memory.byteCount() > largestBytes()) {
                memory.release(); // buffers of other sizes than the next batch's
            } else {
                memory.reclaim();
            }
            expectedRows = MAX_EXPECTED_ROWS; // the estimate has nothing to say of the next batch
            begin();
            sequence = Long.MAX_VALUE;
        });
    }

    @Override
    public void close() {
        memory.close();
    }
}
