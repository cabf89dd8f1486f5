package dev.quarrel.export;

import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.dataset.KeySet;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.files.FolderFiles;
import dev.quarrel.export.files.KeyFiles;
import dev.quarrel.export.files.OneFile;
import dev.quarrel.export.files.TableFiles;
import dev.quarrel.export.files.TableLayout;
import dev.quarrel.export.files.UnwrittenRows;
import dev.quarrel.export.snapshot.ExportColumn;
import dev.quarrel.export.snapshot.ExportTable;
import dev.quarrel.export.snapshot.RowRange;
import dev.quarrel.export.snapshot.SnapshotPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/// Exports tables of PostgreSQL, MySQL or MariaDB to Arrow or Parquet files: every row as one snapshot has it, however
/// many connections read.
///
/// ```java
/// PostgresSource source = PostgresSource.parse("postgresql://reader@db/sales");
/// ExportReport report = Exporter.run(ExportConfig.builder(source, Path.of("data")).tables("orders").build());
/// ```
///
/// - Memory: `workers` × `batchBytes`, and about a quarter more, outside the heap.
/// - Errors: `QueryException`; what was there before the run is as it was, and nothing of the run is left.
public final class Exporter {
    private final ExportConfig config;
    private final ExportProgress progress;
    private final Cancellation outside;

    // Ends the workers: on the caller's wish, or on the first failure of one of them.
    private final Cancellation inside = new Cancellation();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Map<TableExport, Long> startNanos = new ConcurrentHashMap<>();
    private final List<ExportReport.TableReport> reports = new ArrayList<>(); // guarded by itself
    private ChangedTables changed;

    private Exporter(ExportConfig config, ExportProgress progress, Cancellation outside) {
        this.config = config;
        this.progress = progress;
        this.outside = outside;
    }

    public static ExportReport run(ExportConfig config) {
        return run(config, ExportProgress.NONE, new Cancellation());
    }

    /// @param cancellation stops the export from any thread: 57014
    public static ExportReport run(ExportConfig config, ExportProgress progress, Cancellation cancellation) {
        return new Exporter(config, progress, cancellation).run();
    }

    private ExportReport run() {
        long start = System.nanoTime();
        Runnable stop = () ->
                inside.cancel(new QueryException(SqlState.QUERY_CANCELED, "canceling export due to user request"));
        outside.onCancel(stop);
        try (ReaderGroup group = ReaderGroup.open(config, progress::notice, inside)) {
            List<ExportTable> tables = group.tables();
            config.source().warnings().forEach(progress::notice);
            group.notices().forEach(progress::notice);
            try (ExportOutput output = ExportOutput.open(config, group.origin())) {
                tables.forEach(output::check);
                changed = new ChangedTables(config, output, progress::notice, group::count);
                List<ExportTable> unread =
                        keep(tables, output).stream().map(changed::toRead).toList();
                progress.begun(group.origin(), unread.size(), rowEstimate(unread));
                read(group, unread, output);
                change(group, output);
                if (config.rows().verified()) {
                    verify(group, tables);
                }
                // Past this line a wish to stop comes too late.
                inside.check();
                output.commit();
            }
            synchronized (reports) {
                reports.sort(Comparator.comparingInt(report -> place(tables, report)));
                return new ExportReport(
                        group.origin(), config.output(), reports, Duration.ofNanos(System.nanoTime() - start));
            }
        } finally {
            outside.forget(stop);
        }
    }

    /// Brings the rows that have changed, of the tables of which no others were read, among those that are there.
    private void change(ReaderGroup group, ExportOutput output) {
        List<ExportTable> keys = changed.replaceRows();
        if (!keys.isEmpty()) {
            read(group, keys, output);
        }
        List<ExportTable> wrong = changed.deleteRows();
        if (!wrong.isEmpty()) {
            read(group, wrong, output);
        }
        for (ExportReport.TableReport report : changed.finish(this::plainOptions, inside::check)) {
            synchronized (reports) {
                reports.add(report);
            }
            progress.tableFinished(report);
        }
    }

    /// Has the source count the rows of each table.
    ///
    /// - Errors: XX001 where another number came.
    private void verify(ReaderGroup group, List<ExportTable> tables) {
        for (ExportTable table : tables) {
            ExportReport.TableReport report = reports.stream()
                    .filter(each -> each.qualifiedName().equals(table.qualifiedName()))
                    .findFirst()
                    .orElseThrow();
            String statement = table.countStatement();
            if (statement == null) {
                progress.notice(table.qualifiedName() + " is not counted: its query is in several parts");
                continue;
            }
            inside.check();
            long counted = group.count(statement);
            long rows = report.change() == null
                    ? report.rowCount()
                    : report.change().rowCount();
            if (counted != rows) {
                throw new QueryException(
                        SqlState.DATA_CORRUPTED,
                        "the source counts " + counted + " rows of " + table.qualifiedName() + ", and " + rows
                                + " are exported");
            }
            progress.notice(String.format(
                    Locale.ROOT, "%s: %,d rows, as the source counts them", table.qualifiedName(), counted));
        }
    }

