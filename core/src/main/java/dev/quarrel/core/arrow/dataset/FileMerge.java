package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.FooterStats;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.BatchJoiner;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Writes rows of a table's files anew: those of many small ones into one, and those that are left in a file of which
/// many are deleted. Of runs that add a few rows each there are few files so, and little to leave out, at a cost that
/// is a small part of what the runs have written.
///
/// Lists, structs and unions are read as texts, so that files that have them are left as they are.
public final class FileMerge {
    /// Files below one of these sizes, and not below the one before, are merged with each other.
    private static final List<Long> SIZES = List.of(1L << 20, 16L << 20);

    private static final int ENOUGH_FILES = 32;
    private static final int DELETED_FRACTION = 4;
    private static final int MOST_DELETED = 1 << 20; // of which the manifest has a text, that everybody reads
    private static final int BATCH_ROWS = 1 << 18;
    private static final long BATCH_BYTES = 64L << 20;
    private static final int EXPECTED_ROWS = 1 << 16;

    private final DatasetWriter run;
    private final Manifest.TableEntry table;
    private final WriteOptions options;
    private final Runnable check;

    private FileMerge(DatasetWriter run, Manifest.TableEntry table, WriteOptions options, Runnable check) {
        this.run = run;
        this.table = table;
        this.options = options;
        this.check = check;
    }

    /// Has a run write anew what is worth it, of the files that a table had before.
    ///
    /// - Errors: `QueryException` for a file that cannot be read or written; XX001 where rows are missing.
    ///
    /// @param table its files, with the deleted rows that they have after the run
    /// @param options of the new files; dictionaries are chosen anew
    /// @param check run between batches; what it throws ends the run
    /// @return the files that the table has no more
    public static int into(DatasetWriter run, Manifest.TableEntry table, WriteOptions options, Runnable check) {
        FileMerge merge = new FileMerge(run, table, options, check);
        return groups(table.files()).stream().mapToInt(merge::merge).sum();
    }

    private record Kind(Map<String, String> keys, int size) {}

    /// The files that are to become one, each time.
    private static List<List<Manifest.FileEntry>> groups(List<Manifest.FileEntry> files) {
        List<List<Manifest.FileEntry>> groups = new ArrayList<>();
        Map<Kind, List<Manifest.FileEntry>> small = new LinkedHashMap<>();
        for (Manifest.FileEntry file : files) {
            int size = 0;
            while (size < SIZES.size() && file.bytes() >= SIZES.get(size)) {
                size++;
            }
            if (file.liveRows() == 0) {
                continue; // the run drops it
            }
            if (size < SIZES.size()) {
                small.computeIfAbsent(new Kind(file.keys(), size), _ -> new ArrayList<>())
                        .add(file);
            } else if (file.deleted().count() > Math.min(file.rows() / DELETED_FRACTION, MOST_DELETED)) {
                groups.add(List.of(file));
            }
        }
        small.values().stream().filter(each -> each.size() >= ENOUGH_FILES).forEach(groups::add);
        return groups;
    }

    private static boolean isFlat(ArrowFile file) {
        return IntStream.range(0, file.schema().size())
                .allMatch(column -> file.storage(column).isFlat());
    }

    private int merge(List<Manifest.FileEntry> entries) {
        List<ArrowFile> files = new ArrayList<>();
        try {
            List<TableFile.Part> parts = new ArrayList<>();
            for (Manifest.FileEntry entry : entries) {
                ArrowFile file = ArrowFile.openRun(run.place(entry), entry.bytes());
                files.add(file);
                if (!isFlat(file)) {
                    return 0;
                }
                parts.add(new TableFile.Part(file.path(), file, null, Map.of(), FooterStats.of(file), entry.deleted()));
            }
            write(files, parts, entries);
        } finally {
            files.forEach(ArrowFile::close);
        }
        run.withdraw(
                table.schemaName(),
                table.name(),
                entries.stream().map(Manifest.FileEntry::path).collect(Collectors.toSet()));
        return entries.size();
    }

    private void write(List<ArrowFile> files, List<TableFile.Part> parts, List<Manifest.FileEntry> entries) {
        Set<String> stored = new HashSet<>();
        files.forEach(file -> file.schema().fields().forEach(field -> stored.add(field.name())));
        List<Field> fields = table.fields().stream()
                .filter(field -> stored.contains(field.name()))
                .toList();
        Map<String, String> keys = entries.getFirst().keys();
        List<Field> keyFields = table.fields().stream()
                .filter(field -> keys.containsKey(field.name()))
                .toList();
        TableShape shape = new TableShape(
                table.schemaName(),
                table.name(),
                fields,
                new NamedTable.Virtual[fields.size()],
                0,
                List.of(),
                List.of(),
                null,
                true,
                true);
        long wanted = entries.stream().mapToLong(Manifest.FileEntry::liveRows).sum();
        try (ArrowTable rows = ArrowTable.of(shape, parts);
                TableLoad load = new TableLoad(new OfRun(keys, keyFields), rows.shownSchema(), options)) {
            copy(rows, load::append, () -> {
                check.run();
                return false;
            });
            long written = load.finish();
            if (written != wanted) {
                throw new QueryException(
                        SqlState.DATA_CORRUPTED,
                        "files of table \"" + table.name() + "\" have " + written + " rows, and " + wanted
                                + " by the manifest");
            }
        }
    }

    private final class OfRun implements TableLoad.Target {
        private final Map<String, String> keys;
        private final List<Field> keyFields;

        OfRun(Map<String, String> keys, List<Field> keyFields) {
            this.keys = keys;
            this.keyFields = keyFields;
        }

        @Override
        public ArrowFileWriter create(Schema schema, WriteOptions all) {
            return run.create(table.schemaName(), table.name(), keys, schema, all);
        }

        @Override
        public void add(WrittenFile file) {
            run.add(table.schemaName(), table.name(), keys, keyFields, file);
        }

        @Override
        public void finish() {
            // The run goes on with the table.
        }
    }

    /// Copies a table's rows in batches of some size.
    ///
    /// @param to takes a batch that is closed when it returns
    /// @param mustStop asked between the table's batches
    /// @return whether it was done, and not stopped
    public static boolean copy(ArrowTable table, Consumer<Batch> to, BooleanSupplier mustStop) {
        Schema schema = table.shownSchema();
        int[] columns = IntStream.range(0, schema.size()).toArray();
        int batch = 0;
        while (batch < table.batchCount()) {
            try (BatchJoiner joiner = new BatchJoiner(schema, EXPECTED_ROWS)) {
                while (batch < table.batchCount()
                        && (joiner.rowCount() == 0
                                || (joiner.rowCount() + table.batchRows(batch) <= BATCH_ROWS
                                        && joiner.byteCount() < BATCH_BYTES))) {
                    if (mustStop.getAsBoolean()) {
                        return false;
                    }
                    try (Batch read = table.read(batch, columns)) {
                        joiner.add(read);
                    }
                    batch++;
                }
                to.accept(joiner.batch());
            }
        }
        return true;
    }
}
