package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// `./quarrel export` from a real PostgreSQL, with the options that stand several times or hold several values.
final class ExportCommandTest {
    @TempDir
    private static Path folder;

    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws Exception {
        System.setProperty("ot.epg.working-dir", folder.resolve("postgres").toString());
        server = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE sold AS SELECT g AS id, g % 5 AS shop, 'kind ' || g % 3 AS kind, g / 7.0 AS price"
                            + " FROM generate_series(1, 100) g");
            statement.execute(
                    "CREATE TABLE shops AS SELECT g AS shop, 'shop ' || g AS name FROM generate_series(0, 3) g");
            statement.execute("CREATE TABLE other AS SELECT 1::float8 AS a, 2 AS b");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private static void export(Path root, String... options) {
        String[] all = new String[options.length + 5];
        all[0] = "export";
        all[1] = "-d";
        all[2] = "postgresql://postgres@localhost:" + server.getPort() + "/postgres";
        all[3] = "-o";
        all[4] = root.toString();
        System.arraycopy(options, 0, all, 5, options.length);
        CommandRun run = CommandRun.of(all);
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private static String answer(Path root, String sql) {
        CommandRun run = CommandRun.of("sql", "--data", root.toString(), "--format", "csv", "-c", sql);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    @Test
    void aQueryHasKeysAndJoins() {
        Path root = folder.resolve("joined");
        export(
                root,
                "-c",
                "SELECT id, shop FROM sold WHERE shop = $(PARALLEL_KEY)",
                "--name",
                "q",
                "-k",
                "0,2, 4",
                "--outer-join",
                "SELECT name FROM shops WHERE shops.shop = $(shop)",
                "--inner-join",
                "SELECT $(id) * 2 AS twice WHERE $(id) <> 50",
                "--outer-join",
                "SELECT $(twice) AS again WHERE $(name) IS NOT NULL");
        assertThat(answer(root, "SELECT count(*), count(name), sum(twice), count(again), count(DISTINCT shop) FROM q"))
                .isEqualToNormalizingNewlines("count,count,sum,count,count\n59,39,6040,39,3\n");
    }

    @Test
    void listsOfTablesAndColumnsAreTaken() {
        Path root = folder.resolve("lists");
        export(
                root,
                "-t",
                "sold",
                "-t",
                "shops",
                "other",
                "-T",
                "shops",
                "--exclude",
                "sold.price",
                "--exclude",
                "other.b",
                "--split-by",
                "sold.id",
                "--float2",
                "a",
                "--dictionary",
                "kind",
                "--stat",
                "id,kind");
        assertThat(answer(root, "SELECT * FROM sold WHERE id = 7"))
                .isEqualToNormalizingNewlines("id,shop,kind\n7,2,kind 1\n");
        assertThat(answer(root, "SELECT * FROM other")).isEqualToNormalizingNewlines("a\n1\n");
    }

    /// The runs go on while the table changes, and is away for a while; SIGTERM ends them.
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "sends SIGTERM")
    void runsGoOn() throws Exception {
        Path root = folder.resolve("kept");
        execute("CREATE TABLE kept AS SELECT g AS id, 0 AS changes FROM generate_series(1, 1000) g");
        execute("ALTER TABLE kept ADD PRIMARY KEY (id)");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "export",
                        "-d",
                        "postgresql://postgres@localhost:" + server.getPort() + "/postgres",
                        "-o",
                        root.toString(),
                        "-t",
                        "kept",
                        "--incremental",
                        "xmin",
                        "--every",
                        "1")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader err = process.errorReader(StandardCharsets.UTF_8)) {
            await(err, "public.kept: 1,000 rows in 1 batches");
            execute("UPDATE kept SET changes = 1 WHERE id % 10 = 0");
            await(err, "public.kept: 100 changed rows (0 of them new), 0 deleted, now 1,000");
            assertThat(answer(root, "SELECT count(*), sum(changes) FROM kept"))
                    .isEqualToNormalizingNewlines("count,sum\n1000,100\n");
            execute("ALTER TABLE kept RENAME TO away");
            await(err, "the next run is to begin 1 s after this one");
            execute("DELETE FROM away WHERE id <= 10");
            execute("ALTER TABLE away RENAME TO kept");
            await(err, "10 deleted, now 990");
            assertThat(answer(root, "SELECT count(*), sum(changes) FROM kept"))
                    .isEqualToNormalizingNewlines("count,sum\n990,99\n");
            process.toHandle().destroy();
        } finally {
            process.toHandle().destroy();
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(128 + 15);
        assertThat(answer(root, "SELECT count(*) FROM kept")).isEqualToNormalizingNewlines("count\n990\n");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /// Reads lines until one has a text.
    private static void await(BufferedReader lines, String text) throws IOException {
        List<String> seen = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            seen.add(line);
            if (line.contains(text)) {
                return;
            }
        }
        throw new AssertionError("no line has '" + text + "' in: " + String.join("\n", seen));
    }
}
