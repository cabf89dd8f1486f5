package dev.quarrel.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.msgpack.core.MessagePackException;

/// A process that is killed under load, again and again: what it acknowledged is there, and nothing is twice.
///
/// Senders do as Fluentd does: a chunk that is not acknowledged is sent again, under its id, to the next process.
class KillTest {
    private static final int SENDERS = 3;
    private static final int CHUNK_EVENTS = 50;

    @TempDir
    Path root;

    private final AtomicInteger port = new AtomicInteger();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private volatile boolean isOver;
    private Process process;

    @Test
    void fiveKills() throws Exception {
        kill(5, Long.getLong("quarrel.seed", 1));
    }

    @Test
    @Tag("nightly")
    void aHundredKills() throws Exception {
        kill(100, Long.getLong("quarrel.seed", 1));
    }

    private void kill(int times, long seed) throws Exception {
        Random random = new Random(seed);
        List<Sender> senders = new ArrayList<>();
        start();
        for (int sender = 0; sender < SENDERS; sender++) {
            senders.add(new Sender(sender));
            senders.getLast().start();
        }
        for (int kill = 0; kill < times; kill++) {
            int before = acknowledged.get();
            long deadline = System.nanoTime() + 60_000_000_000L;
            while (acknowledged.get() < before + 20 && System.nanoTime() < deadline) {
                Thread.sleep(1);
            }
            assertThat(acknowledged.get()).as("seed %d, kill %d", seed, kill).isGreaterThanOrEqualTo(before + 20);
            Thread.sleep(random.nextInt(600));
            process.destroyForcibly().waitFor();
            start();
        }
        isOver = true;
        Set<String> kept = new HashSet<>();
        Set<String> possible = new HashSet<>(); // what was sent last may be kept without being acknowledged
        for (Sender sender : senders) {
            sender.join();
            assertThat(sender.failure).isNull();
            for (int chunk = 0; chunk <= sender.chunk; chunk++) {
                for (int event = 0; event < CHUNK_EVENTS; event++) {
                    String n = Long.toString(number(sender.number, chunk, event));
                    possible.add(n);
                    if (chunk < sender.chunk) {
                        kept.add(n);
                    }
                }
            }
        }
        process.destroyForcibly().waitFor();
        Ingest.open(IngestConfig.of(root)).close(); // what the log has goes into files
        try (DatasetCatalog files = DatasetCatalog.open(root)) {
            List<String> rows = Fixture.rows(files, "kill", "n");
            Set<String> distinct = new HashSet<>(rows);
            assertThat(rows.size()).as("seed %d: rows that are twice", seed).isEqualTo(distinct.size());
            assertThat(distinct.containsAll(kept))
                    .as("seed %d: all that was acknowledged", seed)
                    .isTrue();
            assertThat(possible.containsAll(distinct))
                    .as("seed %d: nothing else", seed)
                    .isTrue();
            System.out.println("kills=" + times + " acknowledged=" + kept.size() + " rows=" + rows.size());
        }
    }

    private static long number(int sender, int chunk, int event) {
        return ((long) sender << 40) + (long) chunk * CHUNK_EVENTS + event;
    }

    @AfterEach
    void endProcess() {
        isOver = true;
        if (process != null) {
            process.destroyForcibly();
        }
    }

    private void start() throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KillTarget.class.getName(),
                        root.toString())
                .redirectError(root.resolveSibling(root.getFileName() + ".log").toFile())
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String line = out.readLine();
        while (line != null && !line.matches("\\d+")) {
            line = out.readLine(); // the log
        }
        Thread.ofVirtual().start(() -> out.lines().forEach(_ -> {}));
        assertThat(line).as("the process's port").isNotNull();
        port.set(Integer.parseInt(line));
    }

    private final class Sender extends Thread {
        private final int number;
        private int chunk; // that is sent until it is acknowledged
        private volatile Throwable failure;

        Sender(int number) {
            this.number = number;
        }

        @Override
        public void run() {
            try {
                while (!isOver) {
                    send();
                }
            } catch (Throwable e) {
                failure = e;
            }
        }

        private void send() throws InterruptedException {
            try (ForwardClient client =
                    new ForwardClient(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.get()))) {
                while (!isOver) {
                    byte[][] events = new byte[CHUNK_EVENTS][];
                    for (int event = 0; event < CHUNK_EVENTS; event++) {
                        long n = number(number, chunk, event);
                        events[event] = ForwardClient.event(Instant.now(), Map.of("n", n, "text", "event " + n));
                    }
                    String id = number + "-" + chunk;
                    client.send(ForwardClient.packed("kill", ForwardClient.events(events), Map.of("chunk", id)));
                    if (!client.ack().equals(id)) {
                        throw new AssertionError("another chunk was acknowledged");
                    }
                    chunk++;
                    acknowledged.incrementAndGet();
                }
            } catch (IOException | MessagePackException e) {
                Thread.sleep(5); // killed: again, with the next process
            }
        }
    }
}
