package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.ElementFields;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/// A table with one more column, the last one and hidden: where each row lies, as [FoundRows] reads it.
final class NumberedTable implements Table {
    private final ArrowTable table;
    private final Schema schema;
    private final TableStats stats;
    private final int number; // of the column

    NumberedTable(ArrowTable table) {
        this.table = table;
        this.number = table.schema().size();
        List<Field> fields = new ArrayList<>(table.schema().fields());
        fields.add(FoundRows.FIELD);
        this.schema = new Schema(fields);
        List<ColumnStats> columns = new ArrayList<>(table.stats().columns());
        columns.add(ColumnStats.UNKNOWN);
        this.stats = new TableStats(table.stats().rowCount(), columns);
    }

    @Override
    public String schemaName() {
        return table.schemaName();
    }

    @Override
    public String name() {
        return table.name();
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public int hiddenColumns() {
        return table.hiddenColumns() + 1;
    }

    @Override
    public TableStats stats() {
        return stats;
    }

    @Override
    public List<Integer> sortedBy() {
        return table.sortedBy();
    }

    @Override
    public List<UniqueKey> uniqueKeys() {
        return table.uniqueKeys();
    }

    @Override
    public List<ColumnDefault> defaults() {
        return table.defaults();
    }

    @Override
    public int fileCount() {
        return table.fileCount();
    }

    @Override
    public int fileOf(int batch) {
        return table.fileOf(batch);
    }

    @Override
    public long fileBytes(int file) {
        return table.fileBytes(file);
    }

    @Override
    public String fileName(int file) {
        return table.fileName(file);
    }

    @Override
    public int batchCount() {
        return table.batchCount();
    }

    @Override
    public int batchRows(int batch) {
        return table.batchRows(batch);
    }

    @Override
    public ColumnStats batchStats(int batch, int column) {
        return column == number ? ColumnStats.UNKNOWN : table.batchStats(batch, column);
    }

    @Override
    public Dictionary dictionary(int column) {
        return column == number ? null : table.dictionary(column);
    }

    @Override
    public long storedBytes() {
        return table.storedBytes();
    }

    @Override
    public long textBytes(int column) {
        return column == number ? -1 : table.textBytes(column);
    }

    @Override
    public long readBytes(int batch, int[] columns) {
        int[] stored = stored(columns);
        long own = stored.length < columns.length ? (long) batchRows(batch) * Long.BYTES : 0;
        return table.readBytes(batch, stored) + own;
    }

    private int[] stored(int[] columns) {
        return Arrays.stream(columns).filter(column -> column != number).toArray();
    }

    @Override
    public Table elements(String column, boolean isOuter) {
        return table.elements(column, isOuter);
    }

    @Override
    public ElementFields elementFields(String column) {
        return table.elementFields(column);
    }

    @Override
    public Batch read(int batch, int[] columns) {
        int[] stored = stored(columns);
        Batch read = table.read(batch, stored);
        if (stored.length == columns.length) {
            return read;
        }
        OwnedMemory memory = new OwnedMemory();
        boolean isDone = false;
        try {
            MemorySegment numbers = memory.allocate((long) batchRows(batch) * Long.BYTES);
            table.numberRows(batch, numbers);
            List<Field> fields = new ArrayList<>();
            List<Column> views = new ArrayList<>();
            int[] places = new int[columns.length];
            int next = 0;
            for (int index = 0; index < columns.length; index++) {
                fields.add(schema.field(columns[index]));
                if (columns[index] == number) {
                    views.add(new FixedColumn(DataType.INT64, batchRows(batch), numbers, Validity.allPresent()));
                } else {
                    places[index] = next++;
                    views.add(read.made(places[index]));
                }
            }
            Batch made =
                    Batch.lazy(new Schema(fields), views, place -> read.column(places[place]), batchRows(batch), () -> {
                        read.close();
                        memory.close();
                    });
            isDone = true;
            return made;
        } finally {
            if (!isDone) {
                read.close();
                memory.close();
            }
        }
    }

    @Override
    public void preload(BooleanSupplier goesOn) {
        table.preload(goesOn);
    }

    @Override
    public void checkIntact(int batch) {
        table.checkIntact(batch);
    }

    @Override
    public QueryException faultOf(InternalError error) {
        return table.faultOf(error);
    }
}
