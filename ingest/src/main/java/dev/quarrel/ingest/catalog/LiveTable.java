package dev.quarrel.ingest.catalog;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.ingest.table.OpenRows;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/// A table's files, and behind them its rows that are in none yet.
final class LiveTable implements Table {
    private final String schemaName;
    private final String name;
    private final Table files; // null where there are none
    private final OpenRows inMemory;
    private Layout layout; // guarded by this; null before it is asked for, since files may be being opened

    /// @param open the rows in memory, as they stand beside those of the files
    /// @param openColumns for each column which of the open rows' it is
    private record Layout(
            OpenRows open, Schema schema, int fileColumns, int fileBatches, int[] openColumns, TableStats stats) {}

    LiveTable(String schemaName, String name, Table files, OpenRows inMemory) {
        this.schemaName = schemaName;
        this.name = name;
        this.files = files;
        this.inMemory = inMemory;
    }

    private synchronized Layout layout() {
        if (layout == null) {
            layout = makeLayout();
        }
        return layout;
    }

    private Layout makeLayout() {
        List<Field> fields =
                new ArrayList<>(files == null ? List.of() : files.shownSchema().fields());
        int fileColumns = fields.size();
        long fileRows = files == null ? 0 : files.stats().rowCount();
        // Somebody may have given the table other columns than the rows were made for, a moment ago.
        OpenRows open = inMemory.fit(fields) ? inMemory : inMemory.fitted(fields);
        List<Field> openFields = open.rowCount() == 0 ? List.of() : open.fields();
        for (Field field : openFields) {
            int known = new Schema(fields).indexOf(field.name());
            if (known < 0) {
                fields.add(fileRows > 0 ? field.withNullable(true) : field);
            }
        }
        int[] openColumns = new int[fields.size()];
        List<ColumnStats> columns = new ArrayList<>();
        for (int column = 0; column < openColumns.length; column++) {
            Field field = fields.get(column);
            openColumns[column] = open.indexOf(field.name());
            if (openFields.stream().noneMatch(each -> each.name().equals(field.name()))) {
                fields.set(column, field.withNullable(true));
            }
            long distinct =
                    column < fileColumns ? files.stats().columns().get(column).distinctCount() : -1;
            columns.add(new ColumnStats(-1, null, null, distinct));
        }
        return new Layout(
                open,
                new Schema(fields),
                fileColumns,
                files == null ? 0 : files.batchCount(),
                openColumns,
                new TableStats(fileRows + open.rowCount(), columns));
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
        return layout().schema();
    }

    @Override
    public TableStats stats() {
        return layout().stats();
    }

    @Override
    public boolean isOpen() {
        return files == null || files.isOpen();
    }

    @Override
    public void awaitOpen(Runnable check) {
        if (files != null) {
            files.awaitOpen(check);
        }
    }

    @Override
    public QueryException fault() {
        return files == null ? null : files.fault();
    }

    @Override
    public int batchCount() {
        Layout layout = layout();
        return layout.fileBatches() + layout.open().batchCount();
    }

    @Override
    public int batchRows(int batch) {
        Layout layout = layout();
        int fileBatches = layout.fileBatches();
        return batch < fileBatches ? files.batchRows(batch) : layout.open().batchRows(batch - fileBatches);
    }

    @Override
    public ColumnStats batchStats(int batch, int column) {
        Layout layout = layout();
        if (batch >= layout.fileBatches()) {
            return layout.open().stats(batch - layout.fileBatches(), layout.openColumns()[column]);
        }
        return column < layout.fileColumns()
                ? files.batchStats(batch, column)
                : new ColumnStats(files.batchRows(batch), null, null, 0);
    }

    @Override
    public long storedBytes() {
        return files == null ? -1 : files.storedBytes();
    }

    @Override
    public long textBytes(int column) {
        return -1;
    }

