package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
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
}
