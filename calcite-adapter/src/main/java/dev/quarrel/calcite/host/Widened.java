package dev.quarrel.calcite.host;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// A batch extended by further columns, which are written row by row and live as long as the resulting batch.
final class Widened {
    private final Batch input;
    private final Schema schema;
    private final PooledMemory memory = new PooledMemory();
    private final List<ColumnWriter> writers = new ArrayList<>();

    /// - Memory: takes `input` over.
    ///
    /// @param schema of the result: the input's columns, then the new ones
    Widened(Batch input, Schema schema) {
        this.input = input;
        this.schema = schema;
        for (int column = input.columns().size(); column < schema.size(); column++) {
            DataType type = schema.type(column);
            writers.add(new ColumnWriter(type, memory, input.rowCount()));
        }
    }

    void append(int newColumn, Object value) {
        writers.get(newColumn).append(value);
    }

    Batch finish() {
        List<Column> columns = new ArrayList<>(input.columns());
        columns.addAll(ColumnWriter.finishAll(writers));
        return Batch.owning(schema, columns, input.rowCount(), () -> {
            memory.close();
            input.close();
        });
    }

    /// Gives everything back after an error.
    void discard() {
        memory.close();
        input.close();
    }
}
