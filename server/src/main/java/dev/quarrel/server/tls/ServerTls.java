package dev.quarrel.server.tls;

import dev.quarrel.server.auth.FileModes;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import io.netty.channel.Channel;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A server's TLS: whether clients must use it, and the certificate that new connections get.
///
/// - Threads: any; `refresh` one at a time.
public final class ServerTls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);
    private static final int HANDSHAKE_THREADS = 2; // so that handshakes hold up neither sessions nor each other much

    private final boolean required;
    private final TlsFiles files;
    private final ThreadPoolExecutor handshakes;
    private volatile TlsCredentials credentials;
    private List<Object> state;

    private ServerTls(boolean required, TlsFiles files, List<Object> state, TlsCredentials credentials) {
        this.required = required;
        this.files = files;
        this.state = state;
        this.credentials = credentials;
        // Bounded by the number of connections: each has one task at a time.
        this.handshakes = new ThreadPoolExecutor(
                HANDSHAKE_THREADS,
                HANDSHAKE_THREADS,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name("quarrel-tls-", 1).daemon().factory());
        handshakes.allowCoreThreadTimeOut(true);
    }

    /// - Returns: null where TLS is off.
    /// - Errors: `IllegalArgumentException` for settings that do not go together and for files that cannot be used,
    ///   [IOException] for files that cannot be read.
    public static ServerTls open(ServerConfig config) throws IOException {
        boolean hasCertificate = !config.text(ServerSetting.TLS_CERT).isEmpty()
                || !config.text(ServerSetting.TLS_KEY).isEmpty();
        String asked = config.text(ServerSetting.TLS);
        String mode = asked.isEmpty() ? hasCertificate ? "on" : "off" : asked;
        boolean hasClientCa = !config.text(ServerSetting.TLS_CLIENT_CA).isEmpty();
        if (hasClientCa && !mode.equals("required")) {
            throw new IllegalArgumentException("tls_client_ca needs tls=required, not " + mode
                    + ": clients without TLS would need no certificate");
        }
        if (mode.equals("off")) {
            return null;
        }
        TlsFiles files = TlsFiles.of(config);
        FileModes.warnOfOthers(files.key(), "private key");
        List<Object> state = files.state();
        ServerTls tls = new ServerTls(mode.equals("required"), files, state, TlsCredentials.read(files));
        tls.tell("server.tls mode=" + mode + " min_version=" + files.minVersion());
        return tls;
    }

    /// Whether sessions without TLS are refused.
    public boolean isRequired() {
        return required;
    }

    /// Begins the handshake of one connection.
    public TlsLink accept(Channel channel) {
        return TlsLink.over(channel, credentials, handshakes);
    }

    /// Reads the files again where they have changed; what cannot be used leaves everything as it was.
    public void refresh() {
        List<Object> now = files.state();
        if (now.equals(state)) {
            return;
        }
        state = now;
        try {
            credentials = TlsCredentials.read(files);
            tell("server.tls.reloaded");
        } catch (IOException | RuntimeException unusable) {
            LOG.warn(
                    "server.tls.unusable the certificate that was read before stays in use: {}",
                    unusable instanceof IllegalArgumentException ? unusable.getMessage() : unusable.toString());
        }
    }

    private void tell(String event) {
        var certificate = credentials.certificate();
        LOG.info(
                "{} certificate=\"{}\" not_after={}",
                event,
                certificate.getSubjectX500Principal().getName(),
                certificate.getNotAfter().toInstant());
        if (certificate.getNotAfter().toInstant().isBefore(java.time.Instant.now())) {
            LOG.warn(
                    "server.tls.expired clients that check the certificate refuse it; replace {}", files.certificate());
        }
    }

    @Override
    public void close() {
        handshakes.shutdownNow();
    }
}
