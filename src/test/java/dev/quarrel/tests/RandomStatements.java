package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiPredicate;
import java.util.function.Function;

/// Statements that are made up: PostgreSQL's answers and Quarrel's must agree.
final class RandomStatements {
    private RandomStatements() {}

    /// @param test whose name begins the line that says how to repeat the run
    /// @param isSame whether answers agree, PostgreSQL's and ours
    static void compare(
            Class<?> test,
            int count,
            long seed,
            Function<Random, String> statement,
            BiPredicate<SqlAnswer, SqlAnswer> isSame)
            throws SQLException {
        System.out.println(test.getSimpleName() + " -Dquarrel.seed=" + seed);
        Random random = new Random(seed);
        List<String> disagreements = new ArrayList<>();
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection quarrel =
                        QuarrelServer.shared(Configuration.ALL.getFirst()).connect()) {
            for (int index = 0; index < count; index++) {
                String sql = statement.apply(random);
                SqlAnswer right = SqlAnswer.of(oracle, sql);
                SqlAnswer ours = SqlAnswer.of(quarrel, sql);
                if (!isSame.test(right, ours)) {
                    disagreements.add(sql + "\n  " + ours + "\n  PostgreSQL: " + right);
                }
            }
        }
        assertThat(disagreements).as("seed " + seed).isEmpty();
    }
}
