package dev.quarrel.server.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/// Statements in the log and in flight recordings, with one number for both and for `pg_stat_activity`.
final class StatementLogTest {
    @TempDir
    private Path folder;

    private final Logger logger = (Logger) LoggerFactory.getLogger(StatementLog.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private Engine engine;
    private Server server;

    @BeforeEach
    void listen() throws IOException {
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(ch.qos.logback.classic.Level.INFO);
        logger.setAdditive(false);
        engine = LocalEngine.open(
                DatasetCatalog.open(folder), SystemCatalog.install(EngineConfig.defaults(), List.of()));
    }

    @AfterEach
    void stop() {
        logger.detachAppender(logged);
        server.close();
        engine.close();
    }

    private Connection start(ServerConfig config) throws IOException, SQLException {
        server = Server.start(engine, config.with(ServerSetting.PORT, 0));
        Connection connection = DriverManager.getConnection("jdbc:postgresql://127.0.0.1:"
                + server.address().getPort() + "/quarrel?user=ann&ApplicationName=tests&preferQueryMode=extended");
        logged.list.clear();
        return connection;
    }

    private List<Map<String, Object>> events() {
        return logged.list.stream()
                .map(event -> {
                    Map<String, Object> pairs = new LinkedHashMap<>();
                    event.getKeyValuePairs().forEach(pair -> pairs.put(pair.key, pair.value));
                    return pairs;
                })
                .toList();
    }

    private static void count(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                assertThat(rows.getInt(1)).isEqualTo(42);
            }
        }
    }

    @Test
    void statementsAreLoggedWithTheirNumbersAndNotTheirParameters() throws Exception {
        try (Connection connection = start(ServerConfig.defaults().with(ServerSetting.LOG_MIN_DURATION_STATEMENT, 0));
                PreparedStatement statement =
                        connection.prepareStatement("select ?::int\nfrom generate_series(1, 3)")) {
            statement.setInt(1, 42);
            count(statement);
            List<Map<String, Object>> events = events();
            assertThat(events).extracting(event -> event.get("phase")).containsExactly("parse", "execute");
            assertThat(events.getLast())
                    .containsEntry("user", "ann")
                    .containsEntry("database", "quarrel")
                    .containsEntry("application", "tests")
                    .containsEntry("rows", 3L)
                    .containsEntry("device", "cpu")
                    .containsEntry("statement", "select $1::int\nfrom generate_series(1, 3)")
                    .doesNotContainKeys("parameters", "sqlstate");
            assertThat((long) events.getLast().get("bytes")).isGreaterThan(30);
            logged.list.clear();
            try (Statement wrong = connection.createStatement()) {
                assertThatThrownBy(() -> wrong.executeQuery("select 1/0")).hasMessageContaining("division");
            }
            assertThat(events().getLast()).containsEntry("sqlstate", "22012").containsEntry("rows", 0L);
        }
    }

    @Test
    void parametersAreLoggedWhereThatIsAskedFor() throws Exception {
        try (Connection connection = start(ServerConfig.defaults()
                        .with(ServerSetting.LOG_MIN_DURATION_STATEMENT, 0)
                        .with(ServerSetting.LOG_PARAMETERS, "on"));
                PreparedStatement statement = connection.prepareStatement("select 42 where ? <> ?::date::text")) {
            statement.setString(1, "it's");
            statement.setString(2, "2026-01-02");
            count(statement);
            assertThat(events().getLast()).containsEntry("parameters", "'it''s', '2026-01-02'");
        }
    }

    @Test
    void quickStatementsAreNotLogged() throws Exception {
        try (Connection connection =
                        start(ServerConfig.defaults().with(ServerSetting.LOG_MIN_DURATION_STATEMENT, 60_000));
                PreparedStatement statement = connection.prepareStatement("select 42")) {
            count(statement);
            assertThat(logged.list).isEmpty();
        }
    }

    @Test
    void theActivityHasTheNumberThatTheLogHas() throws Exception {
        try (Connection connection = start(ServerConfig.defaults().with(ServerSetting.LOG_MIN_DURATION_STATEMENT, 0));
                Statement statement = connection.createStatement()) {
            long[] seen = new long[2];
            for (int run = 0; run < 2; run++) {
                // Of other literals and blanks, so of the same number.
                try (ResultSet rows = statement.executeQuery(
                        "select query_id,  " + run + " from pg_stat_activity where pid = pg_backend_pid()")) {
                    assertThat(rows.next()).isTrue();
                    seen[run] = rows.getLong(1);
                }
                assertThat(events().getLast()).containsEntry("query_id", seen[run]);
            }
            assertThat(seen[0]).isEqualTo(seen[1]).isNotZero();
        }
    }

    @Test
    void recordingsHaveStatements() throws Exception {
        Path file = folder.resolveSibling(folder.getFileName() + ".jfr");
        try (Connection connection = start(ServerConfig.defaults());
                PreparedStatement statement = connection.prepareStatement("select 42 from generate_series(1, 5)");
                Recording recording = new Recording()) {
            recording.enable("dev.quarrel.StatementFinished");
            recording.start();
            count(statement);
            connection.createStatement().close();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> recorded = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("dev.quarrel.StatementFinished"))
                .toList();
        java.nio.file.Files.delete(file);
        assertThat(recorded).hasSize(1);
        assertThat(recorded.getFirst().getString("name")).isEqualTo("select");
        assertThat(recorded.getFirst().getLong("rows")).isEqualTo(5);
        assertThat(recorded.getFirst().getString("devices")).isEqualTo("cpu");
        assertThat(recorded.getFirst().getDuration()).isPositive();
        assertThat(logged.list).isEmpty();
    }
}
