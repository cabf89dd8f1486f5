package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.Execution;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.pg.PgText;
import dev.quarrel.core.pg.TextBuffer;
import dev.quarrel.core.run.ResultCursor;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.cuda.host.HostLibrary;
import dev.quarrel.cuda.host.HostProvider;
import dev.quarrel.samples.ssb.SsbDataset;
import dev.quarrel.samples.ssb.SsbGenerator;
import dev.quarrel.samples.ssb.SsbQueries;
import dev.quarrel.samples.ssb.SsbScale;
import dev.quarrel.samples.ssb.SsbTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which device runs what, what EXPLAIN says of it, and what sessions may ask for.
class DevicePlacementTest {
    private static final long MEMORY = 64L << 20;

    @TempDir
    private static Path data;

    @BeforeAll
    static void make() throws IOException {
        String missing = HostLibrary.missing();
        Assumptions.assumeTrue(missing == null, missing);
        new SsbDataset(new SsbGenerator(new SsbScale(0.01)), 1, SsbTable.DEFAULT_DATE_TABLE).write(data, _ -> {});
    }

    private static Engine open(long memoryBytes) {
        return LocalEngine.open(
                DatasetCatalog.open(data),
                EngineConfig.defaults().withThreads(2),
                List.of(new HostProvider(memoryBytes)));
    }

    private static List<String> rows(SqlSession session, String sql) {
        List<String> rows = new ArrayList<>();
        for (ParsedStatement statement : session.parse(sql)) {
            try (Execution execution =
                    session.execute(session.prepare(statement, List.of()), List.of(), new Cancellation())) {
                ResultCursor cursor = execution.cursor();
                for (Batch batch = cursor == null ? null : cursor.next(); batch != null; batch = cursor.next()) {
                    for (int row = 0; row < batch.rowCount(); row++) {
                        TextBuffer cells = new TextBuffer();
                        for (var column : batch.columns()) {
                            PgText.append(column, row, cells);
                            cells.append(' ');
                        }
                        rows.add(cells.toString().stripTrailing());
                    }
                    batch.close();
                }
            } finally {
                session.endImplicitTransaction();
            }
        }
        return rows;
    }

    private static String explain(SqlSession session, String options, String query) {
        return String.join("\n", rows(session, "EXPLAIN " + options + " " + SsbQueries.sql(query)));
    }

    @Test
    void theCheapestDeviceIsChosenAndTheEstimatesAreTold() {
        try (Engine engine = open(MEMORY);
                SqlSession session = engine.openSession("test")) {
            assertThat(explain(session, "", "2.1"))
                    .containsPattern("Device: (cpu|cuda-host) \\(.*lowest estimated cost: cpu \\d+\\.\\d\\d ms,"
                            + " cuda-host \\d+\\.\\d\\d ms \\(\\d+\\.\\d MB, \\d+\\.\\d MB to copy\\)\\)");
        }
    }

    @Test
    void whatTheDeviceDidIsTold() {
        try (Engine engine = open(MEMORY);
                SqlSession session = engine.openSession("test")) {
            rows(session, "SET quarrel.device = cuda");
            assertThat(explain(session, "", "2.1")).containsPattern("Device: cuda-host \\(.*asked for\\)");
            assertThat(explain(session, "(ANALYZE)", "2.1"))
                    .containsPattern("Tier: kernels\n")
                    .containsPattern(
                            "Kernels: \\d+ launches over [1-9]\\d* bytes of columns; \\d+\\.\\d{3} ms, \\d+\\.\\d GB/s\n")
                    .containsPattern("Moved: [1-9]\\d* bytes to the device; 0 were there; \\d+\\.\\d{3} ms, ")
                    .doesNotContain("Fallback");
            assertThat(explain(session, "(ANALYZE)", "2.1"))
                    .containsPattern("Moved: 0 bytes to the device; [1-9]\\d* were there\n")
                    .contains("Tier: none, what an earlier statement made is there\n");
            assertThat(explain(session, "(ANALYZE, TIMING OFF)", "2.1"))
                    .containsPattern("Kernels: \\d+ launches over \\d+ bytes of columns\n");
        }
    }

