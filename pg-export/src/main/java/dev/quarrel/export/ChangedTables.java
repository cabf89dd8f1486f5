package dev.quarrel.export;

import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.dataset.KeyCodes;
import dev.quarrel.core.arrow.dataset.KeySet;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.arrow.dataset.StoredKeys;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.budget.Awaited;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.files.TableFiles;
import dev.quarrel.export.snapshot.ExportTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// The tables of an incremental run that are not read in full: their new rows are, and take the place of the rows with
/// the same keys in the files of runs before.
///
/// What a source has deleted shows in the number of its rows: that of those it has looked at in search of new ones, or
/// else it counts them. Where the files would have more, all keys are read, and rows of others go. Where they
/// differ still, the table is read in full after all.
///
/// - Threads: `takes` from any; the rest from one.
final class ChangedTables {
    // Files of many old versions are written anew, if they can be. Where that leaves too many, all rows are better read
    // again, since the old ones take space, and time to leave out.
    private static final int MAX_DELETED_FRACTION = 2;
    private static final int MAX_FILES = 500;

    private static final int ESTIMATED_FRACTION = 50;
    private static final long LEAST_ESTIMATE = 10_000;

    private final ExportConfig config;
    private final ExportOutput output;
    private final Consumer<String> notices;
    private final ToLongFunction<String> counter;
    private final Map<ExportTable, Change> changes = new IdentityHashMap<>(); // by what is read of them
    private final Map<ExportTable, KeySet> keys = new IdentityHashMap<>();

    /// A table on its way.
    private static final class Change {
        private final ExportTable full;
        private final Manifest.TableEntry before;
        private final StoredKeys stored;
        private final long startNanos = System.nanoTime();
        private CompletableFuture<Long> count;
        private List<TableFiles.Finished> files = List.of();
        private TableExport export;
        private long replaced;
        private long deleted;

        Change(Path root, ExportTable full, Manifest.TableEntry before) {
            this.full = full;
            this.before = before;
            this.stored = new StoredKeys(root, before, full.increment().key().columns());
        }

        long newRows() {
            return files.stream().mapToLong(each -> each.file().rowCount()).sum();
        }

        long rowCount() {
            return stored.rowCount() + newRows();
        }
    }

    /// @param counter has the source run a statement that counts rows
    ChangedTables(ExportConfig config, ExportOutput output, Consumer<String> notices, ToLongFunction<String> counter) {
        this.config = config;
        this.output = output;
        this.counter = counter;
        this.notices = notices;
    }

    /// What is to be read of a table: what has changed, where that can be told.
    ExportTable toRead(ExportTable table) {
        if (table.increment() == null) {
            return table;
        }
        Manifest.TableEntry before = output.before(table);
        if (table.increment().doubt() != null) {
            notices.accept("the next run may miss changed rows of " + table.qualifiedName() + ": "
                    + table.increment().doubt());
        }
        if (before == null) {
            return table; // the first run
        }
        String obstacle = table.increment().obstacle(before.watermark());
        long rows = before.files().stream().mapToLong(Manifest.FileEntry::rows).sum();
        long live =
                before.files().stream().mapToLong(Manifest.FileEntry::liveRows).sum();
        if (obstacle == null
                && (rows - live > rows / MAX_DELETED_FRACTION || before.files().size() > MAX_FILES)) {
            obstacle = before.files().size() > MAX_FILES
                    ? "it lies in " + before.files().size() + " files"
                    : rows - live + " of the " + rows + " rows in its files are old versions";
        }
        if (obstacle != null) {
            notices.accept(table.qualifiedName() + " is exported in full: " + obstacle);
            return table;
        }
        Change change = new Change(config.output(), table, before);
        if (config.rows().deletes() && !table.increment().isScanned()) {
            change.count = new CompletableFuture<>();
            Thread.ofPlatform().name("export-count").daemon(true).start(() -> count(change));
        }
        // A guess, so that batches need not be as large as those of all rows.
        long estimate = Math.max(LEAST_ESTIMATE, live / ESTIMATED_FRACTION);
        ExportTable read = table.withRanges(table.increment().since(before.watermark()), estimate);
        changes.put(read, change);
        return read;
    }

    private void count(Change change) {
        try {
            change.count.complete(counter.applyAsLong(change.full.countStatement()));
        } catch (RuntimeException | Error failure) {
            change.count.completeExceptionally(failure);
        }
    }

    /// Whether the files would have as many rows as the source.
    private boolean fits(Change change) {
        if (!config.rows().deletes() || change.export != null && change.export.scannedRows() == change.rowCount()) {
            return true;
        }
        if (change.count == null) {
            change.count = new CompletableFuture<>();
            count(change);
        }
        return Awaited.of(change.count) == change.rowCount();
    }

