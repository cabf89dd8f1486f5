package dev.quarrel.calcite.host;

import dev.quarrel.calcite.lower.PipelineEmitter;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.run.BatchBytes;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// The rows of one round of a recursive query: the next round reads them as a table, and they are given out as a part
/// of the query's result.
///
/// - Memory: it holds copies; a batch's memory is freed when the table is closed and nobody else holds the batch.
final class WorkingRows implements AutoCloseable {
    private static final int BATCH_ROWS = 4096;
    private static final int CHECK_ROWS = 1024;

    private final Schema schema;
    private final MemoryBudget budget;
    private final List<Held> batches = new ArrayList<>();
    private long reserved;

    private WorkingRows(Schema schema, MemoryBudget budget) {
        this.schema = schema;
        this.budget = budget;
    }

    /// A batch that several may hold: the last one to close it frees its memory.
    private record Held(Batch batch, AtomicInteger holders) {
        Batch share(Schema schema) {
            holders.incrementAndGet();
            return Batch.owning(schema, batch.columns(), batch.rowCount(), this::release);
        }

        void release() {
            if (holders.decrementAndGet() == 0) {
                batch.close();
            }
        }
    }

    /// Copies all rows of a cursor.
    ///
    /// - Errors: those of the cursor; 53200 when they do not fit the budget.
    ///
    /// @param seen leaves out rows that it has, or null to take all
    static WorkingRows of(ResultCursor rows, Schema schema, SeenRows seen, HostRun run) {
        WorkingRows made = new WorkingRows(schema, run.budget());
        try {
            made.copy(rows, seen, run);
            return made;
        } catch (RuntimeException | Error problem) {
            made.close();
            throw problem;
        }
    }

    private void copy(ResultCursor rows, SeenRows seen, HostRun run) {
        int[] wanted = new int[BATCH_ROWS];
        for (Batch batch = rows.next(); batch != null; batch = rows.next()) {
            try (Batch owned = batch) {
                int row = 0;
                while (row < owned.rowCount()) {
                    int count = 0;
                    while (row < owned.rowCount() && count < BATCH_ROWS) {
                        if (row % CHECK_ROWS == 0) {
                            run.check();
                        }
                        if (seen == null || seen.add(owned, row)) {
                            wanted[count++] = row;
                        }
                        row++;
                    }
                    if (count > 0) {
                        add(owned, wanted, count);
                    }
                }
            }
        }
    }

    private void add(Batch source, int[] rows, int count) {
        PooledMemory memory = new PooledMemory();
        try {
            List<ColumnWriter> writers = new ArrayList<>();
            for (int column = 0; column < schema.size(); column++) {
                ColumnWriter writer = new ColumnWriter(schema.type(column), memory, count);
                CellCopy.append(writer, source.column(column), rows, count);
                writers.add(writer);
            }
            Batch batch = Batch.owning(schema, ColumnWriter.finishAll(writers), count, memory::close);
            long bytes = BatchBytes.of(batch);
            budget.reserve(bytes);
            reserved += bytes;
            batches.add(new Held(batch, new AtomicInteger(1)));
        } catch (RuntimeException | Error problem) {
            memory.close();
            throw problem;
        }
    }

    int batchCount() {
        return batches.size();
    }

    /// A batch of its own for the caller, over the same memory.
    Batch share(int index, Schema named) {
        return batches.get(index).share(named);
    }

    /// The rows as a table named by a number.
    Table table(int number) {
        return new MemoryTable(
                PipelineEmitter.HOST_SCHEMA,
                Integer.toString(number),
                schema,
                batches.stream().map(Held::batch).toList());
    }

    @Override
    public void close() {
        batches.forEach(Held::release);
        batches.clear();
        budget.release(reserved);
        reserved = 0;
    }
}
