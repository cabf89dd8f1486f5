package dev.quarrel.server.console;

import dev.quarrel.core.budget.Cancellation;
import java.net.InetSocketAddress;
import java.util.Map;

/// A request to the console, of a host that has been checked.
///
/// @param path without the query
/// @param query behind the question mark; empty for none
/// @param headers by names in lower case; of several with one name, all with commas between them
/// @param gone is cancelled when the client leaves
public record ConsoleRequest(
        String method,
        String path,
        String query,
        Map<String, String> headers,
        byte[] body,
        InetSocketAddress client,
        InetSocketAddress server,
        Cancellation gone) {
    /// The largest body that is read.
    public static final int MAX_BODY_BYTES = 256 * 1024;

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    /// Whether a proxy says that it asks for somebody else.
    boolean isForwarded() {
        return headers.containsKey("forwarded")
                || headers.containsKey("x-forwarded-for")
                || headers.containsKey("x-forwarded-proto");
    }

    /// Whether the proxy was asked by TLS.
    boolean isSecure() {
        return header("x-forwarded-proto").equalsIgnoreCase("https");
    }
}
