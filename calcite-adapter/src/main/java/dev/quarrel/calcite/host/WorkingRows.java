package dev.quarrel.calcite.host;

import dev.quarrel.calcite.lower.PipelineEmitter;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.run.BatchBytes;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
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
    private QueryException failure;

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

    /// A table of one batch.
    ///
    /// - Memory: takes the batch over.
    static WorkingRows holding(Batch batch) {
        List<Column> columns = new ArrayList<>();
        PooledMemory memory = new PooledMemory();
        for (Column column : batch.columns()) {
            // A table's column is coded in all batches or in none.
            columns.add(column instanceof DictionaryColumn codes ? decoded(codes, memory) : column);
        }
        Schema schema = HostRun.numbered(columns.stream().map(Column::type).toList());
        WorkingRows rows = new WorkingRows(schema, null);
        Batch held = Batch.owning(schema, columns, batch.rowCount(), () -> {
            memory.close();
            batch.close();
        });
        rows.batches.add(new Held(held, new AtomicInteger(1)));
        return rows;
    }

    private static Column decoded(DictionaryColumn codes, PooledMemory memory) {
        ColumnWriter writer = new ColumnWriter(codes.type(), memory, codes.rowCount());
        for (int row = 0; row < codes.rowCount(); row++) {
            CellCopy.append(writer, codes, row);
        }
        return writer.finish();
    }

    /// Copies all rows of a cursor, or those that come before it fails: whoever wants no more than these never sees
    /// the error.
    ///
    /// @param seen leaves out rows that it has, or null to take all
    static WorkingRows of(ResultCursor rows, Schema schema, SeenRows seen, HostRun run) {
        WorkingRows made = new WorkingRows(schema, run.budget());
        try {
            made.copy(rows, seen, run);
        } catch (QueryException problem) {
            made.failure = problem;
        } catch (RuntimeException | Error problem) {
            made.close();
            throw problem;
        }
        return made;
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

    /// - Errors: the one with which the rows ended.
    void requireWhole() {
        if (failure != null) {
            throw failure;
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
        if (reserved > 0) {
            budget.release(reserved);
            reserved = 0;
        }
    }
}
