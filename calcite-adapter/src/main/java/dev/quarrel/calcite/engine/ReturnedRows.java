package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.run.BatchJoiner;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Rows that a statement has written, or is to answer with, in memory.
///
/// - Memory: its own, until it is closed or handed to an execution.
final class ReturnedRows implements AutoCloseable {
    private static final int BATCH_ROWS = 1 << 16;
    private static final long BATCH_BYTES = 32L << 20;

    private final Schema schema;
    private final List<Batch> full = new ArrayList<>();
    private BatchJoiner rows; // null for none
    private long rowCount;

    /// @param schema what the rows are: all columns of a table, or those of a result
    ReturnedRows(Schema schema) {
        this.schema = schema;
    }

    long rowCount() {
        return rowCount;
    }

    /// Adds rows, which stay the caller's.
    ///
    /// @param columns that they have; others are NULL
    void add(Batch batch, Schema columns) {
        if (rows == null) {
            rows = new BatchJoiner(schema, batch.rowCount());
        }
        try (PooledMemory memory = new PooledMemory()) {
            List<Column> all = new ArrayList<>();
            List<Field> fields = new ArrayList<>();
            for (Field field : schema.fields()) {
                int index = columns.indexOf(field.name());
                Column column =
                        index >= 0 ? plain(batch.column(index), memory) : nulls(field, batch.rowCount(), memory);
                all.add(column);
                fields.add(new Field(field.name(), column.type(), true));
            }
            rows.add(Batch.view(new Schema(fields), all, batch.rowCount()));
        }
        rowCount += batch.rowCount();
        if (rows.rowCount() >= BATCH_ROWS || rows.byteCount() > BATCH_BYTES) {
            end();
        }
    }

    /// The same for rows of just these columns.
    void add(Batch batch) {
        if (rows == null) {
            rows = new BatchJoiner(schema, batch.rowCount());
        }
        rows.add(batch);
        rowCount += batch.rowCount();
        if (rows.rowCount() >= BATCH_ROWS || rows.byteCount() > BATCH_BYTES) {
            end();
        }
    }

    /// A table in memory has no dictionaries.
    private static Column plain(Column column, PooledMemory memory) {
        if (!(column instanceof DictionaryColumn coded)) {
            return column;
        }
        ColumnWriter writer = new ColumnWriter(column.type(), memory, column.rowCount());
        for (int row = 0; row < column.rowCount(); row++) {
            if (column.validity().isPresent(row)) {
                MemorySegment bytes = coded.dictionary().values().bytes(coded.code(row));
                writer.appendUtf8(bytes, 0, (int) bytes.byteSize());
            } else {
                writer.appendNull();
            }
        }
        return writer.finish();
    }

    private static Column nulls(Field field, int rowCount, PooledMemory memory) {
        ColumnWriter writer = new ColumnWriter(field.type(), memory, rowCount);
        for (int row = 0; row < rowCount; row++) {
            writer.appendNull();
        }
        return writer.finish();
    }

    private void end() {
        if (rows != null) {
            full.add(rows.take());
            rows = null;
        }
    }

    /// All rows of a query; no more than some.
    ///
    /// - Errors: 0A000 for another number of them.
    static ReturnedRows of(ResultCursor query, long wanted) {
        ReturnedRows taken = null;
        boolean isDone = false;
        try (query) {
            for (Batch batch = query.next(); batch != null; batch = query.next()) {
                try (Batch owned = batch) {
                    if (taken == null) {
                        taken = new ReturnedRows(owned.schema());
                    }
                    taken.add(owned);
                }
            }
            taken = taken == null ? new ReturnedRows(query.schema()) : taken;
            if (taken.rowCount() != wanted) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "set-returning functions are not allowed in RETURNING");
            }
            isDone = true;
            return taken;
        } finally {
            if (!isDone && taken != null) {
                taken.close();
            }
        }
    }

    /// The rows; they stay this one's.
    List<Batch> batches() {
        end();
        return List.copyOf(full);
    }

    /// The rows as those of a table; they stay this one's.
    MemoryTable table(String schemaName, String name) {
        end();
        return new MemoryTable(schemaName, name, schema, full);
    }

    /// What answers with them.
    ///
    /// - Memory: takes them over.
    ///
    /// @param columns by index, those to answer with
    Execution execution(String tag, int[] columns) {
        end();
        return new Answer(tag, this, columns);
    }

    @Override
    public void close() {
        full.forEach(Batch::close);
        full.clear();
        if (rows != null) {
            rows.close();
            rows = null;
        }
    }

    private static final class Answer implements Execution, ResultCursor {
        private final String tag;
        private final ReturnedRows rows;
        private final int[] columns;
        private int next;

        Answer(String tag, ReturnedRows rows, int[] columns) {
            this.tag = tag;
            this.rows = rows;
            this.columns = columns;
        }

        @Override
        public ResultCursor cursor() {
            return this;
        }

        @Override
        public Schema schema() {
            return picked(rows.schema);
        }

        private Schema picked(Schema all) {
            List<Field> fields = new ArrayList<>();
            for (int column : columns) {
                fields.add(all.field(column));
            }
            return new Schema(fields);
        }

        @Override
        public Batch next() {
            if (next == rows.full.size()) {
                return null;
            }
            Batch batch = rows.full.get(next++);
            List<Column> picked = new ArrayList<>();
            for (int column : columns) {
                picked.add(batch.column(column));
            }
            return Batch.view(picked(batch.schema()), picked, batch.rowCount());
        }

        @Override
        public String commandTag(long rowCount) {
            return tag;
        }

        @Override
        public void close() {
            rows.close();
        }
    }
}
