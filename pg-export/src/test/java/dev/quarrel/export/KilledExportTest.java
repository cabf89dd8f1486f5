package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.table.CatalogSnapshot;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An exporter in a JVM of its own is killed at random points; readers go on with what was there before.
final class KilledExportTest {
    private static final long SEED = Long.getLong("quarrel.seed", System.nanoTime());
    private static final int ROWS = 150_000;

    @TempDir
    Path folder;

    private final Random random = new Random(SEED);

    @BeforeAll
    static void table() throws Exception {
        System.out.println("KilledExportTest: -Dquarrel.seed=" + SEED);
        TestPostgres.execute(
                "DROP TABLE IF EXISTS killed",
                "CREATE TABLE killed AS SELECT 0 AS version, g AS id, md5(g::text) AS t FROM generate_series(1, " + ROWS
                        + ") g");
    }

    private Process start() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ExportMain.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Properties settings = new Properties();
        settings.setProperty("url", TestPostgres.url());
        settings.setProperty("tables", "killed");
        settings.setProperty("output", folder.toString());
        settings.setProperty("workers", "2");
        settings.setProperty("batchBytes", "500000");
        try (OutputStream input = process.getOutputStream()) {
            settings.store(input, null);
        }
        return process;
    }

    /// Waits until the exporter reads, then kills it (SIGKILL) after up to `millis`.
    private void exportAndKill(int millis) throws Exception {
        Process process = start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            assertThat(line).startsWith("reading");
            Thread.sleep(random.nextInt(millis));
            process.destroyForcibly();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private void assertWhole(String... versions) throws IOException {
        List<String> rows = Rows.ofTable(folder, "public", "killed");
        assertThat(rows).hasSize(ROWS);
        String version = rows.getFirst().substring(0, rows.getFirst().indexOf('|'));
        assertThat(version).isIn((Object[]) versions);
        assertThat(rows).allMatch(row -> row.startsWith(version + "|"));
        assertEveryArrowFileOpens();
    }

    /// Whatever reader comes along: what ends in .arrow is whole.
    private void assertEveryArrowFileOpens() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".arrow")).toList()) {
                try (ArrowFile arrow = ArrowFile.open(file)) {
                    assertThat(arrow.rowCount()).isEqualTo(ROWS);
                }
            }
        }
    }

    private void killRepeatedly(int times) throws Exception {
        exportAndKill(50);
        // There was nothing before: a half table must not be seen, a whole one may.
        try (DatasetCatalog catalog = DatasetCatalog.open(folder);
                CatalogSnapshot snapshot = catalog.snapshot()) {
            if (!snapshot.tables("public").isEmpty()) {
                assertWhole("0");
            }
        }
        assertEveryArrowFileOpens();
        assertThat(start().waitFor()).isZero();
        assertWhole("0");
        for (int kill = 1; kill <= times; kill++) {
            TestPostgres.execute("UPDATE killed SET version = " + kill, "VACUUM killed");
            String before = Rows.ofTable(folder, "public", "killed").getFirst().split("\\|")[0];
            exportAndKill(600);
            assertWhole(before, Integer.toString(kill));
        }
        assertThat(start().waitFor()).isZero();
        assertWhole(Integer.toString(times));
        // What the dead runs left is gone.
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(path -> path.toString().endsWith(".tmp"))).isEmpty();
        }
        TestPostgres.execute("UPDATE killed SET version = 0", "VACUUM killed");
    }

    @Test
    void aKilledExportLeavesThePreviousDataset() throws Exception {
        killRepeatedly(3);
    }

    @Test
    @Tag("nightly")
    void manyKilledExportsLeaveThePreviousDataset() throws Exception {
        killRepeatedly(100);
    }
}
