package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sessions side by side, some with statements that last for hours.
@Timeout(120)
class FairSessionsTest {
    private static final List<String> ENDLESS = List.of(
            "SELECT count(*) FROM orders a, orders b, orders c WHERE a.amount + b.amount > c.amount",
            "SELECT a.id, count(*) FROM orders a, orders b, orders c WHERE a.amount + b.amount > c.amount GROUP BY 1",
            "SELECT count(*) FROM orders a LEFT JOIN orders b ON a.amount < b.amount JOIN orders c ON b.id <> c.id");
    private static final List<String> SHORT = List.of(
            "SELECT 1", "SELECT count(*), sum(quantity) FROM orders", "SELECT name FROM customers WHERE id = 7");

    @Test
    void shortStatementsAreAnsweredWhateverRuns() throws Exception {
        try (QuarrelServer server = QuarrelServer.start(QuarrelServer.baseTables(), Configuration.ALL.get(1));
                Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            List<Statement> endless = new ArrayList<>();
            List<CompletableFuture<Throwable>> ends = new ArrayList<>();
            for (String sql : ENDLESS) {
                Statement running = server.connect().createStatement();
                endless.add(running);
                CompletableFuture<Throwable> end = new CompletableFuture<>();
                ends.add(end);
                Thread.ofPlatform().daemon().start(() -> end.complete(catchThrowable(() -> running.execute(sql))));
            }
            Thread.sleep(500);
            List<Long> nanos = new ArrayList<>();
            for (int round = 0; round < 20; round++) {
                for (String sql : SHORT) {
                    long started = System.nanoTime();
                    try (ResultSet rows = statement.executeQuery(sql)) {
                        assertThat(rows.next()).isTrue();
                    }
                    nanos.add(System.nanoTime() - started);
                }
            }
            assertThat(ends).noneMatch(CompletableFuture::isDone);
            nanos.sort(null);
            // Generous: the machine may have other things to do.
            assertThat(nanos.get(nanos.size() / 2)).isLessThan(TimeUnit.SECONDS.toNanos(1));
            assertThat(nanos.getLast()).isLessThan(TimeUnit.SECONDS.toNanos(20));

            for (Statement running : endless) {
                running.cancel();
            }
            for (CompletableFuture<Throwable> end : ends) {
                assertThat(end.get(10, TimeUnit.SECONDS))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                error -> assertThat(error.getSQLState()).isEqualTo("57014"));
            }
            for (Statement running : endless) {
                running.getConnection().close();
            }
        }
    }

    /// 1.4 million wide rows, a few hundred megabytes: they come through a few.
    @Test
    void aJoinWaitsForItsReader() throws Exception {
        try (QuarrelServer server = QuarrelServer.start(QuarrelServer.baseTables(), Configuration.ALL.get(1));
                Connection connection = server.connect();
                Statement statement = connection.createStatement();
                Statement other = server.connect().createStatement()) {
            statement.execute("SET quarrel.query_memory = '64MB'");
            connection.setAutoCommit(false);
            statement.setFetchSize(2000);
            long count = 0;
            try (ResultSet rows = statement.executeQuery("SELECT * FROM orders, customers")) {
                while (rows.next()) {
                    if (count++ % 2000 == 0 && count < 40_000) {
                        Thread.sleep(20);
                        other.executeQuery("SELECT count(*) FROM orders").close();
                    }
                }
            }
            assertThat(count).isEqualTo(7000L * 202);
            other.getConnection().close();
        }
    }
}
