package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.samples.ssb.ReadingsDataset;
import dev.quarrel.samples.ssb.SsbDataset;
import dev.quarrel.samples.ssb.SsbGenerator;
import dev.quarrel.samples.ssb.SsbScale;
import dev.quarrel.samples.ssb.SsbTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// The engine's primitives on one thread, each as the smallest statement that needs it, planned once:
/// `gigabytes` counts the bytes of the columns named that it reads per second. [MemoryBenchmark] has the figures
/// to compare with.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PrimitiveBenchmark {
    private static final int READINGS = 4_000_000;

    /// What each name of [#primitive] asks, and the columns it reads.
    private record Question(String sql, String table, List<String> columns) {}

    private static final Map<String, Question> QUESTIONS = Map.of(
            "filter",
                    new Question(
                            "select count(*) from lineorder where lo_discount between 1 and 3 and lo_quantity < 25",
                            "lineorder",
                            List.of("lo_discount", "lo_quantity")),
            "filter-doubles",
                    new Question(
                            "select count(*) from readings where velocity > 50 and grade <= 60 and latitude > 0",
                            "readings",
                            List.of("velocity", "grade", "latitude")),
            "sum",
                    new Question(
                            "select sum(lo_extendedprice), sum(lo_revenue) from lineorder",
                            "lineorder",
                            List.of("lo_extendedprice", "lo_revenue")),
            "sum-doubles", new Question("select sum(latitude) from readings", "readings", List.of("latitude")),
            "group-dictionary",
                    new Question(
                            "select lo_shipmode, sum(lo_revenue) from lineorder group by lo_shipmode",
                            "lineorder",
                            List.of("lo_shipmode", "lo_revenue")),
            "group-dense",
                    new Question(
                            "select lo_discount, lo_tax, sum(lo_revenue) from lineorder group by lo_discount, lo_tax",
                            "lineorder",
                            List.of("lo_discount", "lo_tax", "lo_revenue")),
            "group-many",
                    new Question(
                            "select count(*) from (select lo_partkey, sum(lo_revenue) from lineorder"
                                    + " group by lo_partkey) as g",
                            "lineorder",
                            List.of("lo_partkey", "lo_revenue")),
            "probe",
                    new Question(
                            "select sum(lo_revenue) from lineorder, part where lo_partkey = p_partkey"
                                    + " and p_category = 'MFGR#12'",
                            "lineorder",
                            List.of("lo_partkey", "lo_revenue")),
            "probe-payload",
                    new Question(
                            "select d_year, sum(lo_revenue) from lineorder, date where lo_orderdate = d_datekey"
                                    + " group by d_year",
                            "lineorder",
                            List.of("lo_orderdate", "lo_revenue")));

    @Param({
        "filter",
        "filter-doubles",
        "sum",
        "sum-doubles",
        "group-dictionary",
        "group-dense",
        "group-many",
        "probe",
        "probe-payload"
    })
    private String primitive;

    private Path folder;
    private Engine engine;
    private SqlSession session;
    private PreparedQuery query;
    private double queryGigabytes;

    @Setup(Level.Trial)
    public void open() throws IOException {
        folder = Files.createTempDirectory("quarrel-jmh");
        Question question = QUESTIONS.get(primitive);
        if (question.table().equals(ReadingsDataset.TABLE_NAME)) {
            new ReadingsDataset(READINGS, 1, 2, false).write(folder, _ -> {});
        } else {
            SsbGenerator generator = new SsbGenerator(new SsbScale(0.5));
            new SsbDataset(generator, 2, SsbTable.DEFAULT_DATE_TABLE).write(folder, _ -> {});
        }
        engine = LocalEngine.open(
                DatasetCatalog.open(folder), EngineConfig.defaults().withThreads(1));
        session = engine.openSession("jmh");
        query = session.prepare(session.parse(question.sql()).getFirst(), List.of());
        try (CatalogSnapshot snapshot = engine.catalog().snapshot()) {
            queryGigabytes = ColumnBytes.of(snapshot.table("public", question.table()), question.columns()) / 1e9;
        }
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
        session.close();
        engine.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Benchmark
    public long statement(BytesRead read) {
        long rows = 0;
        try (Execution execution = session.execute(query, List.of(), new Cancellation())) {
            for (Batch batch = execution.cursor().next();
                    batch != null;
                    batch = execution.cursor().next()) {
                rows += batch.rowCount();
                batch.close();
            }
        }
        session.endImplicitTransaction();
        read.gigabytes += queryGigabytes;
        return rows;
    }
}
