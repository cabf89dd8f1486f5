package dev.quarrel.cli.imports;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.NamedTable;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.spill.SpillFolder;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Schema;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/// An Arrow file or stream, which stays open until the last of its batches is closed, too.
public final class ArrowSource implements ImportSource {
    private static final String NAME = "file";

    private final DatasetCatalog catalog;
    private final CatalogSnapshot snapshot;
    private final Table table;
    private final int[] columns;
    private final AtomicInteger users = new AtomicInteger(1); // this one and its batches
    private int batch;
    private boolean isClosed;

    /// - Errors: `QueryException` for a file that cannot be read.
    public ArrowSource(Path file) {
        NamedTable named = NamedTable.ofFile(DatasetCatalog.DEFAULT_SCHEMA, NAME, file);
        this.catalog = DatasetCatalog.open(null, null, SpillFolder.defaultParent(), List.of(named));
        this.snapshot = catalog.snapshot();
        this.table = snapshot.table(DatasetCatalog.DEFAULT_SCHEMA, NAME);
        table.awaitOpen(() -> {});
        if (table.fault() != null) {
            close();
            throw table.fault();
        }
        this.columns = IntStream.range(0, table.schema().size() - table.hiddenColumns())
                .toArray();
    }

    @Override
    public Schema schema() {
        return new Schema(table.schema().fields().subList(0, columns.length));
    }

    @Override
    public Batch next() {
        if (batch == table.batchCount()) {
            return null;
        }
        Batch read = table.read(batch++, columns);
        users.incrementAndGet();
        return read.andThen(this::letGo);
    }

    private void letGo() {
        if (users.decrementAndGet() == 0) {
            snapshot.close();
            catalog.close();
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
