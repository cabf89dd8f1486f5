package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.quarrel.core.arrow.dataset.Inspection;
import dev.quarrel.core.arrow.dataset.Manifest;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Exports that end before their time, by a signal, a full disk or an error: what was there stays, and nothing else.
final class StoppedExportTest {
    private static final String SLOW = "SELECT g, pg_sleep(0.002)::text AS s FROM generate_series(1, 1000000) g";

    @TempDir
    Path folder;

    @BeforeAll
    static void tables() throws SQLException {
        TestPostgres.execute(
                "DROP TABLE IF EXISTS stopped, stopped_large",
                "CREATE TABLE stopped AS SELECT generate_series(1, 5000) AS id",
                "CREATE TABLE stopped_large AS SELECT g AS id, md5(g::text) AS t FROM generate_series(1, 200000) g");
    }

    @BeforeEach
    void aRunBefore() {
        Exporter.run(config().tables("stopped").build());
    }

    private ExportConfig.Builder config() {
        return ExportConfig.builder(PostgresSource.parse(TestPostgres.url()), folder)
                .workers(2);
    }

    private Process start(String limits, Map<String, String> settings) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        limits + "exec \"$0\" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
                                + " -XX:-UsePerfData -cp \"$1\" " + ExportMain.class.getName(),
                        java,
                        System.getProperty("java.class.path"))
                .start();
        Properties all = new Properties();
        all.setProperty("url", TestPostgres.url());
        all.setProperty("output", folder.toString());
        all.setProperty("workers", "2");
        all.putAll(settings);
        try (OutputStream input = process.getOutputStream()) {
            all.store(input, null);
        }
        return process;
    }

    /// Of what a shell puts into the background.
    private static boolean isInterruptIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return false;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
    }

    private void assertAsBefore() throws IOException {
        assertThat(Rows.ofTable(folder, "public", "stopped")).hasSize(5000);
        assertThat(Manifest.read(folder).tables()).hasSize(1);
        assertThat(Files.readString(folder.resolve("_SUCCESS"))).startsWith("run 1, ");
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(path -> folder.relativize(path).toString()))
                    .containsExactlyInAnyOrder(
                            "_lock",
                            "_SUCCESS",
                            Manifest.FILE_NAME,
                            Path.of("stopped", "part-1-0.arrow").toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void aSignalEndsItInGoodOrder(String signal, int exitCode) throws Exception {
        assumeFalse(
                signal.equals("INT") && isInterruptIgnored(),
                "who runs this ignores SIGINT, and so do all that it starts");
        Process process = start("", Map.of("tables", "stopped", "query.slow", SLOW));
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (line != null && !line.equals("reading public.slow")) {
                line = lines.readLine();
            }
            assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                            .start()
                            .waitFor())
                    .isZero();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(exitCode);
            assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("error: canceling export due to user request (57014)");
        }
        assertAsBefore();
    }

    @Test
    void aFullDiskIsSaidAndHarmsNothing() throws Exception {
        // Of files larger than a MiB the system says what it says of a full disk, by another name.
        Process process = start("ulimit -f 2048; ", Map.of("tables", "stopped_large\nstopped", "batchBytes", "500000"));
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(errors).contains("could not write file", "(53100)").doesNotContain("Exception");
        assertAsBefore();
        Exporter.run(config().tables("stopped", "stopped_large").build());
        assertThat(Rows.ofTable(folder, "public", "stopped_large")).hasSize(200_000);
    }

    /// What an interrupted run has finished is kept while the snapshot lives, and not longer.
    @Test
    void finishedTablesAreKeptWhileTheSnapshotLives() throws SQLException, IOException {
        try (Connection holder = TestPostgres.connect();
                Statement statement = holder.createStatement()) {
            String id = TestPostgres.holdSnapshot(statement);
            ExportConfig resumed = config().workers(1)
                    .tables("stopped_large", "stopped")
                    .snapshot(id)
                    .resume(true)
                    .build();
            // The second table to be finished is the end of the first attempt.
            List<String> notices = new ArrayList<>();
            Cancellation cancellation = new Cancellation();
            assertThatThrownBy(() -> Exporter.run(resumed, new Noting(notices, cancellation), cancellation))
                    .isInstanceOf(QueryException.class);
            assertThat(notices).containsExactly(Noting.ANEW);
            TestPostgres.execute("INSERT INTO stopped SELECT 0");
            assertThat(folder.resolve("_unfinished.json")).exists();
            assertThat(Rows.ofTable(folder, "public", "stopped")).hasSize(5000);

            notices.clear();
            ExportReport report = Exporter.run(resumed, new Noting(notices, null), new Cancellation());
            assertThat(notices)
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("is kept: an interrupted run of the same snapshot");
            assertThat(report.rowCount()).isEqualTo(205_000);
            assertThat(report.tables().stream().filter(table -> table.copyBytes() == 0))
                    .hasSize(1);
            assertThat(Rows.ofTable(folder, "public", "stopped_large")).hasSize(200_000);
            assertThat(Rows.ofTable(folder, "public", "stopped")).hasSize(5000);
            assertThat(folder.resolve("_unfinished.json")).doesNotExist();

            // Once more interrupted; and then with a snapshot of its own, which is another one.
            notices.clear();
            Cancellation again = new Cancellation();
            assertThatThrownBy(() -> Exporter.run(resumed, new Noting(notices, again), again))
                    .isInstanceOf(QueryException.class);
            notices.clear();
            ExportReport other = Exporter.run(
                    config().tables("stopped_large", "stopped").resume(true).build(),
                    new Noting(notices, null),
                    new Cancellation());
            assertThat(notices).containsExactly(Noting.ANEW);
            assertThat(other.rowCount()).isEqualTo(205_001);
        } finally {
            TestPostgres.execute("DELETE FROM stopped WHERE id = 0");
        }
    }

    /// As above, of tables in folders.
    @Test
    void finishedFoldersAreKeptToo() throws SQLException {
        try (Connection holder = TestPostgres.connect();
                Statement statement = holder.createStatement()) {
            String id = TestPostgres.holdSnapshot(statement);
            ExportConfig resumed = config().workers(1)
                    .tables("stopped_large", "stopped")
                    .snapshot(id)
                    .resume(true)
                    .columns(new ColumnRules(
                            false, List.of(), Optional.empty(), Optional.empty(), false, List.of("id % 5 AS rest")))
                    .build();
            Cancellation cancellation = new Cancellation();
            assertThatThrownBy(() -> Exporter.run(resumed, new Noting(new ArrayList<>(), cancellation), cancellation))
                    .isInstanceOf(QueryException.class);
            List<String> notices = new ArrayList<>();
            ExportReport report = Exporter.run(resumed, new Noting(notices, null), new Cancellation());
            assertThat(notices)
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("is kept: an interrupted run of the same snapshot");
            assertThat(report.rowCount()).isEqualTo(205_000);
            assertThat(report.tables().stream().filter(table -> table.copyBytes() == 0))
                    .hasSize(1);
            assertThat(report.tables().stream().map(ExportReport.TableReport::file))
                    .containsExactly(folder.resolve("stopped_large"), folder.resolve("stopped"));
        }
        assertThat(Rows.ofTable(folder, "public", "stopped_large"))
                .hasSize(200_000)
                .isEqualTo(Rows.ofPostgres("stopped_large", columns("stopped_large")));
        assertThat(Rows.ofTable(folder, "public", "stopped")).isEqualTo(Rows.ofPostgres("stopped", columns("stopped")));
        assertThat(Inspection.of(folder, true).isSound()).isTrue();
    }

    private List<String> columns(String table) {
        return Manifest.read(folder).tables().stream()
                .filter(each -> each.name().equals(table))
                .flatMap(each -> each.fields().stream())
                .map(field -> field.name().equals("rest") ? "(id % 5)" : field.name())
                .toList();
    }

    /// Hears the notices, and stops the export when a first table is finished.
    private record Noting(List<String> notices, Cancellation cancellation) implements ExportProgress {
        private static final String ANEW =
                "there is no interrupted run of this snapshot and these settings to go on with:"
                        + " every table is exported anew";

        @Override
        public void notice(String text) {
            notices.add(text);
        }

        @Override
        public void tableFinished(ExportReport.TableReport table) {
            if (cancellation != null) {
                cancellation.cancel();
            }
        }
    }

    @Test
    void eventsAreLinesOfJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        JsonProgress events = new JsonProgress(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        ExportReport report = Exporter.run(
                config().tables("stopped")
                        .query("odd \"name\"", "SELECT 1 AS a")
                        .build(),
                events,
                new Cancellation());
        events.ended(report);
        events.failed(new QueryException(SqlState.INTERNAL_ERROR, "line\nbreak"));
        List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines.getFirst()).startsWith("{\"event\":\"begin\",\"source\":\"postgresql://");
        assertThat(lines).allMatch(line -> line.startsWith("{\"event\":\"") && line.endsWith("}"));
        assertThat(lines)
                .anyMatch(line -> line.contains("\"table\":\"public.odd \\\"name\\\"\",\"rows\":1,\"batches\":1"));
        assertThat(lines.get(lines.size() - 2)).startsWith("{\"event\":\"end\"").contains("\"rows\":5001");
        assertThat(lines.getLast())
                .isEqualTo(
                        "{\"event\":\"error\",\"code\":\"XX000\",\"message\":\"line\\u000abreak\",\"detail\":null,\"hint\":null}");
    }
}
