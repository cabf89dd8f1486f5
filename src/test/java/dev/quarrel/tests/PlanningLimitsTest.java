package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Short texts whose plans are large: each is answered or refused in seconds, and the session lives on.
@Timeout(120)
final class PlanningLimitsTest {
    private static final QuarrelServer SERVER = QuarrelServer.shared(Configuration.ALL.getFirst());

    private static String joined(String separator, int count, IntFunction<String> part) {
        StringJoiner parts = new StringJoiner(separator);
        for (int index = 0; index < count; index++) {
            parts.add(part.apply(index));
        }
        return parts.toString();
    }

    private static String nested(String opening, String inner, String closing, int depth) {
        return opening.repeat(depth) + inner + closing.repeat(depth);
    }

    /// Each WITH query reads the one before twice.
    private static String doubling(String step, int levels) {
        return "with c0 as (select 1 a), "
                + joined(", ", levels, level -> "c" + (level + 1) + " as (" + step.replace("IN", "c" + level) + ")")
                + " select count(*) from c" + levels;
    }

    /// Each sub-query reads the column of the one before twice.
    private static String grown(String expression, String first, int levels) {
        String query = first;
        for (int level = 0; level < levels; level++) {
            query = "select " + expression + " as v from (" + query + ") t" + level;
        }
        return query;
    }

    /// A statement whose planning takes longer than anybody waits.
    private static final String ENDLESS = "select count(*) from "
            + joined(", ", 2500, index -> "(values (1)) t" + index + "(a)")
            + " where "
            + joined(" and ", 2499, index -> "t" + index + ".a = t" + (index + 1) + ".a");

    private static final String ONE_STEP = "select x.a from IN x, IN y";

    @Test
    void whatIsTooLargeIsRefusedAtOnce() throws SQLException {
        Map<String, String> statements = new TreeMap<>(Map.of(
                "joins", doubling(ONE_STEP, 30),
                "unions", doubling("select a from IN union all select a from IN", 30),
                "sub-queries", doubling("select a from IN where a in (select a from IN)", 30),
                "values", doubling("select a + (select max(a) from IN) a from IN", 60)));
        try (Connection connection = SERVER.connect();
                Statement statement = connection.createStatement()) {
            // The first statement of a process loads classes.
            assertThat(answer(statement, doubling(ONE_STEP, 2))).isEqualTo("1");
            statements.forEach((name, sql) -> {
                long start = System.nanoTime();
                assertThatThrownBy(() -> statement.executeQuery(sql))
                        .as(name)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                error -> assertThat(error.getSQLState()).isEqualTo("54001"));
                assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
                        .as(name)
                        .isLessThan(30_000);
            });
            assertThat(answer(statement, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void whatIsLargeIsAnswered() throws SQLException {
        try (Connection connection = SERVER.connect();
                Statement statement = connection.createStatement()) {
            assertThat(answer(statement, doubling(ONE_STEP, 8))).isEqualTo("1");
            assertThat(answer(statement, doubling("select a from IN union all select a from IN", 8)))
                    .isEqualTo("256");
            assertThat(answer(statement, doubling("select a from IN where a in (select a from IN)", 8)))
                    .isEqualTo("1");
            assertThat(answer(statement, grown("v + v", "select 1::bigint v", 31)))
                    .isEqualTo("2147483648");
            assertThat(answer(statement, grown("v + v", "select a::bigint v from (values (1), (1)) q(a)", 31)))
                    .isEqualTo("2147483648");
            assertThat(answer(
                            statement,
                            "select count(*) from (" + grown("v + v", "select a::float8 v from (values (1)) q(a)", 31)
                                    + ") r where v > 2"))
                    .isEqualTo("1");
        }
    }

    @Test
    void planningIsCancelled() throws Exception {
        for (String mode : new String[] {"simple", "extended"}) {
            try (Connection connection = SERVER.connect("preferQueryMode=" + mode);
                    Statement statement = connection.createStatement();
                    Connection other = SERVER.connect();
                    Statement meanwhile = other.createStatement()) {
                // A failure shall not wait for what it left running.
                connection.setNetworkTimeout(Runnable::run, 60_000);
                for (Statement each : new Statement[] {statement, meanwhile}) {
                    assertThat(answer(each, "select count(*) from (values (1), (2)) t(a)"))
                            .isEqualTo("2");
                }
                CompletableFuture<SQLException> outcome = new CompletableFuture<>();
                Thread runner = Thread.ofPlatform().start(() -> {
                    try {
                        statement.executeQuery(ENDLESS).close();
                        outcome.complete(null);
                    } catch (SQLException error) {
                        outcome.complete(error);
                    }
                });
                Thread.sleep(300);
                long start = System.nanoTime();
                String answered = answer(meanwhile, "select 1");
                long served = System.nanoTime() - start;
                start = System.nanoTime();
                statement.cancel();
                SQLException error = outcome.get(60, TimeUnit.SECONDS);
                assertThat(error.getSQLState()).isEqualTo("57014");
                // Some 100 ms; the rest is for a busy machine.
                assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start))
                        .isLessThan(30_000);
                assertThat(answered).isEqualTo("1");
                assertThat(TimeUnit.NANOSECONDS.toMillis(served)).isLessThan(30_000);
                runner.join();
                statement.execute("set statement_timeout = '200ms'");
                assertThatThrownBy(() -> statement.executeQuery(ENDLESS))
                        .hasMessageContaining("canceling statement due to statement timeout");
                assertThat(answer(statement, "select 1")).isEqualTo("1");
            }
        }
    }

    private static String answer(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }
}
