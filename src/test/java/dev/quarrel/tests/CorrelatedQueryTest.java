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

/// Random statements with correlated sub-queries at several levels on PostgreSQL and on Quarrel: the rows must agree.
///
/// Where PostgreSQL fails the statement is left out. Where Quarrel says 0A000 or 54001 the statement counts as not
/// built. `-Dcorrelated.seed=N` repeats a run, `-Dcount=N` makes a longer one; each statement has a seed of its own.
class CorrelatedQueryTest {
    @Test
    void quarrelAgreesWithPostgresql() throws SQLException {
        compare(Integer.getInteger("count", 100), Long.getLong("correlated.seed", 3_200));
    }

    @Test
    @Tag("nightly")
    void quarrelAgreesWithPostgresqlForLong() throws SQLException {
        compare(Integer.getInteger("count", 20_000), Long.getLong("correlated.seed", System.nanoTime()));
    }

    private static void compare(int count, long seed) throws SQLException {
        System.out.println("CorrelatedQueryTest -Dcorrelated.seed=" + seed);
        List<String> disagreements = new ArrayList<>();
        Map<String, Integer> notBuilt = new TreeMap<>();
        int answered = 0;
        Map<String, Integer> other = new TreeMap<>();
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection quarrel =
                        QuarrelServer.shared(Configuration.ALL.get(1)).connect()) {
            limit(oracle, 2_000);
            limit(quarrel, 20_000);
            for (int index = 0; index < count && disagreements.size() < 20; index++) {
                String sql = new CorrelatedQuery(new Random(seed + index)).next();
                if (!(SqlAnswer.of(oracle, sql) instanceof SqlAnswer.Rows right)
                        || right.rows().size() > 10_000) {
                    continue;
                }
                SqlAnswer ours = SqlAnswer.of(quarrel, sql);
                if (ours instanceof SqlAnswer.Failure(String state, String message, int _)
                        && (state.equals("0A000") || state.equals("54001"))) {
                    notBuilt.merge(message, 1, Integer::sum);
                } else if (ours instanceof SqlAnswer.Failure(String state, String _, int _)
                        && (state.equals("57014") || state.equals("21000"))) {
                    // PostgreSQL may never have come to the rows for which a scalar query has several.
                    other.merge(state, 1, Integer::sum);
                } else {
                    answered++;
                    compareTo(right, ours, "seed " + (seed + index) + ": " + sql, disagreements);
                }
            }
        }
        System.out.println(
                "CorrelatedQueryTest: " + answered + " compared, not built: " + notBuilt + ", other: " + other);
        disagreements.forEach(System.out::println);
        assertThat(disagreements).as("seed " + seed).isEmpty();
        assertThat(notBuilt.values().stream().mapToInt(Integer::intValue).sum())
                .as("statements not answered: " + notBuilt)
                .isLessThan(count / 10 + 1);
    }

    private static void limit(Connection connection, int milliseconds) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET statement_timeout = " + milliseconds);
        }
    }

    private static void compareTo(SqlAnswer.Rows right, SqlAnswer ours, String sql, List<String> disagreements) {
        if (!(ours instanceof SqlAnswer.Rows rows)) {
            disagreements.add(sql + "\n    " + ours);
        } else if (!rows.lines(true).equals(right.lines(true))) {
            disagreements.add(sql + "\n    " + rows.lines(true) + "\n    PostgreSQL: " + right.lines(true));
        }
    }
}
