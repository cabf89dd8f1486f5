package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Random SQL/JSON paths on PostgreSQL and on Quarrel: what they find, their texts, and the words of errors must agree.
///
/// `-Dquarrel.seed=N` repeats a run, `-Dcount=N` makes a longer one.
class RandomPathTest {
    @Test
    void pathsFindWhatPostgresqlFinds() throws SQLException {
        compare(Integer.getInteger("count", 400), Long.getLong("quarrel.seed", 20_261_124));
    }

    @Test
    @Tag("nightly")
    void pathsFindWhatPostgresqlFindsForLong() throws SQLException {
        compare(Integer.getInteger("count", 20_000), Long.getLong("quarrel.seed", System.nanoTime()));
    }

    private static void compare(int count, long seed) throws SQLException {
        System.out.println("RandomPathTest -Dquarrel.seed=" + seed);
        RandomPath paths = new RandomPath(new Random(seed));
        List<String> disagreements = new ArrayList<>();
        int found = 0;
        try (Connection oracle = PostgresOracle.shared().connect();
                Connection quarrel =
                        QuarrelServer.shared(Configuration.ALL.getFirst()).connect()) {
            String zone = "";
            for (int index = 0; index < count; index++) {
                if (index % 50 == 0) {
                    zone = "SET TIME ZONE '" + paths.zone() + "'";
                    SqlAnswer.of(oracle, zone);
                    SqlAnswer.of(quarrel, zone);
                }
                String sql = paths.statement();
                SqlAnswer right = SqlAnswer.of(oracle, sql);
                SqlAnswer ours = SqlAnswer.of(quarrel, sql);
                found += right instanceof SqlAnswer.Rows ? 1 : 0;
                if (!right.isSameByMessage(ours)) {
                    disagreements.add(zone + "; " + sql + "\n  " + ours + "\n  PostgreSQL: " + right);
                }
            }
            SqlAnswer.of(oracle, "RESET TIME ZONE");
            SqlAnswer.of(quarrel, "RESET TIME ZONE");
        }
        System.out.println(found + " of " + count + " without an error");
        assertThat(disagreements).as("seed " + seed).isEmpty();
    }
}
