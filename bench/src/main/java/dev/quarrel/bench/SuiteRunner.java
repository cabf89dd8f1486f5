package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.arrow.DatasetCatalog;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.run.Cancellation;
import dev.quarrel.samples.ssb.SsbQueries;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/// Times the Star Schema Benchmark's queries in this process and writes tab-separated lines to stdout: `engine
/// NAME`, `load MS`, `time QUERY FIRST MEDIAN MIN MAX`, `row QUERY CELL…`, `memory KIB`.
///
/// A time is from SQL text to the last row pulled: parsing, planning (or finding the plan cached), running.
public final class SuiteRunner {
    private static final int WARM_UP_RUNS = 3;

    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

    private SuiteRunner() {}

    /// Arguments: dataset, timed runs a query, threads, queries separated by commas or an empty text for all.
    public static void main(String[] arguments) {
        new SuiteRunner()
                .run(
                        Path.of(arguments[0]),
                        Integer.parseInt(arguments[1]),
                        Integer.parseInt(arguments[2]),
                        arguments[3].isEmpty() ? SsbQueries.NAMES : List.of(arguments[3].split(",")));
    }

    private void run(Path data, int runs, int threads, List<String> queries) {
        PeakMemory memory = PeakMemory.start();
        long start = System.nanoTime();
        try (Engine engine = Engine.open(
                        DatasetCatalog.open(data), EngineConfig.defaults().withThreads(threads));
                SqlSession session = engine.openSession("bench")) {
            out.println("engine\tQuarrel, "
                    + engine.devices().stream().map(device -> device.name()).toList());
            out.printf(Locale.ROOT, "load\t%.3f%n", (System.nanoTime() - start) / 1e6);
            for (String query : queries) {
                time(session, query, runs);
            }
        }
        out.println("memory\t" + memory.peakKibibytes());
        out.flush();
    }

    private void time(SqlSession session, String query, int runs) {
        String sql = SsbQueries.sql(query);
        double first = 0;
        double[] hot = new double[runs];
        for (int run = -WARM_UP_RUNS; run < runs; run++) {
            long start = System.nanoTime();
            execute(session, sql, _ -> {});
            double millis = (System.nanoTime() - start) / 1e6;
            if (run == -WARM_UP_RUNS) {
                first = millis;
            }
            if (run >= 0) {
                hot[run] = millis;
            }
        }
        Arrays.sort(hot);
        out.printf(
                Locale.ROOT, "time\t%s\t%.3f\t%.3f\t%.3f\t%.3f%n", query, first, hot[runs / 2], hot[0], hot[runs - 1]);
        execute(session, sql, batch -> printRows(query, batch));
    }

    private static void execute(SqlSession session, String sql, Consumer<Batch> rows) {
        for (ParsedStatement statement : session.parse(sql)) {
            PreparedQuery query = session.prepare(statement, List.of());
            try (Execution execution = session.execute(query, List.of(), new Cancellation())) {
                for (Batch next = execution.cursor().next();
                        next != null;
                        next = execution.cursor().next()) {
                    try (Batch batch = next) {
                        rows.accept(batch);
                    }
                }
            }
            session.endImplicitTransaction();
        }
    }

    private void printRows(String query, Batch batch) {
        TextBuffer cell = new TextBuffer();
        for (int row = 0; row < batch.rowCount(); row++) {
            StringBuilder line = new StringBuilder("row\t").append(query);
            for (var column : batch.columns()) {
                cell.clear();
                if (column.validity().isPresent(row)) {
                    PgText.append(column, row, cell);
                } else {
                    cell.append("\\N");
                }
                line.append('\t').append(cell);
            }
            out.println(line);
        }
    }
}
