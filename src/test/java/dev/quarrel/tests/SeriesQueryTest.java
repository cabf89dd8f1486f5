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

/// Random ASOF and WINDOW joins, LATEST ON and SAMPLE BY in every configuration: the rows are those that PostgreSQL
/// has for the same question in its own syntax.
///
/// `-Dquarrel.seed=N` repeats a run, `-Dcount=N` makes a longer one.
class SeriesQueryTest {
    @ParameterizedTest
    @MethodSource("configurations")
    void rowsAreThoseOfPostgresql(Configuration configuration) throws SQLException {
        compare(configuration, Integer.getInteger("count", 120), Long.getLong("quarrel.seed", 20_261_127));
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
        System.out.println(SeriesQueryTest.class.getSimpleName() + " -Dquarrel.seed=" + seed);
        Random random = new Random(seed);
        List<String> disagreements = new ArrayList<>();
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection quarrel = QuarrelServer.shared(configuration).connect()) {
            for (int index = 0; index < count; index++) {
                SeriesQuery query = SeriesQuery.of(random);
                SqlAnswer right = SqlAnswer.of(oracle, query.theirs());
                SqlAnswer ours = SqlAnswer.of(quarrel, query.ours());
                boolean isSame = right instanceof SqlAnswer.Rows(var _, var expected)
                        && ours instanceof SqlAnswer.Rows(var _, var rows)
                        && rows.equals(expected);
                if (!isSame) {
                    disagreements.add(
                            query.ours() + "\n  " + ours + "\n  PostgreSQL: " + query.theirs() + "\n  " + right);
                }
            }
        }
        assertThat(disagreements).as("seed " + seed).isEmpty();
    }
}
