package dev.quarrel.export;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// The rows of one table that one worker has read and not written yet.
///
/// - Memory: owns its buffers. Touched by one thread at a time; a leftover passes to whoever merges it.
final class BatchBuilder implements AutoCloseable {
    private static final int FIRST_ROWS = 1024;
    private static final int MAX_EXPECTED_ROWS = 1 << 28;

    private final Schema schema;
    private final BufferPool memory = new BufferPool();
    private ColumnWriter[] writers;
    private long sequence = Long.MAX_VALUE;

    /// @param expectedRows how many rows to make room for at first; the builder grows beyond it
    BatchBuilder(Schema schema, long expectedRows) {
        this.schema = schema;
        this.writers = writers(Math.clamp(expectedRows, FIRST_ROWS, MAX_EXPECTED_ROWS));
    }

    private ColumnWriter[] writers(int expectedRows) {
        ColumnWriter[] fresh = new ColumnWriter[schema.size()];
        for (int column = 0; column < fresh.length; column++) {
            fresh[column] = new ColumnWriter(schema.type(column), memory, expectedRows);
        }
        return fresh;
    }

    ColumnWriter[] writers() {
        return writers;
    }

    /// Notes where the batch belongs in the file: at the place of its first rows.
    void beginAt(long newSequence) {
        if (rowCount() == 0) {
            sequence = newSequence;
        }
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

    long byteCount() {
        long bytes = 0;
        for (ColumnWriter writer : writers) {
            bytes += writer.byteCount();
        }
        return bytes;
    }

    /// The rows so far as a batch; closing it makes the builder ready for the next ones, with buffers as large.
    Batch take() {
        int rowCount = rowCount();
        List<Column> columns = new ArrayList<>(writers.length);
        for (ColumnWriter writer : writers) {
            columns.add(writer.finish());
        }
        return Batch.owning(schema, columns, rowCount, () -> {
            memory.reclaim();
            // A little more than before, or the last few rows would double every buffer.
            writers = writers(Math.clamp(rowCount + rowCount / 16L, FIRST_ROWS, MAX_EXPECTED_ROWS));
            sequence = Long.MAX_VALUE;
        });
    }

    @Override
    public void close() {
        memory.close();
    }
}
