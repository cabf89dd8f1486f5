package dev.quarrel.bench;

import dev.quarrel.ingest.msgpack.MsgpackWriter;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/// How many events a second a server keeps, and how long after it is sent an event is seen by a statement.
///
/// ```
/// taskset -c 0 ./quarrel serve --data ROOT --ingest forward=24224 …
/// taskset -c 1 java … dev.quarrel.bench.IngestRates 24224 5433 30 [events a second]
/// ```
///
/// One connection sends chunks of 1,000 events of 10 fields in packed mode, at most 16 of them not acknowledged;
/// another asks for the greatest number that is there, again and again. At the end the rows are counted.
final class IngestRates {
    private static final int CHUNK_EVENTS = 1000;
    private static final int WINDOW = 16;
    private static final long LATE_MICROS = 500_000;
    private static final int MOST_CHUNKS = 1_000_000;

    private final long[] sentNanos = new long[MOST_CHUNKS];
    private final long[] ackMicros = new long[MOST_CHUNKS];
    private final long[] seenMicros = new long[MOST_CHUNKS];
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong acked = new AtomicLong();
    private final CountDownLatch looking = new CountDownLatch(1);
    private volatile int seen;
    private volatile boolean isOver;

    private IngestRates() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        int sqlPort = Integer.parseInt(arguments[1]);
        int seconds = Integer.parseInt(arguments[2]);
        long rate = arguments.length > 3 ? Long.parseLong(arguments[3]) : 0;
        new IngestRates().run(port, sqlPort, seconds, rate);
    }

    private void run(int port, int sqlPort, int seconds, long rate) throws Exception {
        String tag = "rates" + UUID.randomUUID().toString().substring(0, 8);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            Semaphore window = new Semaphore(WINDOW);
            Thread acknowledgements = Thread.ofPlatform().start(() -> readAcknowledgements(socket, window));
            if (sqlPort == 0) {
                looking.countDown();
            }
            Thread looker = sqlPort == 0 ? null : Thread.ofPlatform().start(() -> look(sqlPort, tag));
            looking.await();
            long start = System.nanoTime();
            long end = start + seconds * 1_000_000_000L;
            OutputStream out = socket.getOutputStream();
            long bytes = 0;
            for (int chunk = 0; System.nanoTime() < end && chunk < MOST_CHUNKS; chunk++) {
                byte[] message = message(tag, chunk);
                window.acquire();
                if (rate > 0) {
                    long due = start + (long) chunk * CHUNK_EVENTS * 1_000_000_000L / rate;
                    while (System.nanoTime() < due) {
                        Thread.sleep(0, 100_000);
                    }
                }
                sentNanos[chunk] = System.nanoTime();
                sent.incrementAndGet();
                out.write(message);
                bytes += message.length;
            }
            window.acquire(WINDOW);
            long elapsed = System.nanoTime() - start;
            int chunks = (int) sent.get();
            while (looker != null && seen < chunks) {
                Thread.sleep(1);
            }
            isOver = true;
            socket.shutdownOutput();
            socket.shutdownInput();
            acknowledgements.join();
            System.out.printf(
                    "events=%d bytes=%d seconds=%.2f events_per_s=%,.0f%n",
                    (long) chunks * CHUNK_EVENTS, bytes, elapsed / 1e9, chunks * (double) CHUNK_EVENTS * 1e9 / elapsed);
            print("sent to acknowledged", ackMicros, chunks);
            if (looker != null) {
                looker.join();
                print("sent to seen", seenMicros, chunks);
                printStalls(chunks);
                count(sqlPort, tag, (long) chunks * CHUNK_EVENTS);
            }
        }
    }

    private static void print(String what, long[] micros, int chunks) {
        long[] sorted = Arrays.copyOf(micros, chunks);
        Arrays.sort(sorted);
        System.out.printf(
                "%s, ms: median=%.1f p99=%.1f max=%.1f%n",
                what, sorted[chunks / 2] / 1e3, sorted[(int) (chunks * 0.99)] / 1e3, sorted[chunks - 1] / 1e3);
    }

    /// When events were sent that were seen late.
    private void printStalls(int chunks) {
        long from = -1;
        for (int chunk = 0; chunk <= chunks; chunk++) {
            boolean isLate = chunk < chunks && seenMicros[chunk] > LATE_MICROS;
            if (isLate && from < 0) {
                from = chunk;
            } else if (!isLate && from >= 0) {
                System.out.printf(
                        "seen late: sent from %.1f s to %.1f s%n",
                        (sentNanos[(int) from] - sentNanos[0]) / 1e9, (sentNanos[chunk - 1] - sentNanos[0]) / 1e9);
                from = -1;
            }
        }
    }

    private void readAcknowledgements(Socket socket, Semaphore window) {
        try {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] ack = new byte[1 + 4 + 1 + 16]; // a map of one, "ack", a text of 16
            while (true) {
                in.readFully(ack);
                int chunk = Integer.parseInt(new String(ack, 14, 8, StandardCharsets.US_ASCII), 16);
                ackMicros[chunk] = (System.nanoTime() - sentNanos[chunk]) / 1000;
                acked.incrementAndGet();
                window.release();
            }
        } catch (IOException e) {
            if (!isOver) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Connection connect(int port) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/", "bench", "");
    }

    private void look(int port, String table) {
        try (Connection connection = connect(port);
                Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT max(oid::bigint) FROM pg_class").close();
            looking.countDown();
            while (!isOver) {
                long greatest = -1;
                try (ResultSet rows = statement.executeQuery("SELECT max(n) FROM " + table)) {
                    if (rows.next()) {
                        greatest = rows.getLong(1);
                    }
                } catch (SQLException e) {
                    if (!"42P01".equals(e.getSQLState())) {
                        throw e;
                    }
                }
                long now = System.nanoTime();
                while ((seen + 1L) * CHUNK_EVENTS <= greatest + 1) {
                    seenMicros[seen] = (now - sentNanos[seen]) / 1000;
                    seen = seen + 1; // by this thread alone
                }
                Thread.sleep(2);
            }
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void count(int port, String table, long expected) throws SQLException {
        try (Connection connection = connect(port);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*), count(DISTINCT n) FROM " + table)) {
            rows.next();
            boolean isRight = rows.getLong(1) == expected && rows.getLong(2) == expected;
            System.out.println(
                    "rows=" + rows.getLong(1) + " distinct=" + rows.getLong(2) + (isRight ? " as sent" : " WRONG"));
        }
    }

    private static byte[] message(String tag, int chunk) {
        MsgpackWriter events = new MsgpackWriter(CHUNK_EVENTS * 220);
        long now = System.currentTimeMillis() * 1000;
        for (int event = 0; event < CHUNK_EVENTS; event++) {
            long number = (long) chunk * CHUNK_EVENTS + event;
            events.array(2);
            events.eventTime(now + event);
            events.map(10);
            events.text("n");
            events.integer(number);
            events.text("host");
            events.text("web-" + number % 32);
            events.text("method");
            events.text(number % 7 == 0 ? "POST" : "GET");
            events.text("path");
            events.text("/api/v1/items/" + number % 100_003);
            events.text("status");
            events.integer(number % 50 == 0 ? 500 : 200);
            events.text("bytes");
            events.integer(number * 31 % 65_537);
            events.text("took");
            events.real(number % 1000 / 8.0);
            events.text("remote");
            events.text("10.0." + number % 256 + "." + number % 251);
            events.text("agent");
            events.text("Mozilla/5.0 (X11; Linux x86_64) Firefox/128");
            events.text("level");
            events.text(number % 50 == 0 ? "error" : "info");
        }
        MsgpackWriter out = new MsgpackWriter(events.size() + 64);
        out.array(3);
        out.text(tag);
        out.binary(events.array(), 0, events.size());
        out.map(1);
        out.text("chunk");
        out.text("%08x%08x".formatted(tag.hashCode(), chunk)); // known again for a while, so of this run alone
        return out.toArray();
    }
}
