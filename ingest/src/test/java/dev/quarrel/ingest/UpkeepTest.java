package dev.quarrel.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Small files become one, and old ones go, while rows stay as they are.
class UpkeepTest {
    @TempDir
    Path root;

    private static List<Path> files(Path folder) throws Exception {
        try (var paths = Files.walk(folder)) {
            return paths.filter(path -> path.toString().endsWith(".arrow")).toList();
        }
    }

    @Test
    void smallFilesOfAnHourAreMerged() throws Exception {
        List<String> expected = new ArrayList<>();
        try (Fixture fixture = new Fixture(root);
                ForwardClient client = fixture.client()) {
            for (int chunk = 0; chunk < 9; chunk++) {
                Map<String, Object> record = chunk < 5
                        ? Map.of("n", chunk, "flag", true)
                        : Map.of("n", chunk, "late", "text " + chunk, "deep", List.of(chunk));
                expected.add(chunk + "|" + (chunk < 5 ? "t|-|-" : "-|text " + chunk + "|[" + chunk + "]"));
                client.send(ForwardClient.packed(
                        "m", ForwardClient.event(Instant.now(), record), Map.of("chunk", "m" + chunk)));
                client.ack();
                assertThat(fixture.ingest.flush(20_000)).isTrue();
            }
            long deadline = System.nanoTime() + 30_000_000_000L;
            while (fixture.ingest.counts().mergedFiles() == 0 && System.nanoTime() < deadline) {
                assertThat(fixture.rows("m", "n", "flag", "late", "deep"))
                        .containsExactlyInAnyOrderElementsOf(expected);
                Thread.sleep(20);
            }
            assertThat(fixture.ingest.counts().mergedFiles()).isGreaterThanOrEqualTo(8);
            assertThat(fixture.rows("m", "n", "flag", "late", "deep")).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(files(root.resolve("m")).size()).isLessThanOrEqualTo(2);
            client.send(ForwardClient.packed(
                    "m", ForwardClient.event(Instant.now(), Map.of("n", 9)), Map.of("chunk", "m9")));
            client.ack();
            expected.add("9|-|-|-");
            assertThat(fixture.rows("m", "n", "flag", "late", "deep")).containsExactlyInAnyOrderElementsOf(expected);
        }
        try (DatasetCatalog files = DatasetCatalog.open(root)) {
            assertThat(Fixture.rows(files, "m", "n", "flag", "late", "deep"))
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void oldDaysGo() throws Exception {
        IngestConfig config = IngestConfig.of(root).withUpkeep(0, Duration.ofDays(30));
        try (Fixture fixture = new Fixture(config);
                ForwardClient client = fixture.client()) {
            byte[] events = ForwardClient.events(
                    ForwardClient.event(Instant.now(), Map.of("n", 1)),
                    ForwardClient.event(Instant.now().minus(Duration.ofDays(40)), Map.of("n", 2)));
            client.send(ForwardClient.packed("d", events, Map.of("chunk", "d1")));
            client.send(ForwardClient.packed(
                    "gone",
                    ForwardClient.event(Instant.now().minus(Duration.ofDays(40)), Map.of("n", 3)),
                    Map.of("chunk", "d2")));
            client.ack();
            client.ack();
            assertThat(fixture.rows("d", "n")).containsExactlyInAnyOrder("1", "2");
            assertThat(fixture.ingest.flush(20_000)).isTrue();
            long deadline = System.nanoTime() + 30_000_000_000L;
            while (fixture.ingest.counts().droppedFiles() < 2 && System.nanoTime() < deadline) {
                Thread.sleep(20);
            }
            assertThat(fixture.rows("d", "n")).containsExactly("1");
            assertThat(fixture.rows("gone", "n")).isEmpty();
            assertThat(files(root.resolve("d"))).hasSize(1);
            client.send(ForwardClient.packed(
                    "gone", ForwardClient.event(Instant.now(), Map.of("n", 4)), Map.of("chunk", "d3")));
            client.ack();
            assertThat(fixture.rows("gone", "n")).containsExactly("4");
        }
    }
}
