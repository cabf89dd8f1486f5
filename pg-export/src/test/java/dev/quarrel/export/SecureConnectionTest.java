package dev.quarrel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An export by a role that must prove itself by SCRAM, and through TLS.
final class SecureConnectionTest {
    private static final char[] STORE_PASSWORD = "changeit".toCharArray();

    @TempDir
    static Path folder;

    private static Path rules;
    private static String rulesBefore;
    private static Path certificate;

    @BeforeAll
    static void secureTheServer() throws Exception {
        TestPostgres.execute(
                "DROP ROLE IF EXISTS prover",
                "SET password_encryption = 'scram-sha-256'; CREATE ROLE prover LOGIN PASSWORD 'right:one'",
                "DROP TABLE IF EXISTS proven",
                "CREATE TABLE proven AS SELECT generate_series(1, 100) AS id",
                "GRANT SELECT ON proven TO prover");
        rules = Path.of(single("SHOW hba_file"));
        rulesBefore = Files.readString(rules);
        Files.writeString(rules, "host all prover all scram-sha-256\n" + rulesBefore);
        certificate = folder.resolve("server.crt");
        Path key = folder.resolve("server.key");
        makeKey(key);
        TestPostgres.execute(
                "ALTER SYSTEM SET ssl_cert_file = '" + certificate + "'",
                "ALTER SYSTEM SET ssl_key_file = '" + key + "'",
                "ALTER SYSTEM SET ssl = on",
                "SELECT pg_reload_conf()");
        for (int attempt = 0; attempt < 100 && !single("SHOW ssl").equals("on"); attempt++) {
            Thread.sleep(50);
        }
    }

    @AfterAll
    static void asBefore() throws SQLException, IOException {
        Files.writeString(rules, rulesBefore);
        TestPostgres.execute(
                "ALTER SYSTEM RESET ALL", "SELECT pg_reload_conf()", "DROP OWNED BY prover", "DROP ROLE prover");
    }

    private static String single(String sql) throws SQLException {
        try (Connection connection = TestPostgres.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static void makeKey(Path keyFile) throws Exception {
        Path store = folder.resolve("store.p12");
        Process tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(STORE_PASSWORD))
                .inheritIO()
                .start();
        assertThat(tool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream input = Files.newInputStream(store)) {
            keys.load(input, STORE_PASSWORD);
        }
        Key key = keys.getKey("server", STORE_PASSWORD);
        Certificate proof = keys.getCertificate("server");
        Files.writeString(keyFile, pem("PRIVATE KEY", key.getEncoded()));
        Files.setPosixFilePermissions(keyFile, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(certificate, pem("CERTIFICATE", proof.getEncoded()));
    }

    private static String pem(String what, byte[] bytes) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes) + "\n-----END " + what + "-----\n";
    }

    private static PostgresSource target(String options, Map<String, String> environment) {
        return PostgresSource.parse(
                "postgresql://prover@localhost:" + TestPostgres.server().getPort() + "/postgres?" + options,
                environment,
                folder);
    }

    private static void export(PostgresSource target) {
        ExportReport report = Exporter.run(ExportConfig.builder(target, folder.resolve("data"))
                .tables("proven")
                .workers(2)
                .build());
        assertThat(report.rowCount()).isEqualTo(100);
    }

    @Test
    void scramTakesThePasswordFromAFile() throws IOException {
        Path passwords = folder.resolve("passwords");
        Files.writeString(passwords, "localhost:*:postgres:prover:right:one\n");
        Files.setPosixFilePermissions(passwords, PosixFilePermissions.fromString("rw-------"));
        export(target("", Map.of("PGPASSFILE", passwords.toString())));
        Files.setPosixFilePermissions(passwords, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> export(target("", Map.of("PGPASSFILE", passwords.toString()))))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.hint()).contains("has group or world access"));
    }

    @Test
    void aWrongPasswordIsRefusedWithoutRepeatingIt() {
        assertThatThrownBy(() -> export(target("", Map.of("PGPASSWORD", "wrong one"))))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure -> assertThat(failure.state().code()).isEqualTo("28P01"))
                .hasMessageContaining("password authentication failed")
                .hasMessageNotContaining("wrong one");
        assertThatThrownBy(() -> export(target("", Map.of())))
                .isInstanceOfSatisfying(
                        QueryException.class,
                        failure ->
                                assertThat(failure.hint()).contains("a password comes from PGPASSWORD or ~/.pgpass"));
    }

    @Test
    void tlsIsCheckedAgainstTheCertificate() throws SQLException {
        Map<String, String> password = Map.of("PGPASSWORD", "right:one");
        PostgresSource checked = target("sslmode=verify-full&sslrootcert=" + certificate, password);
        export(checked);
        try (Connection connection = checked.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
            rows.next();
            assertThat(rows.getBoolean(1)).isTrue();
        }
        assertThatThrownBy(() -> export(target("sslmode=verify-full&sslrootcert=system", password)))
                .isInstanceOf(QueryException.class)
                .hasMessageContaining("could not connect");
    }
}