    private static int place(List<ExportTable> tables, ExportReport.TableReport report) {
        for (int index = 0; index < tables.size(); index++) {
            if (tables.get(index).qualifiedName().equals(report.qualifiedName())) {
                return index;
            }
        }
        throw new IllegalStateException("a report of " + report.qualifiedName() + ", which was not asked for");
    }

    /// Takes over what an interrupted run has finished.
    ///
    /// @return the other tables
    private List<ExportTable> keep(List<ExportTable> tables, ExportOutput output) {
        List<ExportTable> unread = new ArrayList<>();
        for (ExportTable table : tables) {
            List<Manifest.FileEntry> files = output.kept(table);
            if (files.isEmpty()) {
                unread.add(table);
                continue;
            }
            long rows = files.stream().mapToLong(Manifest.FileEntry::rows).sum();
            synchronized (reports) {
                reports.add(new ExportReport.TableReport(
                        table.schema(),
                        table.name(),
                        place(
                                config.output().resolve(files.getFirst().path()),
                                files.getFirst().keys()),
                        rows,
                        files.stream()
                                .mapToInt(file -> file.stats().batches().size())
                                .sum(),
                        files.stream().mapToLong(Manifest.FileEntry::bytes).sum(),
                        0,
                        Duration.ZERO));
            }
            progress.notice(
                    table.qualifiedName() + " is kept: an interrupted run of the same snapshot has finished it");
        }
        if (config.resume() && unread.size() == tables.size()) {
            progress.notice("there is no interrupted run of this snapshot and these settings to go on with:"
                    + " every table is exported anew");
        }
        return unread;
    }

    private long rowEstimate(List<ExportTable> tables) {
        long rows = 0;
        for (ExportTable table : tables) {
            if (table.rowEstimate() < 0 && table.weight() > 0 || changed.isChanged(table)) {
                return -1;
            }
            rows += Math.max(table.rowEstimate(), 0);
        }
        return rows;
    }

    private record Task(TableExport table, RowRange range) {}

    private void read(ReaderGroup group, List<ExportTable> tables, ExportOutput output) {
        List<TableExport> exports = new ArrayList<>();
        Queue<Task> tasks = new ConcurrentLinkedQueue<>();
        // The largest first, so that no worker is left alone with it at the end.
        tables.stream()
                .sorted(Comparator.comparingLong(ExportTable::weight).reversed())
                .forEach(table -> {
                    WriteOptions options = options(table);
                    TableLayout layout = TableLayout.of(
                            table,
                            options.dictionaryCodeBytes().keySet().stream()
                                    .map(FieldPath::column)
                                    .collect(Collectors.toSet()),
                            config.batchBytes(),
                            config.workers(),
                            group.checkUtf8(),
                            config.unfit());
                    TableFiles.Opening opening = (keys, schema) -> output.create(table, keys, schema, options);
                    KeySet keys = changed.keysOf(table);
                    TableFiles files = keys != null
                            ? new KeyFiles(layout, keys)
                            : table.isPartitioned()
                                    ? new FolderFiles(layout, opening, config.workers())
                                    : new OneFile(layout, () -> output.open(table, layout.schema(), options));
                    TableExport export = new TableExport(layout, files, changed.countsScanned(table));
                    exports.add(export);
                    table.ranges().forEach(range -> tasks.add(new Task(export, range)));
                });
        List<Thread> threads = new ArrayList<>();
        for (RowReader reader : group.readers()) {
            threads.add(Thread.ofPlatform()
                    .name("export-" + threads.size())
                    .daemon(true)
                    .start(() -> work(tasks, reader, output)));
        }
        try {
            join(threads);
        } finally {
            exports.forEach(this::close);
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw rethrown(thrown);
        }
    }

    private static RuntimeException rethrown(Throwable thrown) {
        return switch (thrown) {
            case QueryException error -> error;
            case OutOfMemoryError error ->
                new QueryException(SqlState.OUT_OF_MEMORY, "out of memory: " + error.getMessage(), error)
                        .withHint("export with fewer workers or smaller batches");
            case RuntimeException error -> error;
            default -> throw new IllegalStateException(thrown);
        };
    }

