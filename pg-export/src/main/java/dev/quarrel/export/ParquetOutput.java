package dev.quarrel.export;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.Codec;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.arrow.dataset.ParquetRuns;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.files.BatchFile;
import dev.quarrel.export.files.ParquetParts;
import dev.quarrel.export.snapshot.ExportTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// A run of Parquet files, in a folder of its own beside those of the runs before.
///
/// - Memory: owns `run`.
record ParquetOutput(ParquetRuns run, ExportConfig config, Manifest.Origin origin) implements ExportOutput {
    static ParquetOutput begin(ExportConfig config, Manifest.Origin origin) {
        return new ParquetOutput(ParquetRuns.begin(config.output(), config.keptRuns()), config, origin);
    }

    @Override
    public void check(ExportTable table) {
        // A run has folders of its own.
    }

    @Override
    public BatchFile open(ExportTable table, Schema schema, WriteOptions options) {
        Codec codec = config.lz4() ? Codec.LZ4_FRAME : config.zstdLevel() > 0 ? Codec.ZSTD : Codec.PLAIN;
        Path folder = run.folder(table.schema(), table.name());
        return new ParquetParts(folder, table.qualifiedName(), schema, codec, config.zstdLevel());
    }

    @Override
    public ArrowFileWriter create(ExportTable table, Map<String, String> keys, Schema schema, WriteOptions options) {
        throw new IllegalStateException("an Arrow file among those of Parquet, of " + table.qualifiedName());
    }

    @Override
    public Path add(ExportTable table, Map<String, String> keys, WrittenFile file) {
        return run.add(table.schema(), table.name(), file);
    }

    @Override
    public void finish(ExportTable table) {
        // It is nothing before all are.
    }

    @Override
    public List<Manifest.FileEntry> kept(ExportTable table) {
        return List.of();
    }

    @Override
    public Manifest.TableEntry before(ExportTable table) {
        return null;
    }

    @Override
    public void change(ExportTable table, Map<String, DeletedRows> deleted, WriteOptions options, Runnable check) {
        throw new IllegalStateException("Parquet files are not changed");
    }

    @Override
    public void commit() {
        run.commit(origin);
    }

    @Override
    public void close() {
        run.close();
    }
}
