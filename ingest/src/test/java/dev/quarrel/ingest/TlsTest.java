package dev.quarrel.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.ingest.intake.Routes;
import dev.quarrel.ingest.net.ReceiverConfig;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The forward protocol over TLS with a shared key, as senders on other machines have to use it.
class TlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    Path folder;

    private static String pem(String label, byte[] content) {
        return "-----BEGIN " + label + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + label
                + "-----\n";
    }

    private KeyStore keys() throws Exception {
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "events",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "changeit")
                .redirectErrorStream(true)
                .start();
        keytool.getInputStream().readAllBytes();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    @Test
    void sendersUseTlsAndTheKey() throws Exception {
        KeyStore keys = keys();
        Path certificate = folder.resolve("events.crt");
        Path key = folder.resolve("events.key");
        Files.writeString(
                certificate, pem("CERTIFICATE", keys.getCertificate("events").getEncoded()));
        Files.writeString(
                key, pem("PRIVATE KEY", keys.getKey("events", PASSWORD).getEncoded()));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("events", keys.getCertificate("events"));
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        try (Fixture fixture = new Fixture(IngestConfig.of(folder.resolve("data")), "secret", certificate, key)) {
            try (ForwardClient client = new ForwardClient(tls.getSocketFactory()
                    .createSocket("127.0.0.1", fixture.receiver.forwardAddress().getPort()))) {
                client.logIn("secret", "web-1");
                client.send(ForwardClient.packed(
                        "t", ForwardClient.event(Instant.EPOCH, Map.of("n", 1)), Map.of("chunk", "t1")));
                assertThat(client.ack()).isEqualTo("t1");
            }
            try (ForwardClient plain = fixture.client()) {
                plain.send(ForwardClient.packed(
                        "t", ForwardClient.event(Instant.EPOCH, Map.of("n", 2)), Map.of("chunk", "t2")));
                assertThatThrownBy(plain::ack).isInstanceOf(Exception.class);
            }
            assertThat(fixture.rows("t", "n")).containsExactly("1");
        }
    }

    @Test
    void otherMachinesNeedBoth() throws Exception {
        Path file = folder.resolve("file");
        InetSocketAddress everywhere = new InetSocketAddress("0.0.0.0", 0);
        InetSocketAddress here = new InetSocketAddress("127.0.0.1", 0);
        Routes none = Routes.of(List.of());
        assertThat(new ReceiverConfig(here, here, none, null, null, null, 1, 1).exposure())
                .isNull();
        assertThat(new ReceiverConfig(everywhere, null, none, null, null, null, 1, 1).exposure())
                .isNotNull();
        assertThat(new ReceiverConfig(here, everywhere, none, "k", null, null, 1, 1).exposure())
                .isNotNull();
        assertThat(new ReceiverConfig(everywhere, null, none, null, file, file, 1, 1).exposure())
                .isNotNull();
        assertThat(new ReceiverConfig(everywhere, here, none, "k", file, file, 1, 1).exposure())
                .isNull();
    }
}