    /// How a table is written, but for dictionaries.
    private WriteOptions plainOptions(ExportTable table) {
        WriteOptions options = WriteOptions.PLAIN
                .withDirect(!config.cached())
                .withZstd(config.zstdLevel())
                .withLargeOffsets(config.columns().largeOffsets());
        if (config.lz4()) {
            options = options.withLz4();
        }
        for (ExportColumn column : table.columns()) {
            if (column.nested() != null) {
                options = options.withNested(column.name(), column.nested());
            }
            if (column.layout().isHalf()) {
                options = options.withHalf(column.name());
            }
        }
        if (config.columns().statistics().isPresent()) {
            options = options.withStatistics(table.columns().stream()
                    .filter(column -> column.layout().isSummarized())
                    .map(ExportColumn::name)
                    .collect(Collectors.toSet()));
        }
        return options;
    }

    private WriteOptions options(ExportTable table) {
        WriteOptions options = plainOptions(table);
        Set<String> coded = changed.codedColumns(table);
        // Parquet's are made as it is written.
        if (config.dictionaries() && !config.parquet()) {
            for (ExportColumn column : table.columns()) {
                if (coded == null
                        ? SnapshotPlan.isWorthDictionary(table, column)
                        : coded.contains(column.name()) && column.nested() == null) {
                    options = options.withDictionary(column.name(), codeBytes(column));
                }
            }
        }
        return options;
    }

    /// Codes that hold an enum's labels; or a hundred times as many values as PostgreSQL estimates, since an
    /// estimate may be old, and a sample does not see what is rare.
    private static int codeBytes(ExportColumn column) {
        OtherType other = column.declared().other();
        if (other != null && other.isEnum()) {
            int labels = other.labels().size();
            return labels <= Byte.MAX_VALUE ? 1 : labels <= Short.MAX_VALUE ? 2 : 4;
        }
        long estimate = column.distinctEstimate();
        return estimate >= 0 && estimate < Short.MAX_VALUE / 100 ? 2 : 4;
    }

    private void join(List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException _) {
                    interrupted = true;
                    inside.cancel(new QueryException(SqlState.QUERY_CANCELED, "the export was interrupted"));
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void close(TableExport table) {
        try {
            table.close();
        } catch (RuntimeException e) {
            if (!failure.compareAndSet(null, e)) {
                failure.get().addSuppressed(e);
            }
        }
    }

    private void work(Queue<Task> tasks, RowReader reader, ExportOutput output) {
        TableExport table = null;
        UnwrittenRows rows = null;
        try {
            for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
                inside.check();
                if (task.table() != table) {
                    UnwrittenRows left = rows;
                    rows = null;
                    handIn(table, left, false, output);
                    table = task.table();
                    rows = table.newRows();
                    if (table.isFirst() && changed.keysOf(table.table()) == null) {
                        startNanos.put(table, System.nanoTime());
                        progress.tableStarted(table.table().qualifiedName(), rowEstimate(List.of(table.table())));
                    }
                }
                reader.read(
                        table,
                        task.range(),
                        rows,
                        changed.keysOf(table.table()) == null ? progress : ExportProgress.NONE);
                table.endRange();
            }
            UnwrittenRows left = rows;
            rows = null;
            handIn(table, left, true, output);
        } catch (Throwable thrown) {
            // The first failure is the one to tell; those it causes elsewhere are not.
            failure.compareAndSet(null, thrown);
            inside.cancel(
                    thrown instanceof QueryException error
                            ? error
                            : new QueryException(SqlState.INTERNAL_ERROR, "the export failed: " + thrown, thrown));
        } finally {
            if (rows != null) {
                rows.close();
            }
        }
    }

    private void handIn(TableExport table, UnwrittenRows rows, boolean isLast, ExportOutput output) {
        if (table == null) {
            return;
        }
        List<TableFiles.Finished> files = table.handIn(rows, isLast, inside);
        if (files.isEmpty() || changed.takes(table, files)) {
            return;
        }
        List<Path> places = files.stream()
                .map(each -> output.add(table.table(), each.keys(), each.file()))
                .toList();
        output.finish(table.table());
        List<WrittenFile> written =
                files.stream().map(TableFiles.Finished::file).toList();
        ExportReport.TableReport report = new ExportReport.TableReport(
                table.table().schema(),
                table.table().name(),
                place(places.getFirst(), files.getFirst().keys()),
                written.stream().mapToLong(WrittenFile::rowCount).sum(),
                written.stream().mapToInt(file -> file.stats().batches().size()).sum(),
                written.stream().mapToLong(WrittenFile::byteSize).sum(),
                table.copyBytes(),
                Duration.ofNanos(System.nanoTime() - startNanos.get(table)));
        synchronized (reports) {
            reports.add(report);
        }
        progress.tableFinished(report);
    }

    /// The file, or the folder that has those of the keys.
    private static Path place(Path file, Map<String, String> keys) {
        Path place = file;
        if (!keys.isEmpty()) {
            for (int level = 0; level <= keys.size(); level++) {
                place = place.getParent();
            }
        }
        return place;
    }
}
