package dev.quarrel.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.msgpack.core.MessagePackException;

/// A disk that becomes full: senders are not acknowledged any more, what was acknowledged is there, and with room all
/// goes on.
class FullDiskTest {
    @TempDir
    Path folder;

    private Path disk;

    private static boolean run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            run("umount", "-l", disk.toString());
        }
    }

    @Test
    void nothingAcknowledgedIsLost() throws Exception {
        Path mount = folder.resolve("disk");
        Files.createDirectories(mount);
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", mount.toString()),
                "a file system in memory needs root");
        disk = mount;
        Path root = disk.resolve("data");
        Path ballast = disk.resolve("ballast");
        IngestConfig config = IngestConfig.of(root).withClosing(Duration.ofMillis(500), 64 << 20);
        int acknowledged = 0;
        try (Fixture fixture = new Fixture(config)) {
            Files.write(ballast, new byte[2 << 20]);
            boolean isFull = false;
            while (!isFull) {
                try (ForwardClient client = fixture.client()) {
                    while (true) {
                        client.send(chunk(acknowledged));
                        client.ack();
                        acknowledged++;
                    }
                } catch (IOException | MessagePackException _) {
                    isFull = true; // the connection ends in place of an acknowledgement
                }
            }
            assertThat(acknowledged).isPositive();
            assertThat(fixture.ingest.counts().refusedChunks()).isPositive();
            assertThat(fixture.rows("full", "n")).hasSize(acknowledged * 100).doesNotHaveDuplicates();
            Files.delete(ballast);
            int before = acknowledged;
            long deadline = System.nanoTime() + 60_000_000_000L;
            while (acknowledged == before && System.nanoTime() < deadline) {
                try (ForwardClient client = fixture.client()) {
                    client.send(chunk(acknowledged));
                    client.ack();
                    acknowledged++;
                } catch (IOException | MessagePackException _) {
                    Thread.sleep(50);
                }
            }
            assertThat(acknowledged).isEqualTo(before + 1);
            assertThat(fixture.rows("full", "n")).hasSize(acknowledged * 100).doesNotHaveDuplicates();
        }
        try (Fixture again = new Fixture(config)) {
            assertThat(again.rows("full", "n")).hasSize(acknowledged * 100).doesNotHaveDuplicates();
        }
        try (DatasetCatalog files = DatasetCatalog.open(root)) {
            assertThat(files).isNotNull(); // its manifest is whole
        }
    }

    private static byte[] chunk(int number) {
        byte[][] events = new byte[100][];
        for (int event = 0; event < events.length; event++) {
            events[event] = ForwardClient.event(
                    Instant.now(), Map.of("n", number * 100 + event, "text", "filler ".repeat(20) + number));
        }
        return ForwardClient.packed("full", ForwardClient.events(events), Map.of("chunk", "f" + number));
    }
}
