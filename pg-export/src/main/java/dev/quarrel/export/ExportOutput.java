package dev.quarrel.export;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.arrow.dataset.FileMerge;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.files.BatchFile;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.snapshot.Increment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Where finished files belong. Until `commit`, readers see what was there before.
sealed interface ExportOutput extends AutoCloseable
        permits ExportOutput.Dataset, ExportOutput.SingleFile, ParquetOutput {
    /// Looks whether what is there takes the table's rows.
    ///
    /// - Errors: `QueryException` 42804 naming the column and both its types.
    void check(ExportTable table);

    /// Starts a file of a table. Any thread.
    ///
    /// @param keys of the file's folder, by name; null for NULL
    ArrowFileWriter create(ExportTable table, Map<String, String> keys, Schema schema, WriteOptions options);

    /// Starts what all rows of a table are written to. Any thread.
    default BatchFile open(ExportTable table, Schema schema, WriteOptions options) {
        return new BatchFile.Arrow(create(table, Map.of(), schema, options));
    }

    /// Takes a finished file. Any thread.
    ///
    /// @param keys as `create` had them
    /// @return where the file will be when the run is over; of Parquet files their folder
    Path add(ExportTable table, Map<String, String> keys, WrittenFile file);

    /// Says that all files of a table were added. Any thread.
    void finish(ExportTable table);

    /// The files of a table that an interrupted run has finished; empty where it must be read.
    List<Manifest.FileEntry> kept(ExportTable table);

    /// The table as the run before left it; null for one that was not there.
    Manifest.TableEntry before(ExportTable table);

    /// Says that the files that were added hold those of a table's rows that have changed.
    ///
    /// @param deleted the rows that are gone, by the path of the file
    /// @param options of files that take the place of many small ones
    /// @param check run from time to time; what it throws ends the run
    void change(ExportTable table, Map<String, DeletedRows> deleted, WriteOptions options, Runnable check);

    /// Makes all files visible at once.
    void commit();

    /// Removes what was not committed.
    @Override
    void close();

    static ExportOutput open(ExportConfig config, Manifest.Origin origin) {
        if (config.parquet()) {
            return ParquetOutput.begin(config, origin);
        }
        if (config.isSingleFile()) {
            return new SingleFile(config, origin);
        }
        DatasetWriter.Mode mode = config.append() ? DatasetWriter.Mode.APPEND : DatasetWriter.Mode.REPLACE;
        return new Dataset(
                DatasetWriter.begin(
                        config.output(),
                        mode,
                        config.source().toString(),
                        config.resume() ? key(config, origin) : null,
                        config.keptRuns()),
                config,
                origin);
    }

    /// The same for runs that would write the same files: the same snapshot of the same cluster, and the same settings.
    private static String key(ExportConfig config, Manifest.Origin origin) {
        return String.join("\n", origin.snapshotId(), origin.snapshot(), origin.systemIdentifier(), config.toString());
    }

    record Dataset(DatasetWriter run, ExportConfig config, Manifest.Origin origin) implements ExportOutput {
        @Override
        public void check(ExportTable table) {
            List<Field> fields = new ArrayList<>(table.fields().fields());
            fields.addAll(table.keys().fields());
            run.check(table.schema(), table.name(), fields);
        }

        @Override
        public ArrowFileWriter create(
                ExportTable table, Map<String, String> keys, Schema schema, WriteOptions options) {
            return run.create(table.schema(), table.name(), keys, schema, options);
        }

        @Override
        public Path add(ExportTable table, Map<String, String> keys, WrittenFile file) {
            List<Field> keyFields = keys.isEmpty() ? List.of() : table.keys().fields();
            return run.add(table.schema(), table.name(), keys, keyFields, file);
        }

        @Override
        public void finish(ExportTable table) {
            run.declareKeys(table.schema(), table.name(), table.uniqueKeys());
            if (table.increment() != null) {
                run.declareWatermark(
                        table.schema(), table.name(), table.increment().now());
            }
            run.finish(table.schema(), table.name());
        }

        @Override
        public List<Manifest.FileEntry> kept(ExportTable table) {
            return run.finishedFiles(table.schema(), table.name());
        }

        @Override
        public Manifest.TableEntry before(ExportTable table) {
            return run.before().tables().stream()
                    .filter(each -> each.schemaName().equals(table.schema())
                            && each.name().equals(table.name()))
                    .findFirst()
                    .orElse(null);
        }

        /// Of keys only the one holds that rows were told apart by: a row that was missed may have had what a new one
        /// has in others.
        @Override
        public void change(ExportTable table, Map<String, DeletedRows> deleted, WriteOptions options, Runnable check) {
            Increment increment = table.increment();
            run.declareKeys(
                    table.schema(), table.name(), increment.isDeclared() ? List.of(increment.key()) : List.of());
            run.declareWatermark(table.schema(), table.name(), increment.now());
            run.change(table.schema(), table.name(), deleted);
            FileMerge.into(run, before(table).withDeleted(deleted), options, check);
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

    /// One file, which replaces its predecessor when it is finished; it tells of its origin in the footer.
    record SingleFile(ExportConfig config, Manifest.Origin origin) implements ExportOutput {
        @Override
        public void check(ExportTable table) {
            // It is replaced as a whole.
        }

        @Override
        public ArrowFileWriter create(
                ExportTable table, Map<String, String> keys, Schema schema, WriteOptions options) {
            WriteOptions told = options.withMetadata("quarrel.source", origin.source() + " " + table.qualifiedName())
                    .withMetadata("quarrel.snapshot", origin.snapshot());
            if (origin.lsn() != null) {
                told = told.withMetadata("quarrel.lsn", origin.lsn());
            }
            return ArrowFileWriter.create(config.output(), schema, told);
        }

        @Override
        public Path add(ExportTable table, Map<String, String> keys, WrittenFile file) {
            return file.path(); // it is in place already
        }

        @Override
        public void finish(ExportTable table) {
            // As above.
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
            throw new IllegalStateException("one file has no run before");
        }

        @Override
        public void commit() {
            // As above.
        }

        @Override
        public void close() {
            // The file's writer removes what is not finished.
        }
    }
}
