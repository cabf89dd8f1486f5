package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.WriteAccess;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/// node-postgres, pgx, dbt, pgcli and Spark, as their registries give them. Where one cannot be had its test is
/// skipped, with the reason.
@Tag("nightly")
class OtherClientsTest {
    private static final Path CLIENTS = Path.of("resources/clients").toAbsolutePath();
    private static final Path TARGET = Path.of("target/clients").toAbsolutePath();

    private record Run(int exit, String output) {}

    private static Run run(Path folder, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        return new Run(process.exitValue(), output);
    }

    private static void prepare(Path folder, String... command) throws IOException, InterruptedException {
        Run made;
        try {
            made = run(folder, Map.of(), command);
        } catch (IOException missing) {
            throw new TestAbortedException("there is no " + command[0], missing);
        }
        if (made.exit() != 0) {
            throw new TestAbortedException(String.join(" ", command) + ": " + made.output());
        }
    }

    /// A folder of its own with a client's files.
    private static Path copy(String name) throws IOException {
        Path from = CLIENTS.resolve(name);
        Path to = TARGET.resolve(name);
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.createDirectories(target.getParent());
                Files.write(target, Files.readAllBytes(file));
            }
        }
        return to;
    }

    private static String postgresPort() {
        return Integer.toString(PostgresOracle.shared().port());
    }

    private static String port() {
        return Integer.toString(QuarrelServer.shared(Configuration.ALL.get(1)).port());
    }

    /// It prints the same over both servers.
    private static void compare(Path folder, List<String> theirs, List<String> ours) throws Exception {
        Run expected = run(folder, Map.of(), theirs.toArray(String[]::new));
        assertThat(expected.exit()).as(expected.output()).isZero();
        assertThat(run(folder, Map.of(), ours.toArray(String[]::new)).output()).isEqualTo(expected.output());
    }

    @Test
    void nodePostgres() throws Exception {
        Path folder = copy("node");
        prepare(folder, "npm", "install", "--no-audit", "--no-fund", "--silent");
        compare(
                folder,
                List.of("node", "client.js", postgresPort(), "postgres", "postgres"),
                List.of("node", "client.js", port(), "analyst", "quarrel"));
    }

    @Test
    void pgx() throws Exception {
        Path folder = copy("pgx");
        prepare(folder, "go", "build", "-o", "client", ".");
        compare(
                folder,
                List.of("./client", "postgres://postgres@127.0.0.1:" + postgresPort() + "/postgres?sslmode=disable"),
                List.of("./client", "postgres://analyst@127.0.0.1:" + port() + "/quarrel?sslmode=disable"));
    }

    /// Models cannot be made, and dbt says why.
    @Test
    void dbt() throws Exception {
        Path folder = copy("dbt");
        Path dbt = PythonVenv.python("dbt", List.of("dbt-core<1.11", "dbt-postgres<1.10"), true)
                .resolveSibling("dbt");
        Map<String, String> environment = Map.of("QUARREL_PORT", port());
        String[] flags = {dbt.toString(), "--no-use-colors", "--no-send-anonymous-usage-stats"};
        Run debug = run(folder, environment, with(flags, "debug", "--profiles-dir", "."));
        assertThat(debug.output()).contains("All checks passed!");
        Run show = run(folder, environment, with(flags, "show", "-s", "counted", "--profiles-dir", "."));
        assertThat(show.exit()).as(show.output()).isZero();
        Run docs = run(folder, environment, with(flags, "docs", "generate", "--profiles-dir", "."));
        assertThat(docs.output()).contains("Catalog written");
        Run made = run(folder, environment, with(flags, "run", "--profiles-dir", "."));
        assertThat(made.exit()).isNotZero();
        assertThat(made.output()).contains("cannot execute CREATE VIEW in a read-only transaction");
    }

    /// Seeds, tables, views, incremental models, snapshots and tests, twice: their tables hold the same on both
    /// servers.
    @Test
    void dbtBuilds() throws Exception {
        String database = "dbt_build" + System.nanoTime();
        PostgresOracle.shared().run("create database " + database);
        Path root = Files.createTempDirectory("quarrel-dbt");
        EngineConfig config = SystemCatalog.install(
                EngineConfig.defaults().withThreads(2).withWrites(new WriteAccess(true, List.of())), List.of());
        try (Engine engine = LocalEngine.open(DatasetCatalog.open(root), config)) {
            Server server = Server.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, 0));
            try {
                String port = Integer.toString(server.address().getPort());
                assertThat(built(port, "analyst", "quarrel"))
                        .isEqualTo(built(postgresPort(), "postgres", database))
                        .contains("200");
            } finally {
                server.stop();
            }
        }
    }

    private static String built(String port, String user, String database) throws Exception {
        Path folder = copy("dbt_build");
        Path dbt = PythonVenv.python("dbt", List.of("dbt-core<1.11", "dbt-postgres<1.10"), true)
                .resolveSibling("dbt");
        Map<String, String> environment = Map.of("BUILD_PORT", port, "BUILD_USER", user, "BUILD_DATABASE", database);
        String[] flags = {dbt.toString(), "--no-use-colors", "--no-send-anonymous-usage-stats"};
        for (String command : List.of("build", "build", "docs generate")) {
            String[] words = with(command.split(" "), "--profiles-dir", ".");
            Run made = run(folder, environment, with(flags, words));
            assertThat(made.exit())
                    .as(command + " on " + database + ": " + made.output())
                    .isZero();
        }
        StringBuilder tables = new StringBuilder();
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=" + user);
                Statement statement = connection.createStatement()) {
            for (String query : List.of(
                    "select * from built.typed order by 1",
                    "select * from built.monthly order by 1",
                    "select * from built.by_key order by 1",
                    "select * from built.appended order by 1, 2",
                    "select id, round, dbt_valid_to is null from built.kept order by 1, 2",
                    "select table_name, table_type from information_schema.tables where table_schema = 'built' order by 1")) {
                try (ResultSet rows = statement.executeQuery(query)) {
                    while (rows.next()) {
                        for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                            tables.append(rows.getString(column)).append('|');
                        }
                        tables.append('\n');
                    }
                }
            }
        }
        return tables.toString();
    }

    private static String[] with(String[] flags, String... more) {
        return Stream.concat(Stream.of(flags), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void pgcli() throws Exception {
        String python =
                PythonVenv.python("pgcli", List.of("pgcli==4.7.1"), true).toString();
        System.out.println(
                PythonVenv.run(python, CLIENTS.resolve("pgcli_client.py").toString(), postgresPort(), port()));
    }

    @Test
    void spark() throws Exception {
        String python =
                PythonVenv.python("spark", List.of("pyspark==4.3.0"), true).toString();
        String driver = Path.of(org.postgresql.Driver.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        Run run = run(
                TARGET.getParent(),
                Map.of(),
                python,
                CLIENTS.resolve("spark_client.py").toString(),
                driver,
                port());
        assertThat(run.exit()).as(run.output()).isZero();
    }
}
