package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Times groups, sorts and joins of the Star Schema Benchmark's tables under a bound of memory, in this process alone.
/// `bench/run spill` runs it once with a small bound and once with a large one, and compares.
public final class SpillTimes {
    private static final Map<String, String> QUERIES = Map.of(
            "group by, 1.5 M groups",
            "SELECT lo_orderkey, count(*), sum(lo_revenue), min(lo_extendedprice), max(lo_orderdate), avg(lo_tax) "
                    + "FROM lineorder GROUP BY lo_orderkey",
            "group by text, 4 M groups",
            "SELECT lo_partkey, lo_suppkey % 100, lo_shipmode, sum(lo_quantity), count(*) FROM lineorder GROUP BY 1, 2, 3",
            "sort, 6 M rows",
            "SELECT lo_extendedprice, lo_orderkey, lo_linenumber, lo_shipmode, lo_revenue, lo_custkey "
                    + "FROM lineorder ORDER BY lo_extendedprice DESC, lo_orderkey",
            "join, 6 M build rows",
            "SELECT count(*), sum(a.lo_revenue - b.lo_supplycost), min(b.lo_shipmode) FROM lineorder a "
                    + "JOIN lineorder b ON a.lo_orderkey = b.lo_orderkey AND a.lo_linenumber = b.lo_linenumber",
            "semi join, 6 M build rows",
            "SELECT count(*) FROM lineorder a WHERE (a.lo_orderkey, a.lo_partkey) IN "
                    + "(SELECT b.lo_orderkey + 1, b.lo_partkey FROM lineorder b WHERE b.lo_quantity < 45)");

    private SpillTimes() {}

    /// Arguments: the dataset; memory of a query in MiB; threads; timed runs a query. One line a query: its name, best
    /// and median milliseconds, rows, a checksum of them whatever their order, peak of RssAnon and RssShmem in KiB.
    public static void main(String[] arguments) throws IOException {
        PeakMemory memory = PeakMemory.start();
        EngineConfig config = EngineConfig.defaults()
                .withQueryMemoryBytes(Long.parseLong(arguments[1]) << 20)
                .withThreads(Integer.parseInt(arguments[2]));
        int runs = Integer.parseInt(arguments[3]);
        try (Engine engine = LocalEngine.open(DatasetCatalog.open(Path.of(arguments[0])), config);
                SqlSession session = engine.openSession("bench")) {
            for (String name : QUERIES.keySet().stream().sorted().toList()) {
                double[] millis = new double[runs];
                for (int run = -1; run < runs; run++) {
                    long start = System.nanoTime();
                    long rows = execute(session, QUERIES.get(name), false)[0];
                    if (run >= 0) {
                        millis[run] = (System.nanoTime() - start) / 1e6;
                    }
                    if (rows == 0) {
                        throw new IllegalStateException(name + ": no rows");
                    }
                }
                Arrays.sort(millis);
                long peak = memory.peakKibibytes();
                long[] sums = execute(session, QUERIES.get(name), true);
                System.out.printf(
                        "%s\t%.0f\t%.0f\t%d\t%x\t%d%n", name, millis[0], millis[runs / 2], sums[0], sums[1], peak);
            }
        }
    }

    private static long[] execute(SqlSession session, String sql, boolean checks) {
        long[] sums = new long[2];
        TextBuffer text = new TextBuffer();
        for (ParsedStatement statement : session.parse(sql)) {
            PreparedQuery query = session.prepare(statement, List.of());
            try (Execution execution = session.execute(query, List.of(), new Cancellation())) {
                for (Batch next = execution.cursor().next();
                        next != null;
                        next = execution.cursor().next()) {
                    try (Batch batch = next) {
                        sums[0] += batch.rowCount();
                        for (int row = 0; checks && row < batch.rowCount(); row++) {
                            sums[1] += hash(batch, row, text);
                        }
                    }
                }
            }
            session.endImplicitTransaction();
        }
        return sums;
    }

    private static long hash(Batch batch, int row, TextBuffer text) {
        text.clear();
        for (Column column : batch.columns()) {
            if (column.validity().isPresent(row)) {
                PgText.append(column, row, text);
            }
            text.append('|');
        }
        long hash = 0;
        String line = text.toString();
        for (int index = 0; index < line.length(); index++) {
            hash = hash * 0x100_0000_01B3L + line.charAt(index);
        }
        return hash * 0x9E37_79B9_7F4A_7C15L;
    }
}
