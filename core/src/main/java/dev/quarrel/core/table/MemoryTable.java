package dev.quarrel.core.table;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// A table over batches that are already in memory: catalog tables, VALUES, tests.
///
/// - Memory: it borrows the batches; whoever made them keeps them open as long as the table is in use.
public final class MemoryTable implements Table {
    private final String schemaName;
    private final String name;
    private final Schema schema;
    private final List<Batch> batches;
    private final TableStats stats;
    private final List<UniqueKey> uniqueKeys;

    public MemoryTable(String schemaName, String name, Schema schema, List<Batch> batches) {
        this(schemaName, name, schema, batches, List.of());
    }

    private MemoryTable(
            String schemaName, String name, Schema schema, List<Batch> batches, List<UniqueKey> uniqueKeys) {
        this.uniqueKeys = List.copyOf(uniqueKeys);
        this.schemaName = schemaName;
        this.name = name;
        this.schema = schema;
        this.batches = List.copyOf(batches);
        long rowCount = 0;
        for (Batch batch : batches) {
            if (!types(batch.schema()).equals(types(schema))) {
                throw new IllegalArgumentException("a batch of " + batch.schema() + " in table " + name + schema);
            }
            rowCount += batch.rowCount();
        }
        List<ColumnStats> columns = new ArrayList<>();
        for (int index = 0; index < schema.size(); index++) {
            columns.add(ColumnStats.UNKNOWN);
        }
        this.stats = new TableStats(rowCount, columns);
    }

    /// The same rows, of which the keys hold.
    public MemoryTable withUniqueKeys(List<UniqueKey> keys) {
        return new MemoryTable(schemaName, name, schema, batches, keys);
    }

    @Override
    public List<UniqueKey> uniqueKeys() {
        return uniqueKeys;
    }

    private static List<Object> types(Schema schema) {
        return schema.fields().stream().<Object>map(Field::type).toList();
    }

    @Override
    public String schemaName() {
        return schemaName;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public TableStats stats() {
        return stats;
    }

    @Override
    public int batchCount() {
        return batches.size();
    }

    @Override
    public int batchRows(int batch) {
        return batches.get(batch).rowCount();
    }

    @Override
    public Batch read(int batch, int[] columns) {
        Batch source = batches.get(batch);
        List<Field> fields = new ArrayList<>(columns.length);
        List<Column> views = new ArrayList<>(columns.length);
        for (int column : columns) {
            fields.add(schema.field(column));
            views.add(source.column(column));
        }
        return Batch.view(new Schema(fields), views, source.rowCount());
    }
}