    @Test
    void whatTheDeviceSortedIsTold() {
        String sort =
                "SELECT lo_orderkey, lo_revenue, lo_shipmode FROM lineorder ORDER BY lo_shipmode DESC, lo_revenue";
        try (Engine engine = open(MEMORY);
                SqlSession session = engine.openSession("test")) {
            assertThat(rows(session, "EXPLAIN " + sort).toString()).contains("MB to copy, sorted there)");
            List<String> right = rows(session, sort);
            rows(session, "SET quarrel.device = cuda");
            assertThat(rows(session, sort)).isEqualTo(right);
            assertThat(String.join("\n", rows(session, "EXPLAIN (ANALYZE) " + sort)))
                    .containsPattern("Rows: (\\d+) in, \\1 out\n")
                    .containsPattern(
                            "Sort: " + right.size() + " rows on the device in [1-9]\\d* passes; \\d+\\.\\d{3} ms, ")
                    .doesNotContain("Fallback");
        }
    }

    @Test
    void aGpuThatIsRequiredIsNeverFallenBackFrom() {
        try (Engine engine = open(MEMORY);
                SqlSession session = engine.openSession("test")) {
            List<String> right = rows(session, SsbQueries.sql("2.1"));
            rows(session, "SET quarrel.require_gpu = on");
            assertThat(explain(session, "", "2.1")).contains("Device: cuda-host (");
            assertThat(rows(session, SsbQueries.sql("2.1"))).isEqualTo(right);
            assertThatThrownBy(
                            () -> rows(
                                    session,
                                    "SELECT lo_orderkey, row_number() OVER (PARTITION BY lo_custkey ORDER BY lo_orderkey) FROM lineorder"))
                    .isInstanceOfSatisfying(QueryException.class, error -> {
                        assertThat(error.state()).isEqualTo(SqlState.FEATURE_NOT_SUPPORTED);
                        assertThat(error.detail()).contains("cuda-host: rows that leave as they came need no kernel");
                    });
            rows(session, "RESET quarrel.require_gpu; SET quarrel.device = cpu");
            assertThat(explain(session, "", "2.1")).contains("cuda-host: quarrel.device = cpu");
        }
    }

    /// Room for columns or for groups, but hardly for both: everything is answered, whatever runs where.
    @Test
    void aDeviceOfLittleMemoryAnswersEverything() {
        for (long memory : new long[] {4 << 10, 64 << 10, 512 << 10, 2 << 20, 8 << 20}) {
            try (Engine engine = open(memory);
                    SqlSession session = engine.openSession("test");
                    SqlSession other = engine.openSession("test")) {
                rows(other, "SET quarrel.device = cpu");
                rows(session, "SET quarrel.device = cuda");
                for (String query : SsbQueries.NAMES) {
                    assertThat(rows(session, SsbQueries.sql(query)))
                            .as("%s with %d bytes", query, memory)
                            .isEqualTo(rows(other, SsbQueries.sql(query)));
                }
                String groups =
                        "SELECT lo_orderkey, lo_linenumber, sum(lo_revenue) FROM lineorder GROUP BY 1, 2 ORDER BY 1, 2";
                assertThat(rows(session, groups)).isEqualTo(rows(other, groups));
            }
        }
        try (Engine engine = open(4 << 10);
                SqlSession session = engine.openSession("test")) {
            rows(session, "SET quarrel.device = cuda");
            assertThat(explain(session, "(ANALYZE)", "2.1"))
                    .containsPattern("Fallback: needs \\d+\\.\\d MiB of device memory, of 0\\.0 MiB");
            rows(session, "SET quarrel.require_gpu = on");
            assertThatThrownBy(() -> rows(session, SsbQueries.sql("2.1")))
                    .isInstanceOfSatisfying(QueryException.class, error -> {
                        assertThat(error.state()).isEqualTo(SqlState.FEATURE_NOT_SUPPORTED);
                        assertThat(error.detail()).contains("of device memory");
                    });
        }
    }
}