    @Override
    public long readBytes(int batch, int[] columns) {
        Layout layout = layout();
        long bytes = 0;
        if (batch >= layout.fileBatches()) {
            for (int column : columns) {
                bytes += layout.open()
                        .madeBytes(
                                batch - layout.fileBatches(),
                                layout.openColumns()[column],
                                layout.schema().type(column));
            }
            return bytes;
        }
        int[] known = known(columns, layout);
        bytes = known.length == 0 ? 0 : files.readBytes(batch, known);
        long rows = files.batchRows(batch);
        for (int column : columns) {
            if (column >= layout.fileColumns()) {
                bytes += (rows + 64) * (Math.max(4, layout.schema().type(column).byteWidth()) + 1) + 256;
            } else if (files.dictionary(column) != null) {
                bytes += 2 * Math.max(0, files.textBytes(column)) + rows * 64;
            }
        }
        return bytes;
    }

    /// The columns that the files have.
    private static int[] known(int[] columns, Layout layout) {
        return Arrays.stream(columns)
                .filter(column -> column < layout.fileColumns())
                .toArray();
    }

    @Override
    public Batch read(int batch, int[] columns) {
        Layout layout = layout();
        Schema schema = new Schema(
                Arrays.stream(columns).mapToObj(layout.schema()::field).toList());
        return batch < layout.fileBatches()
                ? readFile(batch, columns, layout, schema)
                : readOpen(batch - layout.fileBatches(), columns, layout, schema);
    }

    private Batch readOpen(int batch, int[] columns, Layout layout, Schema schema) {
        Made made = new Made();
        try {
            List<Column> read = new ArrayList<>(columns.length);
            for (int column : columns) {
                read.add(layout.open()
                        .column(
                                batch,
                                layout.openColumns()[column],
                                layout.schema().type(column),
                                made));
            }
            Batch result = Batch.owning(schema, read, layout.open().batchRows(batch), made::close);
            made = null;
            return result;
        } finally {
            if (made != null) {
                made.close();
            }
        }
    }

    /// Memory for what stands nowhere: an arena once it is asked for any, since closing one is not cheap.
    private static final class Made implements Allocator {
        private Arena arena;

        @Override
        public MemorySegment allocate(long byteSize) {
            if (arena == null) {
                arena = Arena.ofShared();
            }
            return arena.allocate(byteSize, 8);
        }

        void close() {
            if (arena != null) {
                arena.close();
            }
        }
    }

    private Batch readFile(int batch, int[] columns, Layout layout, Schema schema) {
        Batch stored = files.read(batch, known(columns, layout));
        Made made = new Made();
        Runnable release = () -> {
            stored.close();
            made.close();
        };
        try {
            List<Column> read = new ArrayList<>(columns.length);
            int next = 0;
            for (int column : columns) {
                if (column >= layout.fileColumns()) {
                    read.add(nulls(layout.schema().field(column), stored.rowCount(), made));
                } else {
                    // The open rows have no codes, and so no batch may have.
                    Column known = stored.column(next++);
                    read.add(known instanceof DictionaryColumn coded ? plain(coded, made) : known);
                }
            }
            Batch result = Batch.owning(schema, read, stored.rowCount(), release);
            release = () -> {};
            return result;
        } finally {
            release.run();
        }
    }

    private static Column nulls(Field field, int rowCount, Allocator memory) {
        ColumnWriter writer = new ColumnWriter(field.type(), memory, rowCount);
        for (int row = 0; row < rowCount; row++) {
            writer.appendNull();
        }
        return writer.finish();
    }

    private static Column plain(DictionaryColumn coded, Allocator memory) {
        ColumnWriter writer = new ColumnWriter(coded.type(), memory, coded.rowCount());
        for (int row = 0; row < coded.rowCount(); row++) {
            if (coded.validity().isPresent(row)) {
                var text = coded.dictionary().values().bytes(coded.code(row));
                writer.appendUtf8(text, 0, (int) text.byteSize());
            } else {
                writer.appendNull();
            }
        }
        return writer.finish();
    }

    @Override
    public void preload(BooleanSupplier goesOn) {
        if (files != null) {
            files.preload(goesOn);
        }
    }

    @Override
    public void checkIntact(int batch) {
        if (batch < layout().fileBatches()) {
            files.checkIntact(batch);
        }
    }

    @Override
    public QueryException faultOf(InternalError error) {
        return files == null ? null : files.faultOf(error);
    }
}
