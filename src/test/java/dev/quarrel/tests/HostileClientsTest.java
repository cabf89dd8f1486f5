package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Clients that send what no client sends, leave in the middle, and do not read, beside others that work: the server,
/// a process of its own that is to take 2 GiB, lives, answers at once, and gives back all that the bad ones held.
///
/// `-Dseconds=3600 -Dhostile.seed=N`; the seed is printed.
class HostileClientsTest {
    private static final long SEED = Long.getLong("hostile.seed", 20261127L);
    private static final int HOSTILE = 6;
    private static final int WORKING = 3;

    private static final List<String> STATEMENTS = List.of(
            "SELECT 1",
            "SELECT count(*), sum(amount) FROM orders",
            "SELECT c.city, count(*) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1 ORDER BY 2 DESC, 1",
            "SELECT * FROM types ORDER BY id",
            "SELECT relname FROM pg_class ORDER BY 1",
            "COPY words TO STDOUT",
            "BEGIN; DECLARE c CURSOR FOR SELECT * FROM orders; FETCH 10 FROM c; COMMIT",
            "SELECT pg_sleep(0.05)",
            "SELECT g, repeat('x', 1000) FROM generate_series(1, 20000) g",
            "SELECT 1/0",
            "SELEC 1",
            "SET statement_timeout = '1ms'; SELECT count(*) FROM orders a, orders b WHERE a.amount < b.amount");

    private ServerProcess server;
    private final AtomicLong conversations = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private long peakBytes;
    private volatile boolean isOver;

    @Test
    void theServerOutlivesThemForAWhile() throws Exception {
        run(Integer.getInteger("seconds", 12), 2_000);
    }

    @Test
    @Tag("nightly")
    void theServerOutlivesThem() throws Exception {
        run(Integer.getInteger("seconds", 3600), 100);
    }

    /// @param mostMillis that 99 of 100 `SELECT 1` may take
    private void run(int seconds, int mostMillis) throws Exception {
        System.out.println("hostile clients: -Dhostile.seed=" + SEED);
        try (ServerProcess process = ServerProcess.serve(QuarrelServer.baseTables());
                ExecutorService threads = Executors.newCachedThreadPool()) {
            server = process;
            ask("SELECT count(*) FROM orders"); // opens and compiles what the first statement does
            List<Future<?>> running = new ArrayList<>();
            for (int client = 0; client < HOSTILE; client++) {
                Random random = new Random(SEED + client);
                running.add(threads.submit(() -> misbehave(random)));
            }
            for (int client = 0; client < WORKING; client++) {
                Random random = new Random(SEED + 100 + client);
                running.add(threads.submit(() -> work(random)));
            }
            long[] latencies = probe(seconds);
            isOver = true;
            for (Future<?> each : running) {
                each.get(2, TimeUnit.MINUTES);
            }
            Arrays.sort(latencies);
            System.out.printf(
                    "hostile clients: %d s, %,d bad conversations, %,d statements of others; SELECT 1: median %.1f ms,"
                            + " 99 %% %.1f ms, most %.1f ms; %d MiB at most%n",
                    seconds,
                    conversations.get(),
                    answered.get(),
                    latencies[latencies.length / 2] / 1e6,
                    latencies[latencies.length * 99 / 100] / 1e6,
                    latencies[latencies.length - 1] / 1e6,
                    peakBytes >> 20);
            assertThat(latencies[latencies.length * 99 / 100] / 1e6).isLessThanOrEqualTo(mostMillis);
            assertThat(peakBytes).isLessThanOrEqualTo(ServerProcess.MOST_BYTES);
            assertThat(conversations).hasPositiveValue();
            assertThat(answered).hasPositiveValue();
            requireNothingHeld();
        }
    }

