package dev.quarrel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.arrow.dataset.DatasetWriter;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.Schema;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import dev.quarrel.server.databases.Databases;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Several datasets behind one server, and earlier runs of them, by pgjdbc.
final class DatabasesTest {
    private static final Schema NUMBER = Schema.of(new Field("n", DataType.INT64, false));

    @TempDir
    private static Path folder;

    private static Databases databases;
    private static Server server;

    @BeforeAll
    static void start() throws IOException {
        for (long value = 1; value <= 3; value++) {
            add(folder.resolve("sales"), value);
        }
        add(folder.resolve("logs"), 70);
        Map<String, Path> roots = new LinkedHashMap<>();
        roots.put("sales", folder.resolve("sales"));
        roots.put("logs", folder.resolve("logs"));
        databases = Databases.open(
                roots,
                EngineConfig.defaults(),
                Users::none,
                config -> LocalEngine.open(DatasetCatalog.open(roots.get("sales")), config),
                DatasetCatalog::open);
        ServerConfig config = ServerConfig.defaults().with(ServerSetting.PORT, "0");
        ServerMonitor monitor = ServerMonitor.open(config);
        server = Server.start(databases, config, monitor);
    }

    @AfterAll
    static void stop() {
        server.close();
        databases.close();
        databases.first().close();
    }

    private static void add(Path root, long value) {
        try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "a test", null, 1)) {
            try (ArrowFileWriter writer = run.create("public", "t", NUMBER, WriteOptions.PLAIN);
                    Arena arena = Arena.ofConfined()) {
                ColumnWriter column = new ColumnWriter(DataType.INT64, Allocator.of(arena));
                column.appendInt64(value);
                writer.append(Batch.view(NUMBER, ColumnWriter.finishAll(List.of(column)), 1));
                run.add("public", "t", writer.finish());
            }
            run.commit(null, null);
        }
    }

    /// @param options as libpq has them; null for none
    private static Connection connect(String database, String options) throws SQLException {
        String url = "jdbc:postgresql://127.0.0.1:" + server.address().getPort() + "/" + database + "?user=ann";
        return DriverManager.getConnection(options == null ? url : url + "&options=" + options.replace(" ", "%20"));
    }

    private static List<String> ask(String database, String options, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = connect(database, options);
                ResultSet rows = connection.createStatement().executeQuery(sql)) {
            while (rows.next()) {
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    @Test
    void eachDatasetIsADatabase() throws SQLException {
        assertThat(ask("sales", null, "select n from t")).containsExactly("3");
        assertThat(ask("logs", null, "select n from t")).containsExactly("70");
        assertThat(ask("logs", null, "select current_database()")).containsExactly("logs");
        assertThat(ask("ann", null, "select current_database()")).containsExactly("sales");
        assertThat(ask("logs", null, "select datname from pg_database order by 1"))
                .containsExactly("logs", "sales");
        assertThat(ask("logs", null, "select distinct table_catalog from information_schema.tables"))
                .containsExactly("logs");
        assertThat(ask("logs", null, "select datname from pg_stat_activity where pid = pg_backend_pid()"))
                .containsExactly("logs");
        assertThat(ask("logs", null, "select n from logs.public.t")).containsExactly("70");
        assertThatThrownBy(() -> ask("logs", null, "select n from sales.public.t"))
                .hasMessageContaining("cross-database references are not implemented");
        assertThatThrownBy(() -> ask("nope", null, "select 1"))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        error -> assertThat(error.getSQLState()).isEqualTo("3D000"));
    }

    @Test
    void aSessionReadsTheRunThatItsStartAsksFor() throws SQLException {
        assertThat(ask("sales", "-c quarrel.snapshot=2", "select n from t")).containsExactly("2");
        assertThat(ask("sales", "-c quarrel.snapshot=3", "select n from t")).containsExactly("3");
        assertThat(ask("sales", "-c quarrel.snapshot=2", "show quarrel.snapshot"))
                .containsExactly("2");
        assertThat(ask("sales", null, "show quarrel.snapshot")).containsExactly("");
        assertThatThrownBy(() -> ask("sales", "-c quarrel.snapshot=1", "select n from t"))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        error -> assertThat(error.getSQLState()).isEqualTo("42704"));
        assertThatThrownBy(() -> ask("sales", "-c quarrel.snapshot=newest", "select n from t"))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        error -> assertThat(error.getSQLState()).isEqualTo("22023"));
        assertThatThrownBy(() -> ask("sales", null, "set quarrel.snapshot = 2"))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        error -> assertThat(error.getSQLState()).isEqualTo("55P02"));
    }

    /// What a session has begun to read stays, whatever runs come.
    @Test
    void aSessionKeepsItsRun() throws SQLException {
        Path root = folder.resolve("logs");
        try (Connection connection = connect("logs", "-c quarrel.snapshot=1")) {
            for (long value = 71; value <= 73; value++) {
                add(root, value);
            }
            try (ResultSet rows = connection.createStatement().executeQuery("select n from t")) {
                rows.next();
                assertThat(rows.getLong(1)).isEqualTo(70);
            }
            assertThat(ask("logs", null, "select n from t")).containsExactly("73");
        } finally {
            add(root, 70);
        }
    }
}
