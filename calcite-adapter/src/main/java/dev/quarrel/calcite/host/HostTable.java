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
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// The rows that a host node produced, held in memory for the pipelines that read them.
///
/// - Memory: it owns its batches and their accounting until `close`.
final class HostTable implements AutoCloseable {
    private final PooledMemory memory = new PooledMemory();
    private final List<Batch> batches = new ArrayList<>();
    private final MemoryBudget budget;
    private final Schema schema;
    private long reserved;

    private HostTable(MemoryBudget budget, List<DataType> types) {
        this.budget = budget;
        List<Field> fields = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            fields.add(new Field(Integer.toString(index), types.get(index), true));
        }
        this.schema = new Schema(fields);
    }

    /// Reads all rows.
    ///
    /// - Errors: those of the cursor; 53200 when they do not fit the budget.
    static HostTable of(ResultCursor rows, List<DataType> types, MemoryBudget budget) {
        HostTable table = new HostTable(budget, types);
        try {
            for (Batch batch = rows.next(); batch != null; batch = rows.next()) {
                table.transfer(batch);
            }
            return table;
        } catch (RuntimeException | Error problem) {
            table.close();
            throw problem;
        }
    }

    private void transfer(Batch batch) {
        batches.add(batch);
        List<Column> columns = new ArrayList<>();
        for (Column column : batch.columns()) {
            // A table's column is coded in all batches or in none; what comes here is mixed.
            columns.add(column instanceof DictionaryColumn codes ? decoded(codes) : column);
        }
        long bytes = columns.stream().mapToLong(BatchBytes::of).sum();
        budget.reserve(bytes);
        reserved += bytes;
        batches.set(batches.size() - 1, Batch.owning(schema, columns, batch.rowCount(), batch::close));
    }

    private Column decoded(DictionaryColumn codes) {
        ColumnWriter writer = new ColumnWriter(codes.type(), memory, codes.rowCount());
        for (int row = 0; row < codes.rowCount(); row++) {
            writer.append(HostCells.read(codes, row));
        }
        return writer.finish();
    }

    /// The rows as a table named by a number.
    Table table(int number) {
        return new MemoryTable(PipelineEmitter.HOST_SCHEMA, Integer.toString(number), schema, batches);
    }

    @Override
    public void close() {
        batches.forEach(Batch::close);
        batches.clear();
        budget.release(reserved);
        reserved = 0;
        memory.close();
    }
}
