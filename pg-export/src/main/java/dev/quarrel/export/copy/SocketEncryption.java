package dev.quarrel.export.copy;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.sql.SQLException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/// Asks the server for TLS, as `sslmode` wants it.
///
/// - Source: PostgreSQL documentation, "SSL Session Encryption", "Protection Provided in Different Modes".
final class SocketEncryption {
    private static final byte[] SSL_REQUEST = {0, 0, 0, 8, 4, (byte) 210, 22, 47};

    private SocketEncryption() {}

    /// @return the socket to go on with; null where certificates are to be checked that are pgjdbc's to find
    static Socket negotiate(Socket socket, CopyTarget target) throws IOException, SQLException {
        CopyTarget.SslMode mode = target.sslMode();
        if (mode == CopyTarget.SslMode.DISABLE || target.isUnix()) {
            return socket; // nobody listens between two processes of one machine; libpq has it so
        }
        Path roots = roots(target);
        boolean verifies = mode == CopyTarget.SslMode.VERIFY_CA || mode == CopyTarget.SslMode.VERIFY_FULL;
        if (roots == null && verifies) {
            return null;
        }
        socket.getOutputStream().write(SSL_REQUEST);
        InputStream in = socket.getInputStream();
        int answer = in.read();
        if (answer == 'N') {
            if (mode == CopyTarget.SslMode.PREFER) {
                return socket;
            }
            throw new SQLException("the server does not support SSL, but sslmode asks for it", "08004");
        }
        if (answer != 'S') {
            // Anything else comes of a server that does not know the request.
            return null;
        }
        if (in.available() > 0) {
            // Whatever came before TLS began was not encrypted, so it may be anybody's.
            throw new SQLException("the server sent bytes before TLS began", "08P01");
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {roots == null ? new AnyCertificate() : trusting(roots)}, null);
            SSLSocket secured =
                    (SSLSocket) context.getSocketFactory().createSocket(socket, target.host(), target.port(), true);
            if (mode == CopyTarget.SslMode.VERIFY_FULL) {
                SSLParameters parameters = secured.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                secured.setSSLParameters(parameters);
            }
            secured.startHandshake();
            return secured;
        } catch (SSLException failure) {
            throw new SQLException("TLS failed: " + failure.getMessage(), "08006", failure);
        } catch (GeneralSecurityException failure) {
            throw new SQLException("TLS cannot be set up: " + failure.getMessage(), "08006", failure);
        }
    }

    /// The file of root certificates: as libpq, also `require` checks them where there are any.
    private static Path roots(CopyTarget target) {
        String named = target.property("sslrootcert", null);
        if (named != null) {
            return Path.of(named);
        }
        Path usual = CopyTarget.inHome("root.crt");
        return target.sslMode() != CopyTarget.SslMode.PREFER && Files.exists(usual) ? usual : null;
    }

    private static X509TrustManager trusting(Path roots) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(roots)) {
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("root-" + number++, certificate);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager trust) {
                return trust;
            }
        }
        throw new CertificateException("no trust manager for X.509");
    }

    /// For `prefer` and `require` without root certificates: encrypted, but nobody vouches for the server.
    private static final class AnyCertificate implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("there are no clients here");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            // That is what these modes promise, and no more.
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
