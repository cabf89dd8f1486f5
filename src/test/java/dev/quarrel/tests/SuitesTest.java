package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.opentest4j.TestAbortedException;

/// The benchmarks' queries at a small scale on PostgreSQL and on the same rows exported: rows, types and text agree.
///
/// The data and the texts are not here: `bench/run suite-data FOLDER` makes them, and `-Dquarrel.suites=FOLDER` names
/// the folder, which [SuiteData] describes. `-Dquery=tpch/q17` runs the queries whose name contains that.
class SuitesTest {
    private static final String SUITES = "quarrel.suites";
    private static final Path PLANS = Path.of("resources/plans");
    private static final Configuration CONFIGURATION = Configuration.ALL.get(1);
    private static final Pattern LIMIT = Pattern.compile("(?is)\\s+limit\\s+\\d+\\s*;?\\s*$");

    /// Relative: sums of doubles depend on their order on PostgreSQL, n · 2⁻⁵³ at most where all have one sign.
    private static final double FLOAT_BOUND = 1e-10;

    private static final Map<Path, SuiteData> LOADED = new ConcurrentHashMap<>();

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicContainer> answersArePostgres() throws IOException {
        return folders().stream().map(folder -> {
            String suite = folder.getFileName().toString();
            return DynamicContainer.dynamicContainer(
                    suite,
                    SuiteData.queries(folder).entrySet().stream()
                            .filter(query -> isWanted(suite, query.getKey()))
                            .map(query -> DynamicTest.dynamicTest(
                                    query.getKey(), () -> check(data(folder), query.getKey(), query.getValue()))));
        });
    }

    /// Plans hang on the data's statistics, and the generators make the same data every time: `resources/plans` has
    /// those of every query of TPC-H and of every tenth of TPC-DS; `-Dupdate` writes them again.
    @TestFactory
    Stream<DynamicContainer> plansAreTheGoldens() throws IOException {
        return folders().stream()
                .filter(folder -> Files.isDirectory(PLANS.resolve(folder.getFileName())))
                .map(folder -> {
                    String suite = folder.getFileName().toString();
                    return DynamicContainer.dynamicContainer(
                            suite,
                            SuiteData.queries(folder).entrySet().stream()
                                    .filter(query -> isWanted(suite, query.getKey()))
                                    .filter(query -> !suite.equals("tpcds")
                                            || query.getKey().endsWith("0"))
                                    .map(query -> DynamicTest.dynamicTest(
                                            query.getKey(),
                                            () -> checkPlan(data(folder), query.getKey(), query.getValue()))));
                });
    }

    private static void checkPlan(SuiteData data, String name, String sql) throws IOException, SQLException {
        Path golden = PLANS.resolve(data.name()).resolve(name + ".txt");
        try (Connection quarrel = data.quarrel(CONFIGURATION)) {
            SqlAnswer answer = SqlAnswer.of(quarrel, "EXPLAIN (COSTS OFF) " + sql);
            assertThat(answer).isInstanceOf(SqlAnswer.Rows.class);
            // Which devices a machine has is not the plan.
            String plan = ((SqlAnswer.Rows) answer)
                    .lines(false).stream()
                            .filter(line -> !line.strip().startsWith("Device:"))
                            .collect(Collectors.joining("\n", "", "\n"));
            if (System.getProperty("update") != null) {
                Files.writeString(golden, plan);
            }
            assertThat(plan).as(golden + ", which -Dupdate writes again").isEqualTo(Files.readString(golden));
        }
    }

