package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.CopyConnection;
import dev.quarrel.export.copy.CopyFrames;
import dev.quarrel.export.copy.SocketCopyConnection;
import dev.quarrel.export.source.PostgresSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A server of its own, which asks for passwords in every way, and speaks TLS with a certificate of its own making.
final class LoginTest {
    private static final String PASSWORD = "gehe\u0131m ß+%";
    private static EmbeddedPostgres server;
    private static Path certificate;
    private static Path sockets;

    @BeforeAll
    static void start() throws Exception {
        Path folder = Files.createDirectories(Path.of("target", "login").toAbsolutePath());
        sockets = Files.createTempDirectory("pg"); // a socket's path has room for some hundred bytes
        server = EmbeddedPostgres.builder()
                .setServerConfig("unix_socket_directories", sockets.toString())
                .setOverrideWorkingDirectory(folder.resolve("binaries").toFile())
                .start();
        execute(
                "CREATE ROLE by_scram LOGIN PASSWORD '" + PASSWORD + "'",
                "SET password_encryption = md5; CREATE ROLE by_md5 LOGIN PASSWORD '" + PASSWORD + "'",
                "CREATE ROLE in_clear LOGIN PASSWORD '" + PASSWORD + "'",
                "CREATE ROLE only_tls LOGIN");
        Path data = Path.of(single("SHOW data_directory"));
        certificate = certify(folder, data);
        Files.writeString(Path.of(single("SHOW hba_file")), """
                hostssl all only_tls all trust
                host all only_tls all reject
                host all by_scram all scram-sha-256
                host all by_md5 all md5
                host all in_clear all password
                host all all all trust
                local all by_scram scram-sha-256
                local all only_tls trust
                local all postgres trust
                """);
        execute("ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()");
        for (int attempt = 0; !single("SHOW ssl").equals("on") && attempt < 50; attempt++) {
            Thread.sleep(100);
        }
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    /// A key and its certificate for `localhost`, made by the JDK's own tool, where the server looks for them.
    ///
    /// @return the certificate, as a client's root
    private static Path certify(Path folder, Path data) throws Exception {
        Path store = folder.resolve("server.p12");
        Files.deleteIfExists(store);
        Process tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "RSA",
                        "-keysize",
                        "2048",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "secret",
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertThat(tool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(tool.exitValue()).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), "secret".toCharArray());
        Path root = folder.resolve("root.crt");
        Files.writeString(root, pem("CERTIFICATE", keys.getCertificate("server").getEncoded()));
        Files.copy(root, data.resolve("server.crt"));
        Path key = data.resolve("server.key");
        Files.writeString(
                key,
                pem("PRIVATE KEY", keys.getKey("server", "secret".toCharArray()).getEncoded()));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        return root;
    }

