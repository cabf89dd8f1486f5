package dev.quarrel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.server.auth.ScramVerifier;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import dev.quarrel.server.tls.TestCertificates;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;

/// Encrypted connections: psql and pgjdbc as they come, and what no client should do by hand.
@Timeout(60)
final class TlsTest {
    private static final byte[] SSL_REQUEST =
            ByteBuffer.allocate(8).putInt(8).putInt(80877103).array();

    @TempDir
    private static Path folder;

    private static Path authority;
    private static Path certificate;
    private static Path elliptic;
    private static Path client;

    private final ScriptedEngine engine = new ScriptedEngine();
    private Server server;

    @BeforeAll
    static void makeCertificates() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        authority = certificates.authority("authority", "EC");
        certificates.authority("stranger", "EC");
        certificate = certificates.signed("server", "authority", "-keyalg", "RSA", "-keysize", "2048");
        elliptic = certificates.signed("elliptic", "authority", "-keyalg", "EC", "-sigalg", "SHA384withECDSA");
        certificates.authority("edwards-authority", "Ed25519");
        certificates.signed("edwards", "edwards-authority", "-keyalg", "Ed25519");
        client = certificates.signed("client", "authority", "-keyalg", "EC");
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.stop();
            assertThat(engine.openSessions).hasValue(0);
        }
    }

    private static Path keyOf(Path file) {
        return Path.of(file.toString().replace(".crt", ".key"));
    }

    private static ServerConfig config(Path certificateFile) {
        return ServerConfig.defaults()
                .withUsers(Users.none().with("ann", ScramVerifier.ofPassword("s3cret")))
                .with(ServerSetting.TLS_CERT, certificateFile.toString())
                .with(ServerSetting.TLS_KEY, keyOf(certificateFile).toString());
    }

    private void start(ServerConfig config) throws IOException {
        server = Server.start(engine, config.with(ServerSetting.PORT, 0));
    }

    private int port() {
        return server.address().getPort();
    }

    private Connection connect(String options) throws SQLException {
        String root = options.contains("sslrootcert") ? "" : "&sslrootcert=" + authority;
        return DriverManager.getConnection(
                "jdbc:postgresql://localhost:" + port() + "/quarrel?" + options + root, "ann", "s3cret");
    }

    private String psql(String options, String... arguments) throws Exception {
        String target = "host=localhost port=" + port() + " user=ann dbname=quarrel password=s3cret " + options;
        return Psql.run(target, arguments);
    }

    // ---- clients as they are

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sslmode=verify-full&channelBinding=require",
                "sslmode=verify-full&channelBinding=disable",
                "sslmode=verify-full&sslNegotiation=direct&channelBinding=require",
                "sslmode=require",
                "sslmode=prefer",
                "sslmode=disable",
            })
    void pgjdbcConnectsAndCancels(String options) throws Exception {
        start(config(certificate));
        try (Connection connection = connect(options);
                Statement statement = connection.createStatement()) {
            try (var rows = statement.executeQuery("rows 20000")) {
                int count = 0;
                while (rows.next()) {
                    count++;
                }
                assertThat(count).isEqualTo(20_000);
            }
            CompletableFuture<SQLException> outcome = engine.startSleep(statement);
            statement.cancel();
            assertThat(outcome.get(10, TimeUnit.SECONDS).getSQLState()).isEqualTo("57014");
        }
    }

    @Test
    void psqlVerifiesTheServerAndBindsItsLogin() throws Exception {
        assumeTrue(Psql.isInstalled(), "psql is not installed");
        for (Path file : List.of(certificate, elliptic)) {
            start(config(file));
            String verified = "sslmode=verify-full sslrootcert=" + authority;
            assertThat(psql(verified + " channel_binding=require", "-At", "-c", "rows 2", "-c", "\\conninfo"))
                    .startsWith("1\n2\nYou are connected to database \"quarrel\" as user \"ann\"")
                    .contains("SSL connection (protocol: TLSv1.3");
            assertThat(psql(verified + " ssl_max_protocol_version=TLSv1.2", "-At", "-c", "\\conninfo"))
                    .contains("protocol: TLSv1.2");
            assertThat(psql("sslmode=verify-full sslrootcert=" + folder.resolve("stranger.crt"), "-c", "rows 1"))
                    .contains("certificate verify failed");
            assertThat(psql("sslmode=disable channel_binding=require", "-c", "rows 1"))
                    .contains("channel binding");
            server.stop();
        }
    }

    @Test
    void aCertificateThatNothingIsBoundToServesAllOthers() throws Exception {
        start(config(folder.resolve("edwards.crt")));
        String verified = "sslmode=verify-full&sslrootcert=" + folder.resolve("edwards-authority.crt");
        connect(verified + "&channelBinding=prefer").close();
        assertThatThrownBy(() -> connect(verified + "&channelBinding=require")).isInstanceOf(SQLException.class);
    }

    @Test
    void theOldestVersionIsAsSet() throws Exception {
        assumeTrue(Psql.isInstalled(), "psql is not installed");
        start(config(certificate).with(ServerSetting.TLS_MIN_VERSION, "1.3"));
        assertThat(psql("sslmode=require ssl_max_protocol_version=TLSv1.2", "-c", "rows 1"))
                .contains("protocol version");
        assertThat(psql("sslmode=require", "-At", "-c", "rows 1")).isEqualTo("1\n");
    }

    @Test
    void whereTlsIsRequiredNobodyComesWithoutIt() throws Exception {
        start(config(certificate).with(ServerSetting.TLS, "required"));
        connect("sslmode=require").close();
        assertThatThrownBy(() -> connect("sslmode=disable")).isInstanceOfSatisfying(PSQLException.class, error -> {
            assertThat(error.getSQLState()).isEqualTo("28000");
            assertThat(error.getMessage()).contains("encrypted connections only", "sslmode=verify-full");
        });
    }

    @Test
    void clientCertificatesAreAskedForAndChecked() throws Exception {
        assumeTrue(Psql.isInstalled(), "psql is not installed");
        start(config(certificate)
                .with(ServerSetting.TLS, "required")
                .with(ServerSetting.TLS_CLIENT_CA, authority.toString()));
        String own = "sslmode=require sslcert=" + client + " sslkey=" + keyOf(client);
        assertThat(psql(own, "-At", "-c", "rows 1")).isEqualTo("1\n");
        assertThat(psql("sslmode=require sslcert=none", "-c", "rows 1")).contains("certificate required");
        assertThatThrownBy(() -> Server.start(
                        engine, config(certificate).with(ServerSetting.TLS_CLIENT_CA, authority.toString())))
                .hasMessageContaining("tls_client_ca needs tls=required");
    }

    // ---- files

    @Test
    void certificatesAreReadAgainAndBrokenOnesAreNot() throws Exception {
        Path used = folder.resolve("used.crt");
        Files.copy(certificate, used);
        Files.copy(keyOf(certificate), keyOf(used));
        start(config(used));
        X509Certificate first = presented();
        Files.writeString(used, "no certificate");
        Thread.sleep(2500);
        assertThat(presented()).isEqualTo(first);
        Files.copy(keyOf(elliptic), keyOf(used), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(elliptic, used, StandardCopyOption.REPLACE_EXISTING);
        while (presented().equals(first)) {
            Thread.sleep(100);
        }
        connect("sslmode=verify-full&channelBinding=require").close();
    }

    private X509Certificate presented() throws Exception {
        try (SSLSocket socket = encrypted(new String[] {"postgresql"})) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    @Test
    void filesThatCannotBeUsedAreNamed() throws Exception {
        Path sec1 = folder.resolve("sec1.key");
        Files.writeString(sec1, "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");
        assertThatThrownBy(() -> start(config(certificate).with(ServerSetting.TLS_KEY, sec1.toString())))
                .hasMessageContainingAll(sec1.toString(), "openssl pkcs8 -topk8 -nocrypt");
        assertThatThrownBy(() -> start(config(certificate)
                        .with(ServerSetting.TLS_KEY, keyOf(elliptic).toString())))
                .hasMessageContainingAll(keyOf(elliptic).toString(), "is not that of", certificate.toString());
        assertThatThrownBy(() -> start(config(certificate)
                        .with(ServerSetting.TLS_CERT, keyOf(certificate).toString())))
                .hasMessageContaining("certificate");
        assertThatThrownBy(() -> start(config(certificate).with(ServerSetting.TLS_KEY, "")))
                .hasMessageContaining("tls_key");
        assertThatThrownBy(() -> config(certificate).with(ServerSetting.TLS, "yes"))
                .hasMessage("tls is one of off, on, required, not \"yes\"");
        assertThatThrownBy(() -> start(ServerConfig.defaults().with(ServerSetting.TLS, "required")))
                .hasMessageContaining("tls_cert");
        server = null;
    }

    // ---- what no client should do

    @Test
    void bytesBehindTheRequestAreRefused() throws Exception {
        start(config(certificate));
        try (Socket socket = new Socket("127.0.0.1", port())) {
            socket.getOutputStream().write(joined(SSL_REQUEST, startup()));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("E")
                    .contains("received unencrypted data after SSL request", "08P01");
        }
    }

    @Test
    void encryptionIsAskedForOnce() throws Exception {
        start(config(certificate));
        for (int code : new int[] {80877103, 80877104}) {
            try (SSLSocket socket = encrypted(new String[0])) {
                socket.getOutputStream()
                        .write(ByteBuffer.allocate(8).putInt(8).putInt(code).array());
                assertThat(socket.getInputStream().read()).isEqualTo('E');
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "postgresql", "http/1.1"})
    void directTlsNamesItsProtocol(String protocol) throws Exception {
        start(config(certificate).withUsers(Users.none()));
        Socket plain = new Socket("127.0.0.1", port());
        try (SSLSocket socket = wrapped(plain, protocol.isEmpty() ? new String[0] : new String[] {protocol})) {
            if (protocol.equals("http/1.1")) {
                assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
                return;
            }
            socket.getOutputStream().write(startup());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertThat((char) in.readByte()).isEqualTo(protocol.isEmpty() ? 'E' : 'R');
        }
    }

    @Test
    void theTimeToLogInRunsDuringTheHandshake() throws Exception {
        start(config(certificate).with(ServerSetting.AUTHENTICATION_TIMEOUT, 1));
        try (Socket asked = new Socket("127.0.0.1", port());
                Socket direct = new Socket("127.0.0.1", port())) {
            asked.getOutputStream().write(SSL_REQUEST);
            assertThat(asked.getInputStream().read()).isEqualTo('S');
            direct.getOutputStream().write(new byte[] {0x16, 3, 1});
            assertThat(asked.getInputStream().read()).isEqualTo(-1);
            assertThat(direct.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void nobodyNegotiatesAgain() throws Exception {
        start(config(certificate).withUsers(Users.none()));
        Socket plain = new Socket("127.0.0.1", port());
        try (SSLSocket socket = wrapped(plain, new String[] {"postgresql"})) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.getOutputStream().write(startup());
            assertThat(socket.getInputStream().read()).isEqualTo('R');
            socket.startHandshake();
            assertThatThrownBy(() -> {
                        byte[] buffer = new byte[4096];
                        while (socket.getInputStream().read(buffer) >= 0) {
                            socket.getOutputStream().write(new byte[0]);
                        }
                        throw new SSLException("ended");
                    })
                    .isInstanceOf(IOException.class);
        }
        assertThat(engine.openExecutions).hasValue(0);
    }

    // ---- by hand

    private static byte[] startup() {
        byte[] parameters = "user\0ann\0database\0quarrel\0\0".getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + parameters.length)
                .putInt(8 + parameters.length)
                .putInt(3 << 16)
                .put(parameters)
                .array();
    }

    private static byte[] joined(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    /// After SSLRequest.
    private SSLSocket encrypted(String[] protocols) throws Exception {
        Socket plain = new Socket("127.0.0.1", port());
        plain.getOutputStream().write(SSL_REQUEST);
        assertThat(plain.getInputStream().read()).isEqualTo('S');
        return wrapped(plain, protocols);
    }

    private static SSLSocket wrapped(Socket plain, String[] protocols) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (var in = Files.newInputStream(authority)) {
            trusted.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        return socket;
    }
}
