package dev.quarrel.cli;

import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.cli.rows.TableWriter;
import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.dataset.ArrowTable;
import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.arrow.dataset.Inspection.BatchReport;
import dev.quarrel.core.arrow.dataset.Inspection.FileReport;
import dev.quarrel.core.arrow.dataset.Inspection.TableReport;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `quarrel inspect`: what a file or a dataset holds, without a query.
@Command(
        name = "inspect",
        description = "Shows what an Arrow file or a dataset holds: schema, batches, statistics, manifest.",
        mixinStandardHelpOptions = true)
final class InspectCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE|ROOT", description = "An .arrow file, or a dataset's folder.")
    private Path path;

    @Option(names = "--verify", description = "Also reads every value, and compares files with the manifest's sums.")
    private boolean verify;

    @Option(names = "--batches", description = "Shows each batch of a file.")
    private boolean showBatches;

    @Override
    public Integer call() throws IOException {
        if (!Files.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        Inspection inspection = Inspection.of(path, verify);
        if (Files.isDirectory(path)) {
            dataset(inspection);
        } else {
            TableReport table = inspection.tables().getFirst();
            if (table.problem() == null) {
                file(table.files().getFirst());
            }
        }
        System.out.flush();
        int problems = sayProblems(inspection);
        if (verify) {
            long files = inspection.tables().stream()
                    .mapToLong(table -> table.files().size())
                    .sum();
            long rows = inspection.tables().stream()
                    .mapToLong(TableReport::rowCount)
                    .sum();
            System.out.printf(
                    Locale.ROOT,
                    "checked sums, offsets, validity, codes, texts and statistics of %,d files, %,d rows%n",
                    files,
                    rows);
            System.out.println(
                    problems == 0 ? "verified: no problem found" : "verified: " + problems + " problems found");
        }
        return problems == 0 ? 0 : Main.FAILED;
    }

    private static int sayProblems(Inspection inspection) {
        Set<String> problems = new LinkedHashSet<>(); // a file's problem is often its table's as well
        for (TableReport table : inspection.tables()) {
            for (FileReport file : table.files()) {
                for (String problem : file.problems()) {
                    problems.add(problem.contains(file.path().toString()) ? problem : file.path() + ": " + problem);
                }
            }
            if (table.problem() != null) {
                problems.add(table.problem());
            }
        }
        problems.forEach(Main::say);
        return problems.size();
    }

    private void file(FileReport file) throws IOException {
        property("file", file.path().toString());
        property("size", bytes(file.byteSize()));
        property(
                "rows",
                String.format(
                        Locale.ROOT,
                        "%,d in %,d batches%s",
                        file.rowCount(),
                        file.batches().size(),
                        file.deletedRows() == 0
                                ? ""
                                : String.format(
                                        Locale.ROOT, ", of which %,d are no part of the table", file.deletedRows())));
        file.metadata()
                .forEach((key, value) -> property(
                        "metadata", key + " = " + (value.length() > 120 ? value.substring(0, 120) + "…" : value)));
        if (!file.sortedBy().isEmpty()) {
            property("sorted by", String.join(", ", file.sortedBy()));
        }
        System.out.println();
        if (!file.problems().isEmpty()) {
            return;
        }
        try (ArrowFile opened = ArrowFile.open(path);
                ArrowTable table = ArrowTable.of("public", "file", List.of(opened))) {
            columns(file, table);
        }
        if (showBatches) {
            batches(file);
        }
    }

    private static void property(String name, String value) {
        System.out.printf(Locale.ROOT, "%-10s %s%n", name, value);
    }

    private static String bytes(long count) {
        return count < 10_000
                ? String.format(Locale.ROOT, "%,d bytes", count)
                : String.format(Locale.ROOT, "%,.1f MB", count / 1e6);
    }

    private static void columns(FileReport file, Table table) throws IOException {
        Report report = new Report(
                "column text",
                "type text",
                "nullable text",
                "stored text",
                "nulls int8",
                "min text",
                "max text",
                "distinct int8");
        for (int index = 0; index < table.shownSchema().size(); index++) {
            Field field = table.schema().field(index);
            ColumnStats stats = table.stats().columns().get(index);
            report.row(
                    field.name(),
                    field.pgType() == null ? PgType.defaultName(field.type()) : field.pgType(),
                    field.nullable() ? "yes" : "no",
                    file.columns().get(index).arrowType(),
                    stats.nullCount() < 0 ? null : stats.nullCount(),
                    bound(field, stats.min()),
                    bound(field, stats.max()),
                    stats.distinctCount() < 0 ? null : stats.distinctCount());
        }
        report.print();
    }

    private static String bound(Field field, Object value) {
        if (value == null) {
            return null;
        }
        String text = PgText.text(new Literal(field.type(), value));
        return text.length() > 30 ? text.substring(0, 29) + "…" : text;
    }

    private static void batches(FileReport file) throws IOException {
        Report report = new Report("batch int8", "rows int8", "bytes int8", "codec text");
        for (int index = 0; index < file.batches().size(); index++) {
            BatchReport batch = file.batches().get(index);
            report.row((long) index, (long) batch.rowCount(), batch.byteSize(), batch.codec());
        }
        report.print();
    }

    private static void dataset(Inspection inspection) throws IOException {
        if (inspection.hasManifest()) {
            Report runs =
                    new Report("run int8", "time text", "source text", "snapshot text", "lsn text", "server text");
            for (Manifest.Run run : inspection.runs()) {
                Manifest.Origin origin = run.origin();
                runs.row(
                        (long) run.id(),
                        run.time().toString(),
                        origin.source(),
                        origin.snapshot(),
                        origin.lsn(),
                        origin.serverVersion());
            }
            runs.print();
        } else {
            System.out.println("no manifest: tables by the names of files and folders\n");
        }
        Report tables = new Report(
                "schema text", "table text", "columns int8", "rows int8", "files int8", "batches int8", "bytes int8");
        for (TableReport table : inspection.tables()) {
            tables.row(
                    table.schemaName(),
                    table.name(),
                    (long) table.fields().size(),
                    table.rowCount(),
                    (long) table.files().size(),
                    table.files().stream()
                            .mapToLong(file -> file.batches().size())
                            .sum(),
                    table.files().stream().mapToLong(FileReport::byteSize).sum());
        }
        tables.print();
        uniqueKeys(inspection.tables());
    }

    private static void uniqueKeys(List<TableReport> tables) throws IOException {
        Report keys =
                new Report("schema text", "table text", "key text", "declared text", "columns text", "nulls text");
        for (TableReport table : tables) {
            for (UniqueKey key : table.uniqueKeys()) {
                keys.row(
                        table.schemaName(),
                        table.name(),
                        key.name(),
                        switch (key.kind()) {
                            case PRIMARY -> "primary key";
                            case CONSTRAINT -> "constraint";
                            case INDEX -> "index";
                        },
                        String.join(", ", key.columns()),
                        key.isPrimary() ? "none" : key.nullsDistinct() ? "distinct" : "not distinct");
            }
        }
        if (!keys.isEmpty()) {
            keys.print();
        }
    }

    /// A few rows of text and int8, printed as `quarrel sql` prints a result.
    private static final class Report {
        private final List<ResultColumn> columns = new ArrayList<>();
        private final List<Object[]> rows = new ArrayList<>();

        Report(String... declarations) {
            for (String declaration : declarations) {
                String[] words = declaration.split(" ");
                columns.add(new ResultColumn(words[0], PgType.named(words[1]).orElseThrow(), -1));
            }
        }

        boolean isEmpty() {
            return rows.isEmpty();
        }

        void row(Object... cells) {
            rows.add(cells);
        }

        void print() throws IOException {
            try (Arena arena = Arena.ofConfined()) {
                List<ColumnWriter> writers = new ArrayList<>();
                List<Field> fields = new ArrayList<>();
                for (int index = 0; index < columns.size(); index++) {
                    ResultColumn column = columns.get(index);
                    ColumnWriter writer = new ColumnWriter(column.type().dataType(), Allocator.of(arena));
                    for (Object[] row : rows) {
                        switch (row[index]) {
                            case null -> writer.appendNull();
                            case Long number -> writer.appendInt64(number);
                            default -> writer.appendUtf8(row[index].toString());
                        }
                    }
                    writers.add(writer);
                    fields.add(new Field(column.name(), column.type().dataType(), true));
                }
                TableWriter table = new TableWriter(System.out);
                table.begin(columns);
                table.write(Batch.view(new Schema(fields), ColumnWriter.finishAll(writers), rows.size()));
                table.end(rows.size());
            }
        }
    }
}
