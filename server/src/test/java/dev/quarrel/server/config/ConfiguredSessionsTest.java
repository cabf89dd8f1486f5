package dev.quarrel.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.catalog.SystemCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What sessions begin with, and what they show of the process' settings, by pgjdbc.
final class ConfiguredSessionsTest {
    @TempDir
    private static Path folder;

    private static Engine engine;
    private static Server server;

    @BeforeAll
    static void start() throws IOException {
        Path file = Files.writeString(folder.resolve("quarrel.toml"), """
                port = 0
                max_connections = 7
                statement_timeout = "1min"
                TimeZone = "Europe/Paris"
                """);
        ServerConfig config = ConfigFile.read(ServerConfig.defaults(), file);
        Path data = Files.createDirectory(folder.resolve("data"));
        engine = LocalEngine.open(DatasetCatalog.open(data), SystemCatalog.install(EngineConfig.defaults(), List.of()));
        server = Server.start(engine, config);
    }

    @AfterAll
    static void stop() {
        server.close();
        engine.close();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/quarrel?user=ann");
    }

    private static List<String> ask(Connection connection, String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                    row.add(result.getString(column));
                }
                rows.add(String.join("|", row.stream().map(String::valueOf).toList()));
            }
        }
        return rows;
    }

    @Test
    void sessionsBeginWithWhatTheFileSays() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            assertThat(ask(connection, "show statement_timeout")).containsExactly("1min");
            statement.execute("set statement_timeout = '5s'");
            assertThat(ask(connection, "show statement_timeout")).containsExactly("5s");
            statement.execute("reset statement_timeout");
            assertThat(ask(connection, "show statement_timeout")).containsExactly("1min");
            assertThat(ask(connection, "show max_connections")).containsExactly("7");
            assertThat(ask(connection, "show authentication_timeout")).containsExactly("1min");
            assertThatThrownBy(() -> statement.execute("set max_connections = 8"))
                    .hasMessageContaining("parameter \"max_connections\" cannot be changed");
            assertThatThrownBy(() -> ask(connection, "show tls_key")).hasMessageContaining("unrecognized");
        }
    }

    @Test
    void pgSettingsTellsWhereValuesAreFrom() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set extra_float_digits = 3");
            assertThat(
                            ask(
                                    connection,
                                    "select name, setting, unit, context, vartype, source, boot_val, sourcefile, sourceline"
                                            + " from pg_settings where name in ('max_connections', 'statement_timeout',"
                                            + " 'authentication_timeout', 'server_version_num', 'extra_float_digits') order by 1"))
                    .containsExactly(
                            "authentication_timeout|60|s|postmaster|integer|default|60|null|null",
                            "extra_float_digits|3|null|user|integer|session|1|null|null",
                            "max_connections|7|null|postmaster|integer|configuration file|100|quarrel.toml|2",
                            "server_version_num|180006|null|internal|string|default|180006|null|null",
                            "statement_timeout|60000|ms|user|integer|configuration file|0|quarrel.toml|3");
            assertThat(ask(connection, "show all")).anyMatch(row -> row.startsWith("max_connections|7|sessions at"));
        }
    }
}
