package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.FooterStats;
import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.arrow.stats.StatsText;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.ValueOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The report that `inspect` gives on a file or a dataset. No error ends it: each is listed as a problem of the
/// table or file in which it occurs.
///
/// @param hasManifest false for a single file too
/// @param runs of the manifest
/// @param tables in order of schema and name; a single file is one table
public record Inspection(Path path, boolean hasManifest, List<Manifest.Run> runs, List<TableReport> tables) {
    private static final int MAX_RUNS_MEANWHILE = 20;

    public Inspection {
        runs = List.copyOf(runs);
        tables = List.copyOf(tables);
    }

    /// @param problem why the table as a whole cannot be read, or null
    public record TableReport(
            String schemaName,
            String name,
            List<Field> fields,
            List<UniqueKey> uniqueKeys,
            List<FileReport> files,
            String problem) {
        public TableReport {
            fields = List.copyOf(fields);
            uniqueKeys = List.copyOf(uniqueKeys);
            files = List.copyOf(files);
        }

        /// Those that are part of the table.
        public long rowCount() {
            return files.stream().mapToLong(FileReport::liveRows).sum();
        }
    }

    /// @param deletedRows those of its rows that are no part of the table
    /// @param sortedBy columns in which the rows ascend, as far as that is known
    /// @param metadata custom metadata of schema and footer, without the statistics
    /// @param problems what is wrong; empty for a good file
    public record FileReport(
            Path path,
            long byteSize,
            long rowCount,
            long deletedRows,
            List<ColumnReport> columns,
            List<BatchReport> batches,
            List<String> sortedBy,
            Map<String, String> metadata,
            List<String> problems) {
        public FileReport {
            columns = List.copyOf(columns);
            batches = List.copyOf(batches);
            sortedBy = List.copyOf(sortedBy);
            problems = List.copyOf(problems);
        }

        long liveRows() {
            return rowCount - deletedRows;
        }
    }

    /// @param arrowType how the values lie in the file
    public record ColumnReport(Field field, String arrowType) {}

    /// @param codec `plain`, `lz4_frame` or `zstd`
    /// @param stats one a column; unknown where the file has none
    public record BatchReport(int rowCount, long byteSize, String codec, List<StatsReport> stats) {
        public BatchReport {
            stats = List.copyOf(stats);
        }
    }

    /// Statistics as text: bounds as PostgreSQL prints them, null where unknown.
    public record StatsReport(long nullCount, String min, String max, long distinctCount) {
        private static StatsReport of(ColumnStats stats, DataType type) {
            return new StatsReport(
                    stats.nullCount(),
                    stats.min() == null ? null : StatsText.format(type, stats.min()),
                    stats.max() == null ? null : StatsText.format(type, stats.max()),
                    stats.distinctCount());
        }
    }

    /// Looks at an Arrow file, or at a dataset's folder.
    ///
    /// - Errors: `QueryException` only where there is nothing to look at: no such path, or a broken manifest.
    ///
    /// @param verify also reads every value, and compares every file with its sum in the manifest
    public static Inspection of(Path path, boolean verify) {
        if (!Files.isDirectory(path)) {
            String fileName = String.valueOf(path.getFileName());
            String name = fileName.endsWith(FileName.ARROW_SUFFIX)
                    ? fileName.substring(0, fileName.length() - FileName.ARROW_SUFFIX.length())
                    : fileName;
            FileReport file = file(new DatasetListing.ListedFile(path), null, verify);
            List<Field> fields =
                    file.columns().stream().map(ColumnReport::field).toList();
            TableReport table = new TableReport(
                    DatasetCatalog.DEFAULT_SCHEMA, FileName.decode(name), fields, List.of(), List.of(file), null);
            return new Inspection(path, false, List.of(), List.of(table));
        }
        for (int more = MAX_RUNS_MEANWHILE; ; more--) {
            Manifest manifest = Manifest.read(path);
            DatasetListing listing = DatasetListing.of(path);
            List<TableReport> tables = new ArrayList<>();
            for (DatasetListing.TableFiles listed : listing.tables()) {
                tables.add(table(listed, verify));
            }
            Inspection found =
                    new Inspection(path, manifest != null, manifest == null ? List.of() : manifest.runs(), tables);
            // What a run has replaced meanwhile is not where it was.
            if (found.isSound() || more == 0 || !listing.isReplaced()) {
                return found;
            }
        }
    }

