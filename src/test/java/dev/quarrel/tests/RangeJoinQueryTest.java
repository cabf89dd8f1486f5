package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random joins by a range in every configuration: rows and errors are PostgreSQL's.
///
/// `-Dquarrel.seed=N` repeats a run, `-Dcount=N` makes a longer one.
class RangeJoinQueryTest {
    @ParameterizedTest
    @MethodSource("configurations")
    void rowsAreThoseOfPostgresql(Configuration configuration) throws SQLException {
        compare(configuration, Integer.getInteger("count", 100), Long.getLong("quarrel.seed", 20_261_127));
    }

    @ParameterizedTest
    @MethodSource("configurations")
    @Tag("nightly")
    void rowsAreThoseOfPostgresqlForLong(Configuration configuration) throws SQLException {
        compare(configuration, Integer.getInteger("count", 2_000), Long.getLong("quarrel.seed", System.nanoTime()));
    }

    static List<Configuration> configurations() {
        return Configuration.ALL;
    }

    private static void compare(Configuration configuration, int count, long seed) throws SQLException {
        System.out.println(RangeJoinQueryTest.class.getSimpleName() + " -Dquarrel.seed=" + seed);
        Random random = new Random(seed);
        List<String> disagreements = new ArrayList<>();
        int failed = 0;
        int ranges = 0;
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection quarrel = QuarrelServer.shared(configuration).connect()) {
            for (int index = 0; index < count; index++) {
                String query = RangeJoinQuery.of(random);
                SqlAnswer right = SqlAnswer.of(oracle, query);
                SqlAnswer ours = SqlAnswer.of(quarrel, query);
                failed += right instanceof SqlAnswer.Rows ? 0 : 1;
                ranges += SqlAnswer.of(quarrel, "EXPLAIN " + query).toString().contains("Range: ") ? 1 : 0;
                boolean isSame = right instanceof SqlAnswer.Rows(var _, var expected)
                        ? ours instanceof SqlAnswer.Rows(var _, var rows) && rows.equals(expected)
                        : ours.isSameByState(right);
                if (!isSame) {
                    disagreements.add(query + "\n  " + ours + "\n  PostgreSQL:\n  " + right);
                }
            }
        }
        assertThat(disagreements).as("seed " + seed).isEmpty();
        // Or it compares nothing of what it is for.
        assertThat(failed).as("errors of " + count).isLessThan(count / 4);
        assertThat(ranges).as("ranges of " + count).isGreaterThan(count / 2);
    }
}
