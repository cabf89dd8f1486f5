package dev.quarrel.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// Certificates and keys for tests, made by the JDK's keytool: authorities, and what they sign, as PEM files.
public final class TestCertificates {
    private static final String PASSWORD = "changeit";

    private final Path folder;
    private final Path store;

    public TestCertificates(Path folder) {
        this.folder = folder;
        this.store = folder.resolve("keys.p12");
    }

    /// An authority; its certificate is in `NAME.crt`.
    public Path authority(String name, String algorithm) throws Exception {
        keytool(name, "-keyalg", algorithm, "-dname", "CN=" + name, "-ext", "bc:c");
        return certificate(name);
    }

    /// A certificate for this machine that `authority` signed, in `NAME.crt`, with its key in `NAME.key`.
    public Path signed(String name, String authority, String... options) throws Exception {
        List<String> all = new ArrayList<>(
                List.of("-signer", authority, "-dname", "CN=" + name, "-ext", "san=ip:127.0.0.1,dns:localhost"));
        all.addAll(List.of(options));
        keytool(name, all.toArray(String[]::new));
        Path key = folder.resolve(name + ".key");
        Files.writeString(key, pem("PRIVATE KEY", key(name).getEncoded()));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        return certificate(name);
    }

    private void keytool(String alias, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD,
                "-validity",
                "30"));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(said).isZero();
    }

    private Path certificate(String name) throws IOException, GeneralSecurityException {
        StringBuilder text = new StringBuilder();
        for (Certificate certificate : keys().getCertificateChain(name)) {
            text.append(pem("CERTIFICATE", certificate.getEncoded()));
        }
        return Files.writeString(folder.resolve(name + ".crt"), text);
    }

    private Key key(String name) throws IOException, GeneralSecurityException {
        return keys().getKey(name, PASSWORD.toCharArray());
    }

    private KeyStore keys() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + what + "-----\n";
    }
}
