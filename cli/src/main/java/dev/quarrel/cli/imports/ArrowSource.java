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
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Arrow files and streams, whose columns match by name.
public final class ArrowSource implements ImportSource {
    private static final String NAME = "files";

    private final DatasetCatalog catalog;
    private final CatalogSnapshot snapshot;
    private final Table table;
    private final int[] columns;
    private int batch;

    /// - Errors: `QueryException` for a file that cannot be read.
    public ArrowSource(List<Path> files) {
        String all =
                files.stream().map(file -> file.toAbsolutePath().toString()).collect(Collectors.joining(","));
        NamedTable named = NamedTable.ofFiles(DatasetCatalog.DEFAULT_SCHEMA, NAME, all);
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
        return batch == table.batchCount() ? null : table.read(batch++, columns);
    }

    @Override
    public void close() {
        snapshot.close();
        catalog.close();
    }
}
