package dev.quarrel.tests;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.run.ColumnSlice;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/// The tables of a dataset, written again in another layout.
enum RelaidTables {
    /// Files of few rows, batches of fewer, all texts in dictionaries, one a file.
    SHREDS(7, 45, true, 0, true),
    /// Compressed, without statistics, dictionaries in every second file only.
    COMPRESSED(64, 400, false, 1, false),
    /// Plain texts throughout, in large batches.
    PLAIN(10_000, 100_000, false, 0, true);

    private final int batchRows;
    private final int fileRows;
    private final boolean isCoded;
    private final int zstdLevel;
    private final boolean hasStatistics;

    RelaidTables(int batchRows, int fileRows, boolean isCoded, int zstdLevel, boolean hasStatistics) {
        this.batchRows = batchRows;
        this.fileRows = fileRows;
        this.isCoded = isCoded;
        this.zstdLevel = zstdLevel;
        this.hasStatistics = hasStatistics;
    }

    /// Writes all tables of `source` into a new folder.
    Path write(Path source) {
        try (DatasetCatalog catalog = DatasetCatalog.open(source);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            Path root = Files.createTempDirectory("quarrel-relaid");
            try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "relaid")) {
                for (String schema : snapshot.schemaNames()) {
                    for (Table table : snapshot.tables(schema)) {
                        write(run, table);
                    }
                }
                run.commit(null, null);
            }
            return root;
        } catch (IOException noFolder) {
            throw new UncheckedIOException(noFolder);
        }
    }

    private WriteOptions options(Table table, int file) {
        WriteOptions options = WriteOptions.PLAIN.withDurable(false).withZstd(zstdLevel);
        options = hasStatistics ? options : options.withStatistics(Set.of());
        for (Field field : table.schema().fields()) {
            if (field.type() instanceof DataType.Utf8 && (isCoded || zstdLevel > 0 && file % 2 == 1)) {
                options = options.withDictionary(field.name(), 4);
            }
        }
        return options;
    }

    private void write(DatasetWriter run, Table table) {
        run.declareKeys(table.schemaName(), table.name(), table.uniqueKeys());
        int[] columns = IntStream.range(0, table.schema().size()).toArray();
        List<Batch> pieces = new ArrayList<>();
        List<Batch> read = new ArrayList<>();
        for (int batch = 0; batch < table.batchCount(); batch++) {
            Batch all = table.read(batch, columns);
            read.add(all);
            for (int first = 0; first < all.rowCount(); first += batchRows) {
                int rows = Math.min(batchRows, all.rowCount() - first);
                List<Column> slices = new ArrayList<>();
                for (Column column : all.columns()) {
                    slices.add(ColumnSlice.of(column, first, rows));
                }
                pieces.add(Batch.view(table.schema(), slices, rows));
            }
        }
        int next = 0;
        for (int file = 0; file == 0 || next < pieces.size(); file++) {
            try (ArrowFileWriter writer =
                    run.create(table.schemaName(), table.name(), table.schema(), options(table, file))) {
                for (int rows = 0; next < pieces.size() && rows < fileRows; next++) {
                    writer.append(pieces.get(next));
                    rows += pieces.get(next).rowCount();
                }
                run.add(table.schemaName(), table.name(), writer.finish());
            }
        }
        read.forEach(Batch::close);
    }
}
