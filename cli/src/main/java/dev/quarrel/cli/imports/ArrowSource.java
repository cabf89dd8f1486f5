package dev.quarrel.cli.imports;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.arrow.NullColumn;
import dev.quarrel.core.arrow.Storage;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.NamedTable;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Schema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/// An Arrow file or stream, which stays open until the last of its batches is closed, too.
public final class ArrowSource implements ImportSource {
    private static final String NAME = "file";

    private final DatasetCatalog catalog;
    private final CatalogSnapshot snapshot;
    private final Table table;
    private final Schema schema;
    private final int[] flat; // the columns that are read as they are
    private final Map<String, NestedType> nested = new HashMap<>();
    private final Set<String> untyped = new HashSet<>();
    private final AtomicInteger users = new AtomicInteger(1); // this one and its batches
    private ArrowFile file; // null where there are no lists, structs or maps
    private int batch;
    private boolean isClosed;

    /// - Errors: `QueryException` for a file that cannot be read.
    public ArrowSource(Path path) {
        NamedTable named = NamedTable.ofFile(DatasetCatalog.DEFAULT_SCHEMA, NAME, path);
        this.catalog = DatasetCatalog.open(null, null, SpillFolder.defaultParent(), List.of(named));
        this.snapshot = catalog.snapshot();
        this.table = snapshot.table(DatasetCatalog.DEFAULT_SCHEMA, NAME);
        boolean isOpen = false;
        try {
            table.awaitOpen(() -> {});
            if (table.fault() != null) {
                throw table.fault();
            }
            this.schema =
                    new Schema(table.schema().fields().subList(0, table.schema().size() - table.hiddenColumns()));
            openNested(path);
            this.flat = IntStream.range(0, schema.size())
                    .filter(column -> !nested.containsKey(schema.field(column).name()))
                    .toArray();
            isOpen = true;
        } finally {
            if (!isOpen) {
                close();
            }
        }
    }

    private void openNested(Path path) {
        file = ArrowFile.open(path);
        for (int column = 0; column < file.schema().size(); column++) {
            if (file.storage(column) instanceof Storage.AllNull) {
                untyped.add(file.schema().field(column).name());
            }
            NestedType type = file.nestedType(column);
            if (type != null) {
                nested.put(file.schema().field(column).name(), type);
            }
        }
        if (nested.isEmpty()) {
            file.close();
            file = null;
        }
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Map<String, NestedType> nested() {
        return Map.copyOf(nested);
    }

    @Override
    public Set<String> untyped() {
        return Set.copyOf(untyped);
    }

    @Override
    public Batch next() {
        if (batch == table.batchCount()) {
            return null;
        }
        Batch read = table.read(batch, flat);
        users.incrementAndGet();
        Batch owned = read.andThen(this::letGo);
        Batch all = nested.isEmpty() ? owned : withNested(owned);
        batch++;
        return all;
    }

    /// @param read the other columns; the new batch's, also when this fails
    private Batch withNested(Batch read) {
        PooledMemory memory = new PooledMemory();
        boolean isMade = false;
        try {
            List<Column> columns = new ArrayList<>();
            NestedColumn[] takenApart = new NestedColumn[schema.size()];
            for (int column = 0; column < schema.size(); column++) {
                String name = schema.field(column).name();
                if (nested.containsKey(name)) {
                    takenApart[column] = file.nested(file.pieces().get(batch), file.columnIndex(name), memory);
                    columns.add(NullColumn.textsFor(takenApart[column], memory));
                } else {
                    columns.add(read.column(Arrays.binarySearch(flat, column)));
                }
            }
            Batch all = Batch.owning(schema, columns, read.rowCount(), () -> {
                read.close();
                memory.close();
            });
            isMade = true;
            return Batch.nested(all, takenApart);
        } finally {
            if (!isMade) {
                read.close();
                memory.close();
            }
        }
    }

    private void letGo() {
        if (users.decrementAndGet() == 0) {
            try (ArrowFile _ = file) {
                snapshot.close();
                catalog.close();
            }
        }
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            letGo();
        }
    }
}
