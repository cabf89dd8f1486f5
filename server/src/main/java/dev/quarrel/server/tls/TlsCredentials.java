package dev.quarrel.server.tls;

import com.ongres.scram.common.util.TlsServerEndpoint;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;

/// The certificate, key and client authority as they were read once. Immutable.
///
/// @param certificate the server's own, the first of its file
/// @param endPoint the hash of it that SCRAM binds a login to (tls-server-end-point); empty where RFC 5929 defines
///     none, as for Ed25519
record TlsCredentials(SslContext context, X509Certificate certificate, byte[] endPoint) {
    /// The name of our protocol in ALPN.
    static final String ALPN = "postgresql";

    /// - Errors: `IOException` for files that cannot be read, `IllegalArgumentException` for what cannot be used of
    ///   them.
    static TlsCredentials read(TlsFiles files) throws IOException {
        List<X509Certificate> chain = certificates(files.certificate());
        PrivateKey key = PemKey.read(files.key());
        X509Certificate own = chain.getFirst();
        if (!PemKey.belongTogether(key, own.getPublicKey())) {
            throw new IllegalArgumentException(
                    "the key in " + files.key() + " is not that of the first certificate in " + files.certificate());
        }
        // With ALPN a server picks a protocol that the client offers, or ends the handshake; clients that offer none
        // go on, and are known by that.
        SslContextBuilder builder = SslContextBuilder.forServer(key, chain)
                .sslProvider(SslProvider.JDK)
                .protocols(files.protocols())
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.FATAL_ALERT,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.FATAL_ALERT,
                        ALPN));
        if (files.clientCa() != null) {
            builder.clientAuth(ClientAuth.REQUIRE).trustManager(certificates(files.clientCa()));
        }
        try {
            return new TlsCredentials(builder.build(), own, endPoint(own));
        } catch (SSLException unusable) {
            throw new IllegalArgumentException(
                    "the certificate in " + files.certificate() + " cannot be used: " + unusable.getMessage(),
                    unusable);
        }
    }

    private static List<X509Certificate> certificates(Path file) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        byte[] bytes = Files.readAllBytes(file);
        try {
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes))) {
                certificates.add((X509Certificate) certificate);
            }
        } catch (CertificateException damaged) {
            throw new IllegalArgumentException("the certificates in " + file + " cannot be read", damaged);
        }
        if (certificates.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no certificate in " + file + ": it is to be a PEM file with -----BEGIN CERTIFICATE-----");
        }
        return certificates;
    }

    private static byte[] endPoint(X509Certificate certificate) {
        try {
            return TlsServerEndpoint.getChannelBindingData(certificate);
        } catch (CertificateEncodingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
