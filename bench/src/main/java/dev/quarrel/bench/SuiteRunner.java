package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.run.MemoryBandwidth;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Times a suite's queries on Quarrel, in this process alone; [SuiteReport] has the format.
///
/// A time is from SQL text to the last row pulled: parsing, planning (or finding the plan cached), running.
public final class SuiteRunner {
    private static final long BANDWIDTH_NANOS = 1_000_000_000;
    /// As `quarrel serve` does at its start; `-Dquarrel.bench.warmUp=false` leaves it out.
    private static final boolean WARMS_UP = !"false".equals(System.getProperty("quarrel.bench.warmUp"));

    /// A query without end is a line of the report, not the end of the run.
    private static final String LONGEST = System.getProperty("quarrel.bench.statementTimeout", "5min");

    private static final Pattern SCAN = Pattern.compile("-> {2}Seq Scan on (?:(\\w+)\\.)?(\\w+)");
    private static final Pattern COLUMNS = Pattern.compile("^ +Columns: (.*)$");

    private final SuiteReport report = new SuiteReport(System.out);
    private final Path queries;
    private final int runs;
    private final int threads;
    private final List<String> only;

    private SuiteRunner(Path queries, int runs, int threads, List<String> only) {
        this.queries = queries;
        this.runs = runs;
        this.threads = threads;
        this.only = only;
    }

    /// Arguments: `[VARIANT=]ROOT`, several separated by commas; the folder of queries; timed runs a query; threads;
    /// queries separated by commas or an empty text for all.
    public static void main(String[] arguments) throws IOException, InterruptedException {
        PeakMemory memory = PeakMemory.start();
        SuiteRunner runner = new SuiteRunner(
                Path.of(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3]),
                arguments[4].isEmpty() ? List.of() : List.of(arguments[4].split(",")));
        for (String part : arguments[0].split(",")) {
            int sign = part.indexOf('=');
            runner.run(part.substring(0, Math.max(0, sign)), Path.of(part.substring(sign + 1)));
        }
        runner.report.memory(memory.peakKibibytes());
        runner.report.bandwidth(MemoryBandwidth.measure(runner.threads, BANDWIDTH_NANOS));
    }

    private void run(String variant, Path data) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (Engine engine = LocalEngine.open(
                        DatasetCatalog.open(data), EngineConfig.defaults().withThreads(threads));
                SqlSession session = engine.openSession("bench");
                LastRows lastRows = new LastRows(engine, threads)) {
            report.engine("Quarrel, " + engine.devices().getFirst().name());
            readThrough(data);
            if (WARMS_UP) {
                engine.warmUp();
                engine.awaitWarmUp();
            }
            report.load(System.nanoTime() - start);
            Statements.execute(session, "SET statement_timeout = '" + LONGEST + "'", _ -> {});
            for (Map.Entry<String, String> query :
                    SuiteQueries.read(queries, "quarrel", only).entrySet()) {
                String label = (query.getKey() + " " + variant).strip();
                if (LastRows.isPlanOf(query.getKey())) {
                    report.time(label, runs, () -> lastRows.run(query.getKey(), _ -> {}));
                    lastRows.run(query.getKey(), batch -> rows(label, batch));
                    continue;
                }
                try {
                    report.time(label, runs, () -> Statements.execute(session, query.getValue(), _ -> {}));
                    Statements.execute(session, query.getValue(), batch -> rows(label, batch));
                    report.bytes(label, bytesNamed(engine, session, query.getValue()));
                } catch (QueryException refused) {
                    session.endImplicitTransaction();
                    report.error(label, refused);
                }
            }
        }
    }

    /// Has the system keep the files in memory, as it does for a table in use: first runs tell of the engine then, not
    /// of the disk.
    private static void readThrough(Path data) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
        try (Stream<Path> paths = Files.walk(data)) {
            for (Path path :
                    paths.filter(path -> path.toString().endsWith(".arrow")).toList()) {
                try (FileChannel file = FileChannel.open(path)) {
                    while (file.read(buffer.clear()) > 0) {
                        // the reading is all
                    }
                }
            }
        }
    }

    private void rows(String label, Batch batch) {
        Statements.rows(batch, cells -> report.row(label, cells));
    }

    /// Bytes of the columns that the query names, each table's once a scan: what it would read if it skipped nothing.
    private static long bytesNamed(Engine engine, SqlSession session, String sql) {
        List<String> lines = new ArrayList<>();
        Statements.execute(
                session,
                "EXPLAIN (VERBOSE) " + sql,
                batch -> Statements.rows(batch, cells -> lines.add(cells.getFirst())));
        long bytes = 0;
        String[] table = null;
        try (CatalogSnapshot snapshot = engine.catalog().snapshot()) {
            for (String line : lines) {
                Matcher scan = SCAN.matcher(line);
                if (scan.find()) {
                    table = new String[] {scan.group(1) == null ? "public" : scan.group(1), scan.group(2)};
                }
                Matcher columns = COLUMNS.matcher(line);
                if (table != null && columns.find()) {
                    bytes += ColumnBytes.of(
                            snapshot.table(table[0], table[1]),
                            List.of(columns.group(1).split(", ")));
                    table = null;
                }
            }
        }
        return bytes;
    }
}
