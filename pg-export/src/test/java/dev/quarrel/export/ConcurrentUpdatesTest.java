package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Money moves between two tables while they are exported: every export holds all of it.
final class ConcurrentUpdatesTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final int ACCOUNTS = 30_000;
    private static final long TOTAL = 2L * ACCOUNTS * 100;

    @TempDir
    Path folder;

    private final AtomicInteger transfers = new AtomicInteger();

    /// Moves money by updates, which write new row versions on other pages, and splits and joins accounts.
    private void transferUntil(AtomicBoolean stop, long seed) throws SQLException {
        Random random = new Random(seed);
        try (Connection connection = TestPostgres.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (!stop.get()) {
                String from = random.nextBoolean() ? "savings" : "checking";
                String to = random.nextBoolean() ? "savings" : "checking";
                int first = random.nextInt(ACCOUNTS);
                int last = first + random.nextInt(300);
                statement.execute("WITH moved AS (UPDATE " + from + " SET balance = balance - 1 WHERE id BETWEEN "
                        + first + " AND " + last + " RETURNING 1) UPDATE counters SET n = (SELECT count(*) FROM moved)"
                        + " WHERE id = " + (seed & 3));
                statement.execute("INSERT INTO " + to + " SELECT " + random.nextInt(ACCOUNTS)
                        + ", n FROM counters WHERE id = " + (seed & 3));
                statement.execute(
                        "WITH gone AS (DELETE FROM " + to + " WHERE id BETWEEN " + first + " AND " + (first + 2)
                                + " RETURNING id, balance) INSERT INTO " + from + " SELECT id, balance FROM gone");
                connection.commit();
                transfers.incrementAndGet();
            }
        }
    }

    private long total(String table) {
        return Rows.ofTable(folder, "public", table).stream()
                .mapToLong(row -> Long.parseLong(row.substring(row.indexOf('|') + 1)))
                .sum();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 32})
    void sumsStayConstant(int workers) throws Exception {
        duringUpdates(() -> {
            for (int run = 0; run < 3; run++) {
                int before = transfers.get();
                Exporter.run(config(workers).build());
                assertThat(total("savings") + total("checking"))
                        .as("run %d, %d transfers meanwhile", run, transfers.get() - before)
                        .isEqualTo(TOTAL);
            }
        });
    }

    /// Every row as one connection alone sees it in the same snapshot.
    private void exportsEqualADump(int rounds, int... workers) throws Exception {
        duringUpdates(() -> {
            for (int round = 0; round < rounds; round++) {
                try (Connection holder = TestPostgres.connect();
                        Statement statement = holder.createStatement()) {
                    statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
                    String snapshot =
                            column(statement, "SELECT pg_export_snapshot()").getFirst();
                    Exporter.run(config(workers[round % workers.length])
                            .snapshot(snapshot)
                            .build());
                    for (String table : List.of("savings", "checking")) {
                        assertThat(Rows.ofTable(folder, "public", table))
                                .as("round %d, table %s", round, table)
                                .isEqualTo(column(statement, "SELECT id || '|' || balance FROM " + table));
                    }
                }
            }
        });
    }

    private static List<String> column(Statement statement, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        values.sort(null);
        return values;
    }

    @Test
    void everyRowIsAsInASerialDump() throws Exception {
        exportsEqualADump(4, 1, 2, 8, 32);
    }

    @Test
    @Tag("nightly")
    void everyRowIsAsInASerialDumpAHundredTimes() throws Exception {
        exportsEqualADump(100, 1, 2, 8, 32);
    }

    private ExportConfig.Builder config(int workers) {
        return ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder)
                .tables("savings", "checking")
                .workers(workers)
                .batchBytes(100_000);
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private void duringUpdates(Work work) throws Exception {
        System.out.println("ConcurrentUpdatesTest: -Dquarrel.seed=" + SEED);
        TestPostgres.execute(
                "DROP TABLE IF EXISTS savings, checking, counters",
                "CREATE TABLE savings (id int, balance bigint) PARTITION BY HASH (id)",
                "CREATE TABLE savings_0 PARTITION OF savings FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                "CREATE TABLE savings_1 PARTITION OF savings FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
                "INSERT INTO savings SELECT g, 100 FROM generate_series(1, " + ACCOUNTS + ") g",
                "CREATE TABLE checking AS SELECT * FROM savings",
                "CREATE INDEX ON savings (id)",
                "CREATE INDEX ON checking (id)",
                "CREATE TABLE counters AS SELECT g AS id, 0::bigint AS n FROM generate_series(0, 3) g");
        AtomicBoolean stop = new AtomicBoolean();
        List<Throwable> failures = new ArrayList<>();
        List<Thread> updaters = new ArrayList<>();
        for (int updater = 0; updater < 2; updater++) {
            long seed = SEED * 4 + updater;
            updaters.add(Thread.ofPlatform().start(() -> {
                try {
                    transferUntil(stop, seed);
                } catch (SQLException failure) {
                    // Two updaters may lock each other out; PostgreSQL ends one, which has changed nothing then.
                    if (!"40P01".equals(failure.getSQLState())) {
                        synchronized (failures) {
                            failures.add(failure);
                        }
                    }
                }
            }));
        }
        try {
            while (transfers.get() < 5 && updaters.stream().anyMatch(Thread::isAlive)) {
                Thread.sleep(10);
            }
            work.run();
        } finally {
            stop.set(true);
            for (Thread updater : updaters) {
                updater.join();
            }
        }
        assertThat(failures).isEmpty();
        assertThat(transfers.get()).isGreaterThan(5);
    }

    /// Whoever wants a table for himself waits for the export, and the export never for him.
    @Test
    @Timeout(60)
    void truncateWaitsForTheExport() throws Exception {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS emptied, next_table",
                "CREATE TABLE emptied AS SELECT g AS a, repeat('x', 100) AS t FROM generate_series(1, 200000) g",
                "CREATE TABLE next_table AS SELECT * FROM emptied");
        List<Thread> truncating = new ArrayList<>();
        AtomicBoolean begun = new AtomicBoolean();
        ExportProgress truncateMeanwhile = new ExportProgress() {
            @Override
            public void tableStarted(String table, long estimatedRows) {
                if (begun.compareAndSet(false, true)) {
                    for (String each : List.of("emptied", "next_table")) {
                        truncating.add(Thread.ofPlatform().start(() -> executeUnchecked("TRUNCATE " + each)));
                    }
                    waitForWaiting(2);
                }
            }
        };
        ExportReport report = Exporter.run(
                ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder)
                        .tables("emptied", "next_table")
                        .workers(4)
                        .build(),
                truncateMeanwhile,
                new Cancellation());
        assertThat(report.rowCount()).isEqualTo(400_000);
        for (Thread thread : truncating) {
            thread.join();
        }
    }

    /// Locks that come between the connections of one export make it begin again, not hang.
    @Test
    @Timeout(120)
    void exclusiveLocksMayComeAtAnyTime() throws Exception {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS contended",
                "CREATE TABLE contended AS SELECT g AS a, repeat('x', 100) AS t FROM generate_series(1, 20000) g");
        AtomicBoolean stop = new AtomicBoolean();
        Thread locker = Thread.ofPlatform().start(() -> {
            while (!stop.get()) {
                executeUnchecked(
                        "BEGIN; LOCK TABLE contended IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.002); COMMIT; SELECT pg_sleep(0.01)");
            }
        });
        try {
            for (int run = 0; run < 5; run++) {
                ExportReport report =
                        Exporter.run(ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder)
                                .tables("contended")
                                .workers(4)
                                .build());
                assertThat(report.rowCount()).isEqualTo(20_000);
            }
        } finally {
            stop.set(true);
            locker.join();
        }
    }

    private static void executeUnchecked(String sql) {
        try {
            TestPostgres.execute(sql);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void waitForWaiting(int count) {
        try (Connection connection = TestPostgres.connect();
                Statement statement = connection.createStatement()) {
            int waiting = 0;
            while (waiting < count) {
                try (ResultSet rows = statement.executeQuery(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'")) {
                    rows.next();
                    waiting = rows.getInt(1);
                }
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