    /// Whether nothing is wrong, as far as it was looked at.
    public boolean isSound() {
        return tables.stream()
                .allMatch(table -> table.problem() == null
                        && table.files().stream()
                                .allMatch(file -> file.problems().isEmpty()));
    }

    private static TableReport table(DatasetListing.TableFiles listed, boolean verify) {
        List<FileReport> files = new ArrayList<>();
        String problem = listed.fault() == null ? null : listed.fault().getMessage();
        for (DatasetListing.ListedFile file : listed.files()) {
            files.add(file(file, listed.fields(), verify));
        }
        List<Field> fields = listed.fields();
        List<ArrowFile> open = new ArrayList<>();
        List<TableFile.Part> parts = new ArrayList<>();
        try {
            for (DatasetListing.ListedFile file : listed.files()) {
                open.add(open(file));
                parts.add(new TableFile.Part(
                        file.path(),
                        open.getLast(),
                        null,
                        file.keys(),
                        FooterStats.of(open.getLast()),
                        file.deleted()));
            }
            try (ArrowTable table = ArrowTable.of(listed, parts)) {
                int shown = table.schema().size() - table.hiddenColumns();
                fields = fields == null ? table.schema().fields().subList(0, shown) : fields;
                QueryException fault = table.anyFault();
                problem = problem == null && fault != null ? fault.getMessage() : problem;
            }
        } catch (QueryException e) {
            problem = problem == null ? e.getMessage() : problem;
        } finally {
            open.forEach(ArrowFile::close);
        }
        return new TableReport(
                listed.schemaName(),
                listed.name(),
                fields == null ? List.of() : fields,
                listed.uniqueKeys(),
                files,
                problem);
    }

    private static ArrowFile open(DatasetListing.ListedFile listed) {
        return listed.isOfRun() ? ArrowFile.openRun(listed.path(), 0) : ArrowFile.open(listed.path());
    }

    /// @param fields the table's columns by the manifest; null without one
    private static FileReport file(DatasetListing.ListedFile listed, List<Field> fields, boolean verify) {
        List<String> problems = new ArrayList<>();
        try (ArrowFile file = open(listed)) {
            if (listed.entry() != null) {
                compare(file, listed.entry(), verify, problems);
            }
            if (verify) {
                List<SaidStats> said = new ArrayList<>();
                said.add(new SaidStats("its footer", FooterStats.of(file)));
                if (listed.entry() != null && listed.entry().stats() != null) {
                    FileStats stats = listed.entry().stats().reordered(new Schema(fields), file.schema());
                    said.add(new SaidStats("the manifest", stats));
                }
                readAll(file, said, problems);
            }
            FileStats stats = FooterStats.of(file);
            List<ColumnReport> columns = new ArrayList<>();
            for (int column = 0; column < file.schema().size(); column++) {
                columns.add(new ColumnReport(
                        file.schema().field(column), file.storage(column).describe()));
            }
            List<BatchReport> batches = new ArrayList<>();
            for (int batch = 0; batch < file.batchCount(); batch++) {
                batches.add(new BatchReport(
                        file.batchRows(batch),
                        file.batchBytes(batch),
                        file.batchCodec(batch),
                        stats == null ? List.of() : reports(stats.batches().get(batch), file)));
            }
            Map<String, String> metadata = new java.util.TreeMap<>(file.schemaMetadata());
            metadata.putAll(file.fileMetadata());
            metadata.remove(FooterStats.KEY);
            return new FileReport(
                    listed.path(),
                    file.byteSize(),
                    file.rowCount(),
                    listed.deleted().count(),
                    columns,
                    batches,
                    stats == null ? List.of() : stats.sortedBy(),
                    metadata,
                    problems);
        } catch (QueryException e) {
            problems.add(e.getMessage());
            return new FileReport(listed.path(), 0, 0, 0, List.of(), List.of(), List.of(), Map.of(), problems);
        }
    }

