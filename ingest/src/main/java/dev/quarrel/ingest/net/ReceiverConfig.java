package dev.quarrel.ingest.net;

import dev.quarrel.ingest.intake.Routes;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/// Where events are received, and from whom.
///
/// @param forward of the Fluent forward protocol; null for none
/// @param http of HTTP; null for none
/// @param routes of tags to tables
/// @param sharedKey that senders must know; null for none
/// @param certificate of TLS, as PEM; null for none
/// @param privateKey of TLS, as PEM
/// @param mostBytes of one message, also when it is unpacked
/// @param mostConnections of both together
public record ReceiverConfig(
        InetSocketAddress forward,
        InetSocketAddress http,
        Routes routes,
        String sharedKey,
        Path certificate,
        Path privateKey,
        int mostBytes,
        int mostConnections) {
    public static final int MOST_BYTES = 64 << 20;
    public static final int MOST_CONNECTIONS = 1000;

    /// - Errors: [IllegalArgumentException] saying what is missing.
    public ReceiverConfig {
        if (forward == null && http == null) {
            throw new IllegalArgumentException("no address says where events come in");
        }
        if ((certificate == null) != (privateKey == null)) {
            throw new IllegalArgumentException("TLS needs a certificate and its private key");
        }
    }

    /// What another machine could see or do that it must not, or null.
    public String exposure() {
        boolean isLocal = isLoopback(forward) && isLoopback(http);
        if (isLocal || (sharedKey != null && certificate != null)) {
            return null;
        }
        return "events from other machines need a shared key and TLS";
    }

    private static boolean isLoopback(InetSocketAddress address) {
        return address == null
                || (address.getAddress() != null && address.getAddress().isLoopbackAddress());
    }
}
