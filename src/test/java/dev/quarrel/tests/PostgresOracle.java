package dev.quarrel.tests;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/// A real PostgreSQL, started once a JVM: what it answers is right.
///
/// Its collation is "C" and its time zone UTC, as Quarrel's are.
final class PostgresOracle {
    private static PostgresOracle shared;

    private final EmbeddedPostgres server;

    private PostgresOracle(EmbeddedPostgres server) {
        this.server = server;
    }

    static synchronized PostgresOracle shared() {
        if (shared == null) {
            shared = start();
            Runtime.getRuntime().addShutdownHook(new Thread(shared::stop));
        }
        return shared;
    }

    private static PostgresOracle start() {
        try {
            Path directory = Files.createTempDirectory("quarrel-postgres");
            System.setProperty("ot.epg.working-dir", directory.toString());
            PostgresOracle oracle = new PostgresOracle(EmbeddedPostgres.builder()
                    .setLocaleConfig("locale", "C")
                    .setLocaleConfig("encoding", "UTF8")
                    .setServerConfig("timezone", "UTC")
                    .setServerConfig("fsync", "off")
                    .setServerConfig("autovacuum", "off")
                    .start());
            oracle.run(resource("/fixtures/base.sql"));
            return oracle;
        } catch (IOException unstartable) {
            throw new UncheckedIOException(unstartable);
        }
    }

    static String resource(String name) {
        try (var stream = PostgresOracle.class.getResourceAsStream(name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    int port() {
        return server.getPort();
    }

    Connection connect() {
        try {
            return DriverManager.getConnection(url());
        } catch (SQLException unreachable) {
            throw new IllegalStateException(unreachable);
        }
    }

    void run(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private void stop() {
        try {
            server.close();
        } catch (IOException late) {
            System.err.println("PostgreSQL did not stop: " + late.getMessage());
        }
    }
}
