package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.ingest.Ingest;
import dev.quarrel.ingest.IngestConfig;
import dev.quarrel.ingest.intake.Chunk;
import dev.quarrel.ingest.intake.Receipt;
import dev.quarrel.ingest.msgpack.MsgpackWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Statements over tables whose rows come in meanwhile, and go from memory to files and from small files to larger
/// ones: each sees every row that was acknowledged before, and each row once.
class EventsTest {
    private static final int CHUNK_EVENTS = 97;
    private static final long HOUR_MICROS = 3_600_000_000L;

    @TempDir
    Path root;

    static Iterable<Configuration> configurations() {
        return Configuration.ALL;
    }

    private static Chunk chunk(int number) {
        MsgpackWriter out = new MsgpackWriter(1 << 14);
        for (int event = 0; event < CHUNK_EVENTS; event++) {
            long n = (long) number * CHUNK_EVENTS + event;
            out.array(2);
            out.eventTime(1_795_744_800_000_000L + n % 3 * HOUR_MICROS);
            out.map(n % 5 == 0 ? 3 : 2);
            out.text("n");
            out.integer(n);
            out.text("host");
            out.text("web-" + n % 10);
            if (n % 5 == 0) { // a column that comes and goes
                out.text("fifth" + number / 50 % 3);
                out.real(n / 2.0);
            }
        }
        return new Chunk("events", "tag", "c" + number, out.array(), 0, out.size(), CHUNK_EVENTS);
    }

    private static CompletableFuture<Void> offer(Ingest ingest, Chunk chunk) {
        CompletableFuture<Void> kept = new CompletableFuture<>();
        ingest.intake().offer(chunk, new Receipt() {
            @Override
            public void kept(long rejected) {
                kept.complete(null);
            }

            @Override
            public void refused(QueryException reason) {
                kept.completeExceptionally(reason);
            }
        });
        return kept;
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void eachRowIsSeenOnce(Configuration configuration) throws Exception {
        IngestConfig config = IngestConfig.of(root)
                .withClosing(Duration.ofMillis(100), 8 << 20)
                .withUpkeep(1 << 20, null);
        AtomicInteger acknowledged = new AtomicInteger();
        try (Ingest ingest = Ingest.open(config);
                QuarrelServer server = QuarrelServer.start(ingest.catalog(DatasetCatalog.open(root)), configuration);
                Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            offer(ingest, chunk(0)).get();
            acknowledged.incrementAndGet();
            long end = System.nanoTime() + 3_000_000_000L;
            Thread sender = Thread.ofPlatform().start(() -> {
                for (int number = 1; number < 10 || System.nanoTime() < end; number++) {
                    offer(ingest, chunk(number)).join();
                    acknowledged.incrementAndGet();
                }
            });
            int statements = 0;
            while (sender.isAlive() || statements < 3) {
                long before = (long) acknowledged.get() * CHUNK_EVENTS;
                check(statement, before);
                statements++;
            }
            sender.join();
            long all = (long) acknowledged.get() * CHUNK_EVENTS;
            assertThat(ingest.flush(30_000)).isTrue();
            check(statement, all);
            try (ResultSet rows = statement.executeQuery(
                    "SELECT host, count(*) FROM events WHERE n < 970 GROUP BY host ORDER BY host")) {
                for (int host = 0; host < 10; host++) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1) + rows.getInt(2)).isEqualTo("web-" + host + 97);
                }
            }
        }
    }

    /// All rows from 0 on are there, to one that is not before the last acknowledged.
    private static void check(Statement statement, long acknowledged) throws SQLException {
        try (ResultSet rows = statement.executeQuery(
                "SELECT count(*), count(DISTINCT n), max(n), sum(n), count(tag), count(DISTINCT hour) FROM events")) {
            rows.next();
            long count = rows.getLong(1);
            assertThat(count).isGreaterThanOrEqualTo(acknowledged);
            assertThat(rows.getLong(2)).isEqualTo(count);
            assertThat(rows.getLong(3)).isEqualTo(count - 1);
            assertThat(rows.getLong(4)).isEqualTo(count * (count - 1) / 2);
            assertThat(rows.getLong(5)).isEqualTo(count);
            assertThat(rows.getLong(6)).isEqualTo(3);
        }
        try (ResultSet rows = statement.executeQuery(
                "SELECT count(*) - 32 FROM events WHERE n < 97 AND hour = 3 AND time >= '2026-11-27 03:00+00'"
                        + " UNION ALL SELECT count(*) - 10 FROM events WHERE n < 97 AND host = 'web-1'"
                        + " UNION ALL SELECT count(*) - 20 FROM events WHERE n < 97 AND fifth0 IS NOT NULL")) {
            while (rows.next()) {
                assertThat(rows.getLong(1)).isZero();
            }
        }
    }

    @Test
    void aTransactionKeepsItsRows() throws Exception {
        IngestConfig config = IngestConfig.of(root).withClosing(Duration.ofMillis(50), 8 << 20);
        try (Ingest ingest = Ingest.open(config);
                QuarrelServer server =
                        QuarrelServer.start(ingest.catalog(DatasetCatalog.open(root)), Configuration.ALL.getFirst());
                Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            offer(ingest, chunk(0)).get();
            connection.setAutoCommit(false);
            for (int number = 1; number < 10; number++) {
                try (ResultSet rows = statement.executeQuery("SELECT count(*) FROM events")) {
                    rows.next();
                    assertThat(rows.getInt(1)).isEqualTo(CHUNK_EVENTS);
                }
                offer(ingest, chunk(number)).get();
                assertThat(ingest.flush(20_000)).isTrue();
            }
            connection.commit();
            try (ResultSet rows = statement.executeQuery("SELECT count(*) FROM events")) {
                rows.next();
                assertThat(rows.getInt(1)).isEqualTo(10 * CHUNK_EVENTS);
            }
        }
    }

    /// Rows in memory would come back as a table: neither of them goes.
    @Test
    void aTableWithRowsInMemoryIsNotDropped() throws Exception {
        IngestConfig config = IngestConfig.of(root).withClosing(Duration.ofHours(1), 1 << 30);
        try (Ingest ingest = Ingest.open(config);
                QuarrelServer server = QuarrelServer.startWritable(
                        ingest.catalog(DatasetCatalog.open(root)), Configuration.ALL.getFirst());
                Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            for (int pass = 0; pass < 2; pass++) { // in memory alone, and in files, too
                offer(ingest, chunk(2 * pass)).get();
                for (String drop : new String[] {"DROP TABLE events", "DROP TABLE IF EXISTS public.events CASCADE"}) {
                    assertThatThrownBy(() -> statement.execute(drop))
                            .isInstanceOfSatisfying(
                                    SQLException.class,
                                    wrong -> assertThat(wrong.getSQLState()).isEqualTo("0A000"));
                }
                assertThat(ingest.flush(20_000)).isTrue();
                offer(ingest, chunk(2 * pass + 1)).get();
            }
            assertThat(ingest.flush(20_000)).isTrue();
            try (ResultSet rows = statement.executeQuery("SELECT count(*) FROM events")) {
                rows.next();
                assertThat(rows.getInt(1)).isEqualTo(4 * CHUNK_EVENTS);
            }
            statement.execute("DROP TABLE events");
            assertThatThrownBy(() -> statement.executeQuery("SELECT count(*) FROM events"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            wrong -> assertThat(wrong.getSQLState()).isEqualTo("42P01"));
        }
    }
}
