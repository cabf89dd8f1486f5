package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random statements with WITH RECURSIVE on PostgreSQL and on Quarrel: the rows must agree, and so must errors.
///
/// `-Drecursive.seed=N` repeats a run, `-Dcount=N` makes a longer one; each statement has a seed of its own.
class RecursiveQueryTest {
    @Test
    void quarrelAgreesWithPostgresql() throws SQLException {
        compare(Integer.getInteger("count", 100), Long.getLong("recursive.seed", 4_100));
    }

    @Test
    @Tag("nightly")
    void quarrelAgreesWithPostgresqlForLong() throws SQLException {
        compare(Integer.getInteger("count", 10_000), Long.getLong("recursive.seed", System.nanoTime()));
    }

    private static void compare(int count, long seed) throws SQLException {
        System.out.println("RecursiveQueryTest -Drecursive.seed=" + seed);
        List<String> disagreements = new ArrayList<>();
        int rows = 0;
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection quarrel =
                        QuarrelServer.shared(Configuration.ALL.get(1)).connect()) {
            for (int index = 0; index < count && disagreements.size() < 20; index++) {
                String sql = new RecursiveQuery(new Random(seed + index)).next();
                SqlAnswer right = SqlAnswer.of(oracle, sql);
                SqlAnswer ours = SqlAnswer.of(quarrel, sql);
                rows += right instanceof SqlAnswer.Rows ? 1 : 0;
                if (!text(right).equals(text(ours))) {
                    disagreements.add(
                            "seed " + (seed + index) + ": " + sql + "\n    " + ours + "\n    PostgreSQL: " + right);
                }
            }
        }
        System.out.println("RecursiveQueryTest: " + rows + " of " + count + " gave rows");
        disagreements.forEach(System.out::println);
        assertThat(disagreements).as("seed " + seed).isEmpty();
        assertThat(rows).isGreaterThan(count * 3 / 4);
    }

    private static String text(SqlAnswer answer) {
        return switch (answer) {
            case SqlAnswer.Rows rows -> rows.lines(true).toString();
            case SqlAnswer.Failure failure -> failure.sqlState();
            default -> answer.toString();
        };
    }
}