    private static List<StatsReport> reports(FileStats.BatchStats stats, ArrowFile file) {
        List<StatsReport> reports = new ArrayList<>();
        for (int column = 0; column < file.schema().size(); column++) {
            reports.add(
                    StatsReport.of(stats.columns().get(column), file.schema().type(column)));
        }
        return reports;
    }

    private static void compare(ArrowFile file, Manifest.FileEntry entry, boolean verify, List<String> problems) {
        if (file.byteSize() != entry.bytes()) {
            problems.add("it has " + file.byteSize() + " bytes, the manifest says " + entry.bytes());
        }
        if (file.rowCount() != entry.rows()) {
            problems.add("it has " + file.rowCount() + " rows, the manifest says " + entry.rows());
        }
        if (verify) {
            String sum = DatasetWriter.sha256(file.path());
            if (!sum.equals(entry.sha256())) {
                problems.add("its SHA-256 is " + sum + ", the manifest says " + entry.sha256());
            }
        }
    }

    /// @param who says so
    /// @param stats null where nobody does
    private record SaidStats(String who, FileStats stats) {}

    /// Reads every column of every batch, which checks all of its values, and compares them with the statistics.
    private static void readAll(ArrowFile file, List<SaidStats> said, List<String> problems) {
        for (SaidStats each : said) {
            if (each.stats() != null && each.stats().batches().size() != file.batchCount()) {
                problems.add(each.who() + " has statistics of "
                        + each.stats().batches().size() + " batches, the file has " + file.batchCount());
                return;
            }
        }
        for (int batch = 0; batch < file.batchCount(); batch++) {
            for (int column = 0; column < file.schema().size(); column++) {
                String place = "column \"" + file.schema().field(column).name() + "\" in batch " + batch;
                try (OwnedMemory memory = new OwnedMemory()) {
                    Column read = file.column(batch, column, memory);
                    checkPresence(read, file.schema().field(column), place, problems);
                    ColumnStats found = ColumnSummarizer.summarize(read).stats();
                    for (SaidStats each : said) {
                        if (each.stats() != null) {
                            ColumnStats stats =
                                    each.stats().batches().get(batch).columns().get(column);
                            compare(stats, found, each.who(), place, problems);
                        }
                    }
                } catch (QueryException e) {
                    problems.add(e.getMessage());
                }
            }
        }
    }

    /// The validity bits say what the batch's header counts, and the schema allows.
    private static void checkPresence(Column column, Field field, String place, List<String> problems) {
        long nulls = 0;
        for (int row = 0; row < column.rowCount(); row++) {
            nulls += column.validity().isPresent(row) ? 0 : 1;
        }
        if (!column.validity().isAllPresent() && nulls != column.validity().nullCount()) {
            problems.add(place + " has " + nulls + " NULLs, its header counts "
                    + column.validity().nullCount());
        }
        if (nulls > 0 && !field.nullable()) {
            problems.add(place + " has NULLs, and is NOT NULL");
        }
    }

    private static void compare(ColumnStats said, ColumnStats found, String who, String place, List<String> problems) {
        boolean nullsDiffer = said.nullCount() >= 0 && said.nullCount() != found.nullCount();
        boolean belowMin = said.min() != null && found.min() != null && ValueOrder.compare(found.min(), said.min()) < 0;
        boolean aboveMax = said.max() != null && found.max() != null && ValueOrder.compare(found.max(), said.max()) > 0;
        if (nullsDiffer || belowMin || aboveMax) {
            problems.add("the statistics of " + place + " are wrong: " + who + " says " + said + ", the rows " + found);
        }
    }
}