    /// A session of its own that asks `SELECT 1` all the time; the answers' nanoseconds.
    private long[] probe(int seconds) throws SQLException, InterruptedException, IOException {
        List<Long> latencies = new ArrayList<>();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            while (System.nanoTime() < end) {
                long start = System.nanoTime();
                try (ResultSet rows = statement.executeQuery("SELECT 1")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getInt(1)).isEqualTo(1);
                }
                latencies.add(System.nanoTime() - start);
                if (latencies.size() % 100 == 0) {
                    peakBytes = Math.max(peakBytes, server.residentBytes());
                }
                Thread.sleep(10);
            }
        }
        return latencies.stream().mapToLong(Long::longValue).toArray();
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + server.port() + "/quarrel?user=ann");
    }

    private void ask(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                // read to its end
            }
        }
    }

    /// Sessions end a moment after their clients have gone, and with them all that they held.
    private void requireNothingHeld() throws SQLException, InterruptedException {
        server.requireWell();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            long others = -1;
            for (int wait = 0; wait < 200 && others != 0; wait++) {
                Thread.sleep(50);
                try (ResultSet rows = statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")) {
                    assertThat(rows.next()).isTrue();
                    others = rows.getLong(1);
                }
            }
            assertThat(others).isZero();
        }
    }

    private void work(Random random) {
        while (!isOver) {
            try {
                ask(random.nextBoolean() ? "SELECT count(*), sum(amount) FROM orders" : "SELECT * FROM types");
                answered.incrementAndGet();
            } catch (SQLException refused) {
                // A server that is full of the others' sessions may refuse one, and nothing else.
                assertThat(refused.getSQLState()).isEqualTo("53300");
            }
        }
    }

    private void misbehave(Random random) {
        while (!isOver) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                socket.setSoTimeout(300);
                converse(socket, random);
                if (random.nextInt(3) == 0) {
                    socket.setSoLinger(true, 0); // a reset instead of an end
                }
            } catch (IOException _) {
                // The server has ended it, as it may.
            }
            conversations.incrementAndGet();
        }
    }

    private void converse(Socket socket, Random random) throws IOException {
        OutputStream out = socket.getOutputStream();
        switch (random.nextInt(8)) {
            case 0 -> out.write(bytes(random, random.nextInt(200)));
            case 1 -> out.write(startup(random, random.nextInt(1 << 20)));
            case 2 -> out.write(request(random, 80877102, bytes(random, 8))); // a cancel request
            default -> {
                out.write(startup(random, 3 << 16 | random.nextInt(3)));
                read(socket, random);
                for (int message = random.nextInt(12); message > 0; message--) {
                    out.write(mutated(message(random), random));
                    if (random.nextInt(3) == 0) {
                        read(socket, random);
                    }
                }
            }
        }
        if (random.nextBoolean()) {
            read(socket, random);
        }
    }

    /// Some of what has come, all of it, or nothing.
    private static void read(Socket socket, Random random) throws IOException {
        if (random.nextInt(4) == 0) {
            return;
        }
        InputStream in = socket.getInputStream();
        byte[] buffer = new byte[1 << random.nextInt(14)];
        try {
            for (int reads = random.nextInt(20); reads >= 0 && in.read(buffer) >= 0; reads--) {
                // what it says does not matter
            }
        } catch (SocketTimeoutException _) {
            // There was no more.
        }
    }

    private static byte[] message(Random random) {
        String name = random.nextInt(3) == 0 ? "s" + random.nextInt(3) : "";
        String sql = STATEMENTS.get(random.nextInt(STATEMENTS.size()));
        return switch (random.nextInt(9)) {
            case 0, 1 -> message('Q', text(sql));
            case 2 -> message('P', text(name), text(sql), new byte[2]);
            case 3 ->
                message('B', text(""), text(name), shorts(0), shorts(random.nextInt(3)), shorts(random.nextInt(2)));
            case 4 -> message('D', new byte[] {(byte) (random.nextBoolean() ? 'S' : 'P')}, text(name));
            case 5 -> message('E', text(""), new byte[] {0, 0, 0, (byte) random.nextInt(5)});
            case 6 -> message('S');
            case 7 -> message('C', new byte[] {(byte) (random.nextBoolean() ? 'S' : 'P')}, text(name));
            default -> message((char) random.nextInt(128), bytes(random, random.nextInt(40)));
        };
    }

    /// Mostly as it is; else with bytes changed, cut short, or with another length.
    private static byte[] mutated(byte[] message, Random random) {
        switch (random.nextInt(6)) {
            case 0 -> {
                for (int change = random.nextInt(4); change >= 0; change--) {
                    message[random.nextInt(message.length)] = (byte) random.nextInt();
                }
            }
            case 1 -> {
                return Arrays.copyOf(message, random.nextInt(message.length + 1));
            }
            case 2 -> {
                for (int place = 1; place < 5; place++) {
                    message[place] = random.nextBoolean() ? (byte) random.nextInt() : message[place];
                }
            }
            default -> {}
        }
        return message;
    }

    private static byte[] startup(Random random, int version) {
        ByteArrayOutputStream parameters = new ByteArrayOutputStream();
        for (String word : List.of("user", "ann", "database", random.nextInt(5) == 0 ? "nope" : "quarrel")) {
            parameters.writeBytes(text(word));
        }
        if (random.nextInt(4) == 0) {
            parameters.writeBytes(text("options"));
            parameters.writeBytes(text("-c a.b=" + random.nextInt()));
        }
        parameters.write(0);
        return mutated(request(random, version, parameters.toByteArray()), random);
    }

    private static byte[] request(Random random, int code, byte[] content) {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        try (DataOutputStream data = new DataOutputStream(request)) {
            data.writeInt(random.nextInt(20) == 0 ? random.nextInt() : 8 + content.length);
            data.writeInt(code);
            data.write(content);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return request.toByteArray();
    }

    private static byte[] message(char type, byte[]... parts) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        int length = 4 + Arrays.stream(parts).mapToInt(part -> part.length).sum();
        message.write(type);
        for (int shift = 24; shift >= 0; shift -= 8) {
            message.write(length >>> shift);
        }
        for (byte[] part : parts) {
            message.writeBytes(part);
        }
        return message.toByteArray();
    }

    private static byte[] text(String text) {
        return (text + '\0').getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] shorts(int value) {
        return new byte[] {(byte) (value >>> 8), (byte) value};
    }

    private static byte[] bytes(Random random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
