package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Execution;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.List;

/// The execution of a statement whose whole result exists as soon as it is executed: no rows, or a few lines of
/// text.
final class RowsExecution implements Execution {
    private final String tag;
    private final ResultCursor cursor;

    private RowsExecution(String tag, ResultCursor cursor) {
        this.tag = tag;
        this.cursor = cursor;
    }

    static RowsExecution ofTag(String tag) {
        return new RowsExecution(tag, null);
    }

    /// @param rows text, column by column of `names`
    static RowsExecution ofText(String tag, List<String> names, List<List<String>> rows) {
        Schema schema = new Schema(
                names.stream().map(name -> new Field(name, DataType.UTF8, true)).toList());
        return new RowsExecution(tag, new TextRows(schema, rows));
    }

    @Override
    public ResultCursor cursor() {
        return cursor;
    }

    @Override
    public String commandTag(long rowCount) {
        return tag;
    }

    @Override
    public void close() {
        if (cursor != null) {
            cursor.close();
        }
    }

    private static final class TextRows implements ResultCursor {
        private final Schema schema;
        private final List<List<String>> rows;
        private boolean isDone;

        TextRows(Schema schema, List<List<String>> rows) {
            this.schema = schema;
            this.rows = rows;
        }

        @Override
        public Schema schema() {
            return schema;
        }

        @Override
        public Batch next() {
            if (isDone || rows.isEmpty()) {
                return null;
            }
            isDone = true;
            PooledMemory memory = new PooledMemory();
            List<ColumnWriter> writers = schema.fields().stream()
                    .map(field -> new ColumnWriter(field.type(), memory))
                    .toList();
            for (List<String> row : rows) {
                for (int column = 0; column < writers.size(); column++) {
                    writers.get(column).append(row.get(column));
                }
            }
            return Batch.owning(schema, ColumnWriter.finishAll(writers), rows.size(), memory::close);
        }

        @Override
        public void close() {
            isDone = true;
        }
    }
}
