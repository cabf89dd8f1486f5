package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.quarrel.core.arrow.FileAppender;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// `./quarrel export --parquet` from a real PostgreSQL; the files are read again by Hardwood.
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "latest is a symbolic link")
final class ParquetExportTest {
    private static final String COLUMNS =
            "id, b, i2, i8, f4, f8, d9, d18, d38, few, many, d, t, ts, tz, by, u, iv," + " nothing";

    @TempDir
    private static Path postgres;

    @TempDir
    private Path folder;

    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws Exception {
        System.setProperty("ot.epg.working-dir", postgres.resolve("postgres").toString());
        server = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
        execute(
                """
                CREATE TABLE plain AS SELECT n AS id, CASE WHEN n % 5 <> 2 THEN n % 2 = 0 END AS b,
                  CASE WHEN n % 3 <> 0 THEN (n % 30000)::smallint END AS i2, CASE WHEN n % 3 <> 1 THEN n * 3000000000 END AS i8,
                  CASE WHEN n % 3 <> 2 THEN (n / 4.0)::real END AS f4, CASE WHEN n % 7 <> 2 THEN -n / 8.0::float8 END AS f8,
                  (CASE WHEN n % 9 <> 2 THEN n / 100.0 END)::numeric(9,2) AS d9, (-n / 100.0)::numeric(18,2) AS d18,
                  (CASE WHEN n % 2 = 0 THEN n * -1000000007.5 END)::numeric(38,3) AS d38,
                  CASE WHEN n % 3 <> 0 THEN 'few ' || n % 5 END AS few, 'many \u00e4 ' || n AS many,
                  CASE WHEN n % 4 <> 0 THEN date '2000-01-01' - n END AS d, time '00:00:00.000001' + n * interval '1 ms' AS t,
                  CASE WHEN n % 6 <> 0 THEN timestamp '1969-12-31 23:59:59.999999' + n * interval '1 s' END AS ts,
                  timestamptz '2024-02-29 12:00:00+01' - n * interval '1 h' AS tz, decode(md5(n::text), 'hex') AS by,
                  CASE WHEN n % 8 <> 0 THEN md5(n::text)::uuid END AS u, make_interval(months => n % 1000, days => 3, secs => 0.5) AS iv,
                  NULL::text AS nothing
                FROM generate_series(1, 40000) AS n""",
                "CREATE TABLE none AS SELECT * FROM plain LIMIT 0",
                "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
                "CREATE TYPE pair AS (x int, y text)",
                """
                CREATE TABLE odd AS SELECT n AS id, CASE WHEN n % 3 <> 0 THEN ('{sad,ok,happy}'::mood[])[1 + n % 3] END AS e,
                  ARRAY[n, NULL, n + 1] AS a, (n, 'y')::pair AS p, jsonb_build_object('n', n) AS j, n / 7.0 AS num,
                  '10.0.0.1'::inet AS i, ARRAY['a b', NULL] AS at
                FROM generate_series(1, 100) AS n""",
                "CREATE TABLE endless AS SELECT 1 AS id, date 'infinity' AS d",
                "CREATE SCHEMA \"a.b\"",
                "CREATE TABLE \"a.b\".c AS SELECT 1 AS x");
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private static void execute(String... statements) throws Exception {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static CommandRun run(Path root, String... options) {
        List<String> all = new ArrayList<>(List.of(
                "export",
                "-d",
                "postgresql://postgres@localhost:" + server.getPort() + "/postgres",
                "-o",
                root.toString()));
        all.addAll(List.of(options));
        return CommandRun.of(all.toArray(String[]::new));
    }

    private static void export(Path root, String... options) {
        CommandRun run = run(root, options);
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private static String answer(Path data, String sql) {
        CommandRun run = CommandRun.of("sql", "--data", data.toString(), "--format", "csv", "-c", sql);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    private static List<Path> parts(Path table) throws IOException {
        try (Stream<Path> files = Files.list(table)) {
            return files.sorted().toList();
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /// Brings a table's files into a dataset.
    private static void importParts(Path table, Path data, String name) throws IOException {
        List<String> all = new ArrayList<>(List.of("import"));
        parts(table).forEach(part -> all.add(part.toString()));
        all.addAll(List.of("-o", data.toString(), "--append", "--name", name));
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"4, ''", "1, --lz4", "2, '--zstd 0'", "2, '--zstd 9'"})
    void rowsAreReadAsPostgresHasThem(int workers, String compression) throws IOException {
        Path data = folder.resolve("arrow");
        export(data, "-t", "plain", "none");
        Path root = folder.resolve("parquet");
        List<String> options = new ArrayList<>(
                List.of("-t", "plain", "none", "--parquet", "--verify-rows", "-s", "1", "-n", "" + workers));
        if (!compression.isEmpty()) {
            options.addAll(List.of(compression.split(" ")));
        }
        export(root, options.toArray(String[]::new));
        Path run = root.resolve("latest");
        assertThat(names(root)).containsExactly("_lock", "latest", "run-1");
        assertThat(names(run)).containsExactly("_SUCCESS", "_export.json", "public.none", "public.plain");
        assertThat(names(run.resolve("public.none"))).containsExactly("part-0.parquet");
        assertThat(parts(run.resolve("public.plain"))).hasSizeBetween(1, workers);
        importParts(run.resolve("public.plain"), data, "p");
        importParts(run.resolve("public.none"), data, "n");
        String difference = "(SELECT %s FROM %s EXCEPT ALL SELECT %s FROM %s)";
        assertThat(answer(
                        data,
                        "SELECT (SELECT count(*) FROM p) AS rows, (SELECT count(*) FROM "
                                + difference.formatted(COLUMNS, "plain", COLUMNS, "p")
                                + ") AS missing, (SELECT count(*) FROM "
                                + difference.formatted(COLUMNS, "p", COLUMNS, "plain") + ") AS more"))
                .isEqualTo("rows,missing,more\n40000,0,0\n");
        assertThat(answer(data, "SELECT " + COLUMNS + " FROM n")).isEqualTo(COLUMNS.replace(" ", "") + "\n");
        assertThat(answer(data, "SELECT pg_typeof(i2), pg_typeof(d38), pg_typeof(tz), pg_typeof(u) FROM p LIMIT 1"))
                .contains("smallint,numeric,timestamp with time zone,uuid");
    }

    @Test
    void whatParquetHasNoTypesForIsText() throws IOException {
        Path data = folder.resolve("arrow");
        export(data, "-t", "odd");
        Path root = folder.resolve("parquet");
        export(root, "-t", "odd", "--parquet");
        importParts(root.resolve("latest/public.odd"), data, "p");
        String texts = "SELECT id, e::text AS e, a::text AS a, p::text AS p, j::text AS j, num::text AS num, i,"
                + " at::text AS at FROM ";
        assertThat(answer(data, texts + "p ORDER BY id")).isEqualTo(answer(data, texts + "odd ORDER BY id"));
    }

    @Test
    void theRunTellsOfItsFiles() throws Exception {
        Path root = folder.resolve("parquet");
        export(root, "-t", "plain", "\"a.b\".c", "--parquet", "-s", "1");
        Path run = root.resolve("latest");
        JsonNode about = new ObjectMapper().readTree(run.resolve("_export.json").toFile());
        assertThat(about.get("snapshot").asText()).isNotEmpty();
        assertThat(about.get("tables").findValuesAsText("folder")).containsExactlyInAnyOrder("public.plain", "a%2Eb.c");
        for (JsonNode table : about.get("tables")) {
            long rows = 0;
            for (JsonNode file : table.get("files")) {
                byte[] bytes =
                        Files.readAllBytes(run.resolve(table.get("folder").asText())
                                .resolve(file.get("name").asText()));
                assertThat(bytes).hasSize(file.get("bytes").asInt());
                assertThat(HexFormat.of().formatHex(FileAppender.sha256().digest(bytes)))
                        .isEqualTo(file.get("sha256").asText());
                rows += file.get("rows").asLong();
            }
            assertThat(rows).isEqualTo(table.get("rows").asLong());
        }
    }

    @Test
    void theRunBeforeStaysUntilTheNextAndMoreIfTheyAreToBeKept() throws IOException {
        Path root = folder.resolve("parquet");
        for (int run = 1; run <= 3; run++) {
            export(root, "-t", "odd", "--parquet");
            assertThat(Files.readSymbolicLink(root.resolve("latest"))).hasToString("run-" + run);
        }
        assertThat(names(root)).containsExactly("_lock", "latest", "run-2", "run-3");
        export(root, "-t", "odd", "--parquet", "--keep-runs", "2");
        assertThat(names(root)).containsExactly("_lock", "latest", "run-2", "run-3", "run-4");
    }

    @Test
    void aRunThatFailsLeavesNothing() throws IOException {
        Path root = folder.resolve("parquet");
        CommandRun failed = run(root, "-t", "plain", "endless", "--parquet");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.err())
                .contains("22008", "table public.endless", "column \"d\"", "--infinity null", "Parquet cannot hold");
        assertThat(root).doesNotExist();
        assertThat(run(root, "-t", "endless", "--parquet", "--dry-run").out()).contains("WOULD FAIL", "d are infinite");
        export(root, "-t", "endless", "--parquet", "--infinity", "null");
        assertThat(run(root, "-t", "plain", "endless", "--parquet").exitCode()).isEqualTo(1);
        assertThat(names(root)).containsExactly("_lock", "latest", "run-1");
        // What a process left that was killed.
        Files.createDirectories(root.resolve("_writing/public.x"));
        Files.writeString(root.resolve("_writing/public.x/part-0.parquet"), "PAR1");
        export(root, "-t", "odd", "--parquet");
        assertThat(names(root)).containsExactly("_lock", "latest", "run-1", "run-2");
        assertThat(names(root.resolve("latest"))).containsExactly("_SUCCESS", "_export.json", "public.odd");
    }

    @Test
    void itIsNoDatasetAndADatasetIsNoPlaceForIt() {
        Path root = folder.resolve("parquet");
        Path data = folder.resolve("arrow");
        export(root, "-t", "odd", "--parquet");
        export(data, "-t", "odd");
        for (Path place : List.of(root, root.resolve("latest"), root.resolve("latest/public.odd"))) {
            CommandRun sql = CommandRun.of("sql", "--data", place.toString(), "-c", "SELECT 1");
            assertThat(sql.exitCode()).isNotZero();
            assertThat(sql.err()).contains("holds an export's Parquet files", "quarrel import");
            CommandRun inspect = CommandRun.of("inspect", place.toString());
            assertThat(inspect.exitCode()).isNotZero();
            assertThat(inspect.err()).contains("holds an export's Parquet files");
        }
        assertThat(run(root, "-t", "odd").err()).contains("holds an export's Parquet files");
        assertThat(run(data, "-t", "odd", "--parquet").err())
                .contains("55000", "which is no part of an export of Parquet files", "choose a folder");
        assertThat(answer(data, "SELECT count(*) FROM odd")).isEqualTo("count\n100\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--incremental xmin",
                "--append",
                "--resume",
                "--no-dictionaries",
                "--dictionary e",
                "--no-stat",
                "--large-offsets",
                "--float2 num",
                "--partition-by e"
            })
    void whatDoesNotGoWithItIsRefusedByName(String options) {
        Path root = folder.resolve("parquet");
        List<String> all = new ArrayList<>(List.of("-t", "odd", "--parquet"));
        all.addAll(List.of(options.split(" ")));
        CommandRun run = run(root, all.toArray(String[]::new));
        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).contains(options.split(" ")[0], "Parquet");
        assertThat(root).doesNotExist();
        CommandRun file = run(folder.resolve("x.parquet"), "-t", "odd", "--parquet");
        assertThat(file.err()).contains("--parquet writes a folder");
    }
}
