package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Connections that break in the middle of a range: the export goes on with every row once, or says that it cannot.
final class LostConnectionTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int ROWS = 120_000;
    private static final ColumnRules IN_FOLDERS =
            new ColumnRules(false, List.of(), Optional.empty(), Optional.empty(), false, List.of("id % 13 AS rest"));

    @TempDir
    Path folder;

    private final Random random = new Random(SEED);

    @BeforeAll
    static void fill() throws SQLException {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS lossy CASCADE",
                "CREATE TABLE lossy AS SELECT g AS id, repeat('x', g % 50) || g AS name, CASE WHEN g % 3 = 0 THEN g END"
                        + " AS third FROM generate_series(1, " + ROWS + ") g",
                "DELETE FROM lossy WHERE id % 11 = 0",
                "UPDATE lossy SET third = -1 WHERE id % 101 = 0",
                "CREATE INDEX ON lossy (id)",
                "ANALYZE lossy",
                "CREATE VIEW lossy_view AS SELECT * FROM lossy");
    }

    /// Hands bytes on between clients and the tests' PostgreSQL, and breaks connections off as it is told.
    private static final class Proxy implements AutoCloseable {
        private final ServerSocket door;
        private final Thread accepting;
        private final AtomicInteger connections = new AtomicInteger();
        final AtomicInteger dropped = new AtomicInteger();

        /// How many bytes from the server the next connections pass on; what is missing is unbounded.
        private final long[] budgets;

        Proxy(long... budgets) throws IOException {
            this.budgets = budgets;
            this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            this.accepting = Thread.ofPlatform().daemon(true).start(this::accept);
        }

        String url() {
            return "postgresql://postgres@localhost:" + door.getLocalPort() + "/postgres?sslmode=disable";
        }

        private void accept() {
            while (true) {
                try {
                    Socket client = door.accept();
                    Socket server = new Socket(
                            InetAddress.getLoopbackAddress(),
                            TestPostgres.server().getPort());
                    int number = connections.getAndIncrement();
                    AtomicLong left = new AtomicLong(number < budgets.length ? budgets[number] : Long.MAX_VALUE);
                    Thread.ofPlatform().daemon(true).start(() -> pump(client, server, new AtomicLong(Long.MAX_VALUE)));
                    Thread.ofPlatform().daemon(true).start(() -> pump(server, client, left));
                } catch (IOException closed) {
                    return;
                }
            }
        }

        private void pump(Socket from, Socket to, AtomicLong left) {
            byte[] bytes = new byte[8192];
            try (from;
                    to) {
                while (true) {
                    int read = from.getInputStream().read(bytes);
                    if (read < 0) {
                        return;
                    }
                    int passed = (int) Math.min(read, left.get());
                    to.getOutputStream().write(bytes, 0, passed);
                    to.getOutputStream().flush();
                    if (left.addAndGet(-passed) <= 0) {
                        dropped.incrementAndGet();
                        return;
                    }
                }
            } catch (IOException closed) {
                // One end is gone, and the other follows.
            }
        }

        @Override
        public void close() throws IOException {
            door.close();
        }
    }

    private ExportReport export(
            String url, String table, ColumnRules columns, int workers, long batchBytes, Path root) {
        return Exporter.run(ExportConfig.builder(PostgresSource.parse(url), root)
                .tables(table)
                .columns(columns)
                .workers(workers)
                .batchBytes(batchBytes)
                .build());
    }

    private void rounds(int count, ColumnRules columns, List<String> expected) throws Exception {
        for (int round = 0; round < count; round++) {
            // Of all that the server sends, some 6 MB, a connection passes on this much; connection by connection,
            // readers first.
            long[] budgets = random.longs(6, 20_000, 3_000_000).toArray();
            int workers = 1 + random.nextInt(3);
            // The leader connects after its readers.
            budgets[workers] = Long.MAX_VALUE;
            Path root = folder.resolve("round-" + round);
            try (Proxy proxy = new Proxy(budgets)) {
                export(proxy.url(), "lossy", columns, workers, 1 << (15 + random.nextInt(8)), root);
                assertThat(Rows.ofTable(root, "public", "lossy"))
                        .as("round %d, seed %d, %d dropped", round, SEED, proxy.dropped.get())
                        .isEqualTo(expected);
            }
        }
    }

    private void rounds(int count) throws Exception {
        rounds(count, ColumnRules.DEFAULT, Rows.ofPostgres("lossy", List.of("id", "name", "third")));
    }

    @Test
    @Timeout(120)
    void droppedConnectionsGoOnWhereTheyWere() throws Exception {
        rounds(8);
    }

    @Test
    @Tag("nightly")
    void droppedConnectionsGoOnWhereTheyWereManyTimes() throws Exception {
        rounds(100);
    }

    private void terminate(int count) throws Exception {
        List<String> expected = Rows.ofPostgres("lossy", List.of("id", "name", "third"));
        for (int round = 0; round < count; round++) {
            Path root = folder.resolve("terminated-" + round);
            AtomicLong rows = new AtomicLong();
            AtomicInteger killed = new AtomicInteger();
            int at = random.nextInt(ROWS / 2);
            ExportProgress progress = new ExportProgress() {
                @Override
                public void advanced(String table, long newRows, long bytes) {
                    if (rows.addAndGet(newRows) > at && killed.getAndIncrement() < 2) {
                        try {
                            TestPostgres.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
                                    + " application_name = 'quarrel-export' AND query LIKE 'COPY %'");
                        } catch (SQLException failure) {
                            throw new AssertionError(failure);
                        }
                    }
                }
            };
            Exporter.run(
                    ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), root)
                            .tables("lossy")
                            .workers(2)
                            .batchBytes(300_000)
                            .build(),
                    progress,
                    new Cancellation());
            assertThat(killed.get()).isPositive();
            assertThat(Rows.ofTable(root, "public", "lossy"))
                    .as("round %d, seed %d", round, SEED)
                    .isEqualTo(expected);
        }
    }

    @Test
    @Timeout(120)
    void terminatedBackendsAreReplaced() throws Exception {
        terminate(3);
    }

    @Test
    @Tag("nightly")
    void terminatedBackendsAreReplacedManyTimes() throws Exception {
        terminate(100);
    }

    @Test
    @Timeout(60)
    void aViewBeginsAnewWhileNothingOfItIsWritten() throws Exception {
        try (Proxy proxy = new Proxy(1_000_000)) {
            export(proxy.url(), "lossy_view", ColumnRules.DEFAULT, 1, 100 << 20, folder);
            assertThat(proxy.dropped.get()).isEqualTo(1);
        }
        assertThat(Rows.ofTable(folder, "public", "lossy_view"))
                .isEqualTo(Rows.ofPostgres("lossy_view", List.of("id", "name", "third")));
    }

    @Test
    @Timeout(60)
    void aViewOfWhichRowsAreWrittenFails() throws Exception {
        try (Proxy proxy = new Proxy(3_000_000)) {
            String url = proxy.url();
            assertThatThrownBy(() -> export(url, "lossy_view", ColumnRules.DEFAULT, 1, 1 << 18, folder))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.state()).isEqualTo(SqlState.CONNECTION_FAILURE))
                    .hasMessageContaining("lossy_view");
        }
        assertThat(folder.resolve("lossy_view")).doesNotExist();
    }

    private static List<String> expectedInFolders(String relation) throws SQLException {
        return Rows.ofPostgres(relation, List.of("id", "name", "third", "(id % 13)"));
    }

    private void roundsInFolders(int count) throws Exception {
        rounds(count, IN_FOLDERS, expectedInFolders("lossy"));
    }

    @Test
    @Timeout(120)
    void rowsInFoldersGoOnWhereTheyWere() throws Exception {
        roundsInFolders(6);
    }

    @Test
    @Tag("nightly")
    void rowsInFoldersGoOnWhereTheyWereManyTimes() throws Exception {
        roundsInFolders(100);
    }

    /// Of a view of which some ranges are read and kept, another one begins anew.
    @Test
    @Timeout(60)
    void aViewInFoldersBeginsAnewWhileNothingOfItIsWritten() throws Exception {
        for (long budget : new long[] {300_000, 1_000_000, 2_500_000}) {
            Path root = folder.resolve("view-" + budget);
            try (Proxy proxy = new Proxy(budget)) {
                Exporter.run(ExportConfig.builder(PostgresSource.parse(proxy.url()), root)
                        .tables("lossy_view")
                        .splitBy(List.of("id"))
                        .excluded(List.of("third"))
                        .workers(1)
                        .batchBytes(100 << 20)
                        .columns(new ColumnRules(
                                false,
                                List.of(),
                                Optional.empty(),
                                Optional.empty(),
                                false,
                                List.of("id % 13 AS rest")))
                        .build());
                assertThat(proxy.dropped.get()).isEqualTo(1);
            }
            assertThat(Rows.ofTable(root, "public", "lossy_view"))
                    .isEqualTo(Rows.ofPostgres("lossy_view", List.of("id", "name", "(id % 13)")));
        }
    }

    @Test
    @Timeout(60)
    void aViewInFoldersOfWhichRowsAreWrittenFails() throws Exception {
        try (Proxy proxy = new Proxy(3_000_000)) {
            String url = proxy.url();
            assertThatThrownBy(() -> export(url, "lossy_view", IN_FOLDERS, 1, 1 << 18, folder))
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.state()).isEqualTo(SqlState.CONNECTION_FAILURE));
        }
        assertThat(folder.resolve("lossy_view")).doesNotExist();
    }

    @Test
    @Timeout(60)
    void withoutItsLeaderTheSnapshotIsGone() throws Exception {
        AtomicInteger killed = new AtomicInteger();
        ExportProgress progress = new ExportProgress() {
            @Override
            public void advanced(String table, long rows, long bytes) {
                if (killed.getAndIncrement() == 0) {
                    try {
                        TestPostgres.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
                                + " application_name = 'quarrel-export'");
                    } catch (SQLException failure) {
                        throw new AssertionError(failure);
                    }
                }
            }
        };
        ExportConfig config = ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder)
                .tables("lossy")
                .workers(2)
                .batchBytes(300_000)
                .build();
        assertThatThrownBy(() -> Exporter.run(config, progress, new Cancellation()))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("lossy");
        assertThat(folder.resolve("lossy")).doesNotExist();
    }
}