    private static void check(SuiteData data, String name, String sql) throws SQLException {
        try (Connection oracle = data.postgres();
                Connection quarrel = data.quarrel(CONFIGURATION)) {
            long start = System.nanoTime();
            SqlAnswer right = SqlAnswer.of(oracle, sql);
            long middle = System.nanoTime();
            assertThat(right).as("PostgreSQL").isInstanceOf(SqlAnswer.Rows.class);
            SqlAnswer answer = SqlAnswer.of(quarrel, sql);
            System.out.printf(
                    "%s/%s: %d rows, PostgreSQL %.2f s, Quarrel %.2f s%n",
                    data.name(),
                    name,
                    ((SqlAnswer.Rows) right).rows().size(),
                    (middle - start) / 1e9,
                    (System.nanoTime() - middle) / 1e9);
            if (isSame(answer, right) || !(answer instanceof SqlAnswer.Rows ours)) {
                assertThat(answer).usingComparator(SuitesTest::compare).isEqualTo(right);
                return;
            }
            // Rows may tie in the order that LIMIT cuts: all of them are compared then, and the few must be of them.
            Matcher limit = LIMIT.matcher(sql);
            assertThat(limit.find())
                    .as("it ends in LIMIT: " + difference(ours, (SqlAnswer.Rows) right))
                    .isTrue();
            String whole = limit.replaceFirst("");
            SqlAnswer all = SqlAnswer.of(oracle, whole);
            assertThat(SqlAnswer.of(quarrel, whole))
                    .usingComparator(SuitesTest::compare)
                    .isEqualTo(all);
            assertThat(ours.rows()).hasSameSizeAs(((SqlAnswer.Rows) right).rows());
            assertThat(((SqlAnswer.Rows) all).lines(false)).containsAll(ours.lines(false));
        }
    }

    private static String difference(SqlAnswer.Rows ours, SqlAnswer.Rows right) {
        List<String> surplus = new ArrayList<>(ours.lines(true));
        right.lines(true).forEach(surplus::remove);
        List<String> missing = new ArrayList<>(right.lines(true));
        ours.lines(true).forEach(missing::remove);
        return "columns %s against %s; %d rows against %d; ours alone: %s; PostgreSQL's alone: %s"
                .formatted(
                        ours.columns(),
                        right.columns(),
                        ours.rows().size(),
                        right.rows().size(),
                        some(surplus),
                        some(missing));
    }

    private static List<String> some(List<String> lines) {
        return lines.subList(0, Math.min(3, lines.size()));
    }

    private static int compare(SqlAnswer ours, SqlAnswer right) {
        return isSame(ours, right) ? 0 : 1;
    }

    /// Whether columns and rows are the same, in any order where the statement leaves ties.
    private static boolean isSame(SqlAnswer answer, SqlAnswer oracle) {
        if (!(answer instanceof SqlAnswer.Rows ours && oracle instanceof SqlAnswer.Rows right)) {
            return answer.equals(oracle);
        }
        return ours.columns().equals(right.columns())
                && (areSame(right.columns(), ours.rows(), right.rows())
                        || areSame(right.columns(), sorted(ours), sorted(right)));
    }

    private static List<List<String>> sorted(SqlAnswer.Rows rows) {
        return rows.rows().stream()
                .sorted((one, other) -> String.valueOf(one).compareTo(String.valueOf(other)))
                .toList();
    }

    private static boolean areSame(List<String> columns, List<List<String>> ours, List<List<String>> right) {
        if (ours.size() != right.size()) {
            return false;
        }
        for (int row = 0; row < ours.size(); row++) {
            for (int column = 0; column < columns.size(); column++) {
                String value = ours.get(row).get(column);
                String expected = right.get(row).get(column);
                boolean isSame = value == null
                                || expected == null
                                || !columns.get(column).matches(".* float[48]")
                        ? Objects.equals(value, expected)
                        : isNear(Double.parseDouble(value), Double.parseDouble(expected));
                if (!isSame) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isNear(double value, double expected) {
        return Double.compare(value, expected) == 0
                || Math.abs(value - expected) <= FLOAT_BOUND * Math.max(Math.abs(value), Math.abs(expected));
    }

    private static SuiteData data(Path folder) {
        return LOADED.computeIfAbsent(folder, SuiteData::load);
    }

    private static boolean isWanted(String suite, String query) {
        return (suite + "/" + query).contains(System.getProperty("query", ""));
    }

    /// The suites' folders; skips the test where none are given, and fails it where everything is promised to be there.
    private static List<Path> folders() throws IOException {
        String root = System.getProperty(SUITES);
        if (root == null) {
            String reason = "-D" + SUITES + " names no folder of suites: bench/run suite-data makes one";
            if (Boolean.getBoolean("quarrel.test.strict")) {
                throw new AssertionError(reason);
            }
            throw new TestAbortedException(reason);
        }
        try (Stream<Path> found = Files.list(Path.of(root))) {
            return found.filter(folder -> Files.exists(folder.resolve("schema.sql")))
                    .sorted()
                    .toList();
        }
    }
}
