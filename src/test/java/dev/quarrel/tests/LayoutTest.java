package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.StatsCache;
import dev.quarrel.core.device.DeviceConfig.Tier;
import dev.quarrel.tests.LayoutData.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random statements over one logical table in many physical layouts, on both tiers: all give PostgreSQL's rows.
///
/// `-Dquarrel.seed=N` repeats a run, `-Dcount=N` makes a longer one.
class LayoutTest {
    /// One worker, so that whatever it keeps of a batch meets the next; and some that share a table's batches.
    private static final List<Configuration> CONFIGURATIONS = List.of(
            new Configuration("layouts-compiled", 1, 128, Tier.COMPILED, -1, List.of()),
            new Configuration("layouts-interpreted", 2, 64, Tier.INTERPRETED, -1, List.of()));

    private static final int MOST_SHOWN = 10;
    private static final int MOST_CHARS = 600;

    @Test
    void everyLayoutGivesTheSameRows() throws SQLException, IOException {
        compare(Integer.getInteger("count", 60), Long.getLong("quarrel.seed", 20_261_121), 8);
    }

    @Test
    @Tag("nightly")
    void everyLayoutGivesTheSameRowsForLong() throws SQLException, IOException {
        compare(Integer.getInteger("count", 10_000), Long.getLong("quarrel.seed", System.nanoTime()), 4);
    }

    /// A server and a session for each layout.
    private record Sessions(String name, QuarrelServer server, List<Connection> layouts) implements AutoCloseable {
        static Sessions open(DatasetCatalog catalog, Configuration configuration) throws SQLException {
            QuarrelServer server = QuarrelServer.start(catalog, configuration);
            List<Connection> layouts = new ArrayList<>();
            for (Layout layout : Layout.values()) {
                layouts.add(inSchema(server.connect(), layout.schema()));
            }
            return new Sessions(configuration.name(), server, layouts);
        }

        @Override
        public void close() throws SQLException {
            for (Connection layout : layouts) {
                layout.close();
            }
            server.close();
        }
    }

    private static Connection inSchema(Connection connection, String schema) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = " + schema);
        }
        return connection;
    }

    /// @param onKernels each so many-th statement also runs on the kernels' host build, where there is one
    private static void compare(int count, long seed, int onKernels) throws SQLException, IOException {
        System.out.println("LayoutTest -Dquarrel.seed=" + seed);
        LayoutData data = new LayoutData(20_261_121);
        data.fill(PostgresOracle.shared());
        Path root = data.write();
        LayoutQuery queries = new LayoutQuery(new Random(seed));
        List<String> disagreements = new ArrayList<>();
        Map<String, Integer> notBuilt = new TreeMap<>();
        int compared = 0;
        List<Sessions> all = new ArrayList<>();
        try (Connection oracle = inSchema(PostgresOracle.shared().connect(), "layouts")) {
            all.add(Sessions.open(DatasetCatalog.open(root), CONFIGURATIONS.getFirst()));
            // Statistics of files that bring none come while the statements run.
            StatsCache statistics = new StatsCache(Files.createTempDirectory("quarrel-statistics"));
            all.add(Sessions.open(DatasetCatalog.open(root, statistics), CONFIGURATIONS.getLast()));
            Sessions kernels = null;
            for (Configuration configuration : Configuration.ALL) {
                if (!configuration.providers().isEmpty()) {
                    kernels = Sessions.open(DatasetCatalog.open(root), configuration);
                    all.add(kernels);
                }
            }
            for (int number = 0; number < count && disagreements.size() < MOST_SHOWN; number++) {
                String sql = queries.next();
                SqlAnswer answer = SqlAnswer.of(oracle, sql);
                if (!(answer instanceof SqlAnswer.Rows right)) {
                    continue; // which row fails first is its own business
                }
                compared++;
                List<String> lines = right.lines(true);
                List<String> where = new ArrayList<>();
                String first = null;
                for (Sessions sessions : all) {
                    if (sessions == kernels && number % onKernels != 0) {
                        continue;
                    }
                    for (Layout layout : Layout.values()) {
                        SqlAnswer ours = SqlAnswer.of(sessions.layouts.get(layout.ordinal()), sql);
                        if (ours instanceof SqlAnswer.Failure(String state, String message, int _)
                                && state.equals("0A000")) {
                            notBuilt.merge(message, 1, Integer::sum);
                            break;
                        }
                        String difference = difference(ours, lines);
                        if (difference != null) {
                            where.add(sessions.name + " " + layout);
                            first = first == null ? difference : first;
                        }
                    }
                }
                if (first != null) {
                    String shown = first.substring(0, Math.min(MOST_CHARS, first.length()));
                    disagreements.add(sql + "\n    on " + where + ": " + shown);
                }
            }
        } finally {
            for (Sessions sessions : all) {
                sessions.close();
            }
        }
        System.out.println("LayoutTest: " + compared + " compared, not built: " + notBuilt);
        assertThat(disagreements).as("seed " + seed).isEmpty();
        assertThat(notBuilt.values().stream().mapToInt(Integer::intValue).sum())
                .as("statements answered with 0A000: " + notBuilt)
                .isLessThan(count / 20 + 1);
        assertThat(compared).as("statements that PostgreSQL answers").isGreaterThan(count * 4 / 5);
    }

    /// Null where there is none.
    private static String difference(SqlAnswer ours, List<String> right) {
        if (!(ours instanceof SqlAnswer.Rows rows)) {
            return ours.toString();
        }
        List<String> lines = rows.lines(true);
        if (lines.equals(right)) {
            return null;
        }
        List<String> missing = new ArrayList<>(right);
        lines.forEach(missing::remove);
        List<String> extra = new ArrayList<>(lines);
        right.forEach(extra::remove);
        return "rows " + lines.size() + ", PostgreSQL " + right.size() + ", extra "
                + extra.stream().limit(3).toList() + ", missing "
                + missing.stream().limit(3).toList();
    }
}
