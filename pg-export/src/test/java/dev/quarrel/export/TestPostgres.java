package dev.quarrel.export;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// One PostgreSQL for all tests of a JVM, started by the first that asks, stopped when the JVM ends.
public final class TestPostgres {
    private static EmbeddedPostgres server;

    private TestPostgres() {}

    public static synchronized EmbeddedPostgres server() {
        if (server == null) {
            try {
                Path folder =
                        Files.createDirectories(Path.of("target", "postgres")).toAbsolutePath();
                System.setProperty("ot.epg.working-dir", folder.toString());
                server = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .setServerConfig("max_connections", "60")
                        .setServerConfig("timezone", "UTC")
                        // Statistics that come when they like would make an export another than the one before.
                        .setServerConfig("autovacuum", "off")
                        .start();
                Runtime.getRuntime().addShutdownHook(new Thread(TestPostgres::stop));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
        return server;
    }

    private static void stop() {
        try {
            server.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public static Connection connect() throws SQLException {
        return server().getPostgresDatabase().getConnection();
    }

    public static String url() {
        return "postgresql://postgres@localhost:" + server().getPort() + "/postgres";
    }

    /// Begins a transaction that holds a snapshot.
    ///
    /// @return the snapshot's name
    static String holdSnapshot(Statement statement) throws SQLException {
        statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
        try (ResultSet rows = statement.executeQuery("SELECT pg_export_snapshot()")) {
            rows.next();
            return rows.getString(1);
        }
    }

    public static void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