    /// Whether the rows are counted that the source looks at for those of a table that have changed.
    boolean countsScanned(ExportTable table) {
        return changes.containsKey(table)
                && config.rows().deletes()
                && table.increment().isScanned();
    }

    /// Takes a table's finished files, if it is one of these.
    boolean takes(TableExport export, List<TableFiles.Finished> files) {
        Change change = changes.get(export.table());
        if (change == null) {
            return false;
        }
        synchronized (change) {
            change.files = files;
            change.export = export;
        }
        return true;
    }

    /// Whether only the rows of a table are read that have changed.
    boolean isChanged(ExportTable table) {
        return changes.containsKey(table);
    }

    /// The text columns that get a dictionary, as in the files that are there; null for a table that is read in full.
    Set<String> codedColumns(ExportTable table) {
        Change change = changes.get(table);
        return change == null ? null : change.stored.codedColumns();
    }

    /// Where the keys go that are read of a table; null for one of which rows are read.
    KeySet keysOf(ExportTable table) {
        return keys.get(table);
    }

    /// Puts new rows in the places of old ones.
    ///
    /// @return tables of keys to read, of those of which rows were deleted
    List<ExportTable> replaceRows() {
        List<ExportTable> wanted = new ArrayList<>();
        for (Change change : changes.values()) {
            if (change.newRows() > 0) {
                KeySet added = new KeySet(new KeyCodes(change.stored.columns()));
                change.files.forEach(each ->
                        StoredKeys.addTo(added, each.file().path(), each.file().byteSize()));
                if (added.size() != change.newRows()) {
                    throw new QueryException(
                                    SqlState.UNIQUE_VIOLATION,
                                    "several rows of " + change.full.qualifiedName() + " have the same key ("
                                            + String.join(
                                                    ", ",
                                                    change.full
                                                            .increment()
                                                            .key()
                                                            .columns()) + ")")
                            .withHint("--key names columns that tell all rows apart");
                }
                change.replaced = change.stored.delete(added, true);
            }
            if (!fits(change)) {
                ExportTable table =
                        change.full.withColumns(change.full.increment().key().columns());
                keys.put(table, new KeySet(new KeyCodes(change.stored.columns())));
                wanted.add(table);
            }
        }
        return wanted;
    }

    /// Deletes the rows whose keys the source has no more.
    ///
    /// @return the tables that do not have the source's number of rows even so, and are read in full
    List<ExportTable> deleteRows() {
        Map<String, KeySet> found = new HashMap<>();
        keys.forEach((table, set) -> found.put(table.qualifiedName(), set));
        List<ExportTable> wrong = new ArrayList<>();
        for (Change change : changes.values()) {
            KeySet source = found.get(change.full.qualifiedName());
            if (source != null) {
                change.deleted = change.stored.delete(source, false);
            }
            if (!fits(change)) {
                notices.accept(
                        change.full.qualifiedName() + " is exported in full: the source has " + change.count.join()
                                + " rows, and with what changed since the last run there would be "
                                + change.rowCount());
                change.files.forEach(each -> delete(each.file().path()));
                wrong.add(change.full);
            }
        }
        changes.values().removeIf(change -> wrong.contains(change.full));
        return wrong;
    }

    /// Makes the changes part of the run.
    ///
    /// @param options of files that take the place of others
    /// @param check run from time to time; what it throws ends the run
    List<ExportReport.TableReport> finish(Function<ExportTable, WriteOptions> options, Runnable check) {
        List<ExportReport.TableReport> reports = new ArrayList<>();
        for (Change change : changes.values()) {
            Path place = null;
            List<WrittenFile> written = new ArrayList<>();
            for (TableFiles.Finished each : change.files) {
                if (each.file().rowCount() == 0) {
                    delete(each.file().path());
                    continue;
                }
                place = output.add(change.full, each.keys(), each.file());
                written.add(each.file());
            }
            Map<String, DeletedRows> deleted = change.stored.deleted();
            output.change(change.full, deleted, options.apply(change.full), check);
            Path folder = config.output()
                    .resolve(
                            change.before.files().isEmpty()
                                    ? change.full.name()
                                    : change.before.files().getFirst().path());
            reports.add(new ExportReport.TableReport(
                    change.full.schema(),
                    change.full.name(),
                    place != null && change.full.keys().fields().isEmpty() ? place : folder,
                    change.newRows(),
                    written.stream()
                            .mapToInt(file -> file.stats().batches().size())
                            .sum(),
                    written.stream().mapToLong(WrittenFile::byteSize).sum(),
                    change.export == null ? 0 : change.export.copyBytes(),
                    Duration.ofNanos(System.nanoTime() - change.startNanos),
                    new ExportReport.Change(change.replaced, change.deleted, change.rowCount())));
        }
        return reports;
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException _) {
            // The next run removes it.
        }
    }
}