    private static String pem(String what, byte[] bytes) {
        return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + what
                + "-----\n";
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static String single(String sql) throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static PostgresSource target(String user, String options) {
        return PostgresSource.parse("postgresql://" + user + "@localhost:" + server.getPort() + "/postgres" + options);
    }

    /// Connects by our own reader, and reads a COPY.
    private static void read(PostgresSource target) throws SQLException {
        try (CopyConnection connection = target.connectReader()) {
            assertThat(connection).isInstanceOf(SocketCopyConnection.class);
            for (int round = 0; round < 2; round++) {
                connection.execute("SELECT 1");
                connection.startCopy("COPY (SELECT g FROM generate_series(1, 5000) g) TO STDOUT (FORMAT binary)");
                CopyFrames frames = new CopyFrames();
                int bytes = 0;
                while (connection.read(frames)) {
                    bytes += frames.byteCount();
                }
                assertThat(bytes).isEqualTo(19 + 5000 * 10 + 2);
            }
            assertThatThrownBy(() -> connection.execute("SELECT 1/0"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("22012"));
            assertThatThrownBy(() -> connection.startCopy("COPY nowhere TO STDOUT"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("42P01"));
            connection.execute("SELECT 1");
        }
    }

    @Test
    void everyKindOfPassword() throws SQLException {
        for (String user : List.of("by_scram", "by_md5", "in_clear")) {
            read(target(user, "").withPassword(PASSWORD));
            read(target(user, "?sslmode=disable").withPassword(PASSWORD));
        }
    }

    @Test
    void aWrongPasswordIsRefused() {
        for (String user : List.of("by_scram", "by_md5", "in_clear")) {
            PostgresSource target = target(user, "").withPassword("wrong");
            assertThatThrownBy(target::connectReader)
                    .isInstanceOfSatisfying(
                            QueryException.class,
                            failure -> assertThat(failure.state()).isEqualTo(SqlState.INVALID_PASSWORD))
                    .hasMessageNotContaining("wrong");
        }
    }

    private static PostgresSource unix(String user, String options) {
        return PostgresSource.parse(
                "host=" + sockets + " port=" + server.getPort() + " dbname=postgres user=" + user + " " + options);
    }

    @Test
    void unixDomainSockets() throws SQLException {
        read(unix("by_scram", "").withPassword(PASSWORD));
        // There is nothing to encrypt.
        read(unix("only_tls", "sslmode=verify-full"));
        PostgresSource wrong = unix("by_scram", "").withPassword("wrong");
        assertThatThrownBy(wrong::connectReader)
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.state()).isEqualTo(SqlState.INVALID_PASSWORD));
        PostgresSource nowhere = PostgresSource.parse("host=/nowhere port=1 dbname=d user=u");
        assertThatThrownBy(nowhere::connectReader)
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.state()).isEqualTo(SqlState.CONNECTION_FAILURE))
                .hasMessageContaining("postgresql://u@%2Fnowhere:1/d");
        assertThatThrownBy(nowhere::connect).isInstanceOf(QueryException.class);
    }

    /// The leader's connection is pgjdbc's.
    @Test
    void theDriverOverUnixDomainSockets() throws Exception {
        try (Connection connection = unix("by_scram", "sslmode=require")
                        .withPassword(PASSWORD)
                        .connect();
                Statement statement = connection.createStatement()) {
            try (ResultSet row =
                    statement.executeQuery("SELECT inet_client_addr() IS NULL, repeat('x', 3000000), current_user")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getBoolean(1)).isTrue();
                assertThat(row.getString(2)).hasSize(3_000_000);
                assertThat(row.getString(3)).isEqualTo("by_scram");
            }
            // A cancel is a connection of its own.
            Thread canceller = Thread.ofPlatform().start(() -> {
                try {
                    Thread.sleep(300);
                    statement.cancel();
                } catch (InterruptedException | SQLException failure) {
                    throw new IllegalStateException(failure);
                }
            });
            assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(60)"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("57014"));
            canceller.join();
            connection.setNetworkTimeout(Runnable::run, 5000);
            assertThat(statement.execute("SELECT pg_sleep(0.1)")).isTrue();
            connection.setNetworkTimeout(Runnable::run, 200);
            assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(60)"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).startsWith("08"))
                    .hasRootCauseInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void anExportOverUnixDomainSockets() throws SQLException {
        execute(
                "CREATE TABLE over_unix AS SELECT g AS id, md5(g::text) AS t FROM generate_series(1, 200000) g",
                "GRANT SELECT ON over_unix TO by_scram");
        PostgresSource source = unix("by_scram", "").withPassword(PASSWORD);
        ExportReport report = Exporter.run(ExportConfig.builder(source, sockets.resolve("out"))
                .tables("over_unix")
                .workers(3)
                .build());
        assertThat(report.tables().getFirst().rowCount()).isEqualTo(200_000);
        assertThat(report.origin().source()).isEqualTo(source.toString()).contains("%2F");
    }

    @Test
    void encryptionAsAskedFor() throws SQLException, IOException {
        assumeTrue(single("SHOW ssl").equals("on"), "this PostgreSQL was built without TLS");
        read(target("only_tls", ""));
        read(target("only_tls", "?sslmode=require"));
        read(target("only_tls", "?sslmode=verify-ca&sslrootcert=" + certificate));
        read(target("only_tls", "?sslmode=verify-full&sslrootcert=" + certificate));
        PostgresSource plain = target("only_tls", "?sslmode=disable");
        assertThatThrownBy(plain::connectReader).isInstanceOf(QueryException.class);
        // The certificate is localhost's.
        PostgresSource elsewhere = PostgresSource.parse("postgresql://only_tls@127.0.0.1:" + server.getPort()
                + "/postgres?sslmode=verify-full&sslrootcert=" + certificate);
        assertThatThrownBy(elsewhere::connectReader)
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("TLS");
        // Somebody else's root.
        Path stranger = Files.createTempDirectory("stranger");
        Path copy = Files.writeString(stranger.resolve("none.crt"), "");
        PostgresSource untrusted = target("only_tls", "?sslmode=verify-ca&sslrootcert=" + copy);
        assertThatThrownBy(untrusted::connectReader).isInstanceOf(QueryException.class);
    }
}
