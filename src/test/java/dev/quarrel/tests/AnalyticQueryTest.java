package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

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

/// Random reports on PostgreSQL and on Quarrel: the rows must agree.
///
/// Where PostgreSQL fails or is slow the statement is left out. Where Quarrel says 0A000 or 54001 the statement counts
/// as not built. `-Danalytic.seed=N` repeats a run, `-Dcount=N` makes a longer one; each statement has a seed of its
/// own.
class AnalyticQueryTest {
    private static final int MOST_ROWS = 20_000;
    private static final int MOST_SHOWN = 20;

    @Test
    void quarrelAgreesWithPostgresql() throws SQLException {
        compare(Integer.getInteger("count", 100), Long.getLong("analytic.seed", 5_300));
    }

    @Test
    @Tag("nightly")
    void quarrelAgreesWithPostgresqlForLong() throws SQLException {
        compare(Integer.getInteger("count", 10_000), Long.getLong("analytic.seed", System.nanoTime()));
    }

    private static void compare(int count, long seed) throws SQLException {
        System.out.println("AnalyticQueryTest -Danalytic.seed=" + seed);
        List<String> disagreements = new ArrayList<>();
        Map<String, Integer> notBuilt = new TreeMap<>();
        Map<String, Integer> leftOut = new TreeMap<>();
        int answered = 0;
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection compiled =
                        QuarrelServer.shared(Configuration.ALL.get(1)).connect();
                Connection interpreted =
                        QuarrelServer.shared(Configuration.ALL.get(0)).connect()) {
            limit(oracle, 4_000);
            limit(compiled, 60_000);
            limit(interpreted, 60_000);
            for (int index = 0; index < count && disagreements.size() < MOST_SHOWN; index++) {
                String sql = new AnalyticQuery(new Random(seed + index)).next();
                SqlAnswer right = SqlAnswer.of(oracle, sql);
                if (!(right instanceof SqlAnswer.Rows rows) || rows.rows().size() > MOST_ROWS) {
                    leftOut.merge(
                            right instanceof SqlAnswer.Failure failure ? failure.sqlState() : "rows", 1, Integer::sum);
                    continue;
                }
                SqlAnswer ours = SqlAnswer.of(index % 2 == 0 ? compiled : interpreted, sql);
                if (ours instanceof SqlAnswer.Failure(String state, String message, int _)
                        && (state.equals("0A000") || state.equals("54001"))) {
                    notBuilt.merge(message, 1, Integer::sum);
                } else if (ours instanceof SqlAnswer.Rows found && isSameBut(found, rows)) {
                    leftOut.merge("other digits of equal numerics", 1, Integer::sum);
                } else {
                    answered++;
                    compareTo(rows, ours, "seed " + (seed + index) + ": " + sql, disagreements);
                }
            }
        }
        System.out.println(
                "AnalyticQueryTest: " + answered + " compared, not built: " + notBuilt + ", left out: " + leftOut);
        assertThat(disagreements).as("seed " + seed).isEmpty();
        assertThat(notBuilt.values().stream().mapToInt(Integer::intValue).sum())
                .as("statements not answered: " + notBuilt)
                .isLessThan(count / 20 + 1);
    }

    /// Whether the rows differ, and only in zeros behind the point: of numerics that are equal, a set or a rank may
    /// have any.
    private static boolean isSameBut(SqlAnswer.Rows found, SqlAnswer.Rows right) {
        List<String> ours = found.lines(true);
        List<String> wanted = right.lines(true);
        return !ours.equals(wanted) && withoutZeros(ours).equals(withoutZeros(wanted));
    }

    private static List<String> withoutZeros(List<String> lines) {
        return lines.stream()
                .map(line -> line.replaceAll("(\\.\\d*?)0+(?!\\d)", "$1").replaceAll("\\.(?!\\d)", ""))
                .sorted()
                .toList();
    }

    private static void limit(Connection connection, int milliseconds) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET statement_timeout = " + milliseconds);
        }
    }

    private static void compareTo(SqlAnswer.Rows right, SqlAnswer ours, String sql, List<String> disagreements) {
        if (!(ours instanceof SqlAnswer.Rows rows)) {
            add(sql + "\n    " + ours, disagreements);
            return;
        }
        List<String> found = rows.lines(true);
        List<String> wanted = right.lines(true);
        if (!found.equals(wanted)) {
            List<String> missing = new ArrayList<>(wanted);
            found.forEach(missing::remove);
            List<String> extra = new ArrayList<>(found);
            wanted.forEach(extra::remove);
            String difference = "\n    rows " + found.size() + ", PostgreSQL " + wanted.size() + "\n    extra   "
                    + extra.stream().limit(3).toList() + "\n    missing "
                    + missing.stream().limit(3).toList();
            add(sql + difference, disagreements);
        }
    }

    /// A long run tells at once.
    private static void add(String disagreement, List<String> disagreements) {
        System.out.println(disagreement);
        disagreements.add(disagreement);
    }
}
