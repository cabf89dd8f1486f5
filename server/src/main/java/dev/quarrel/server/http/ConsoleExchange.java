package dev.quarrel.server.http;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.server.console.ConsoleRequest;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// A request to the console, from its first line to its answer.
///
/// - Memory: at most [ConsoleRequest#MAX_BODY_BYTES] of its body.
/// - Threads: the connection's event loop.
final class ConsoleExchange {
    private final HttpRequest request;
    private final Cancellation gone = new Cancellation();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private boolean isAsked;

    ConsoleExchange(HttpRequest request) {
        this.request = request;
    }

    HttpRequest request() {
        return request;
    }

    /// Takes a piece of the body.
    ///
    /// @return false where it is too large
    boolean add(HttpContent piece) {
        int bytes = piece.content().readableBytes();
        if (body.size() + bytes > ConsoleRequest.MAX_BODY_BYTES) {
            return false;
        }
        try {
            piece.content().getBytes(piece.content().readerIndex(), body, bytes);
        } catch (IOException impossible) {
            throw new UncheckedIOException("a buffer in memory", impossible);
        }
        return true;
    }

    /// Whether it was handed on, and waits for its answer.
    boolean isAsked() {
        return isAsked;
    }

    /// The whole request.
    ConsoleRequest whole(Channel channel) {
        isAsked = true;
        String[] target = request.uri().split("\\?", 2);
        Map<String, String> headers = new TreeMap<>();
        request.headers()
                .forEach(header -> headers.merge(
                        header.getKey().toLowerCase(Locale.ROOT),
                        header.getValue(),
                        (one, other) -> one + "," + other));
        return new ConsoleRequest(
                request.method().name(),
                target[0],
                target.length > 1 ? target[1] : "",
                headers,
                body.toByteArray(),
                (InetSocketAddress) channel.remoteAddress(),
                (InetSocketAddress) channel.localAddress(),
                gone);
    }

    /// Says that the client has left.
    void leave() {
        gone.cancel(new QueryException(SqlState.CONNECTION_FAILURE, "connection to client lost"));
    }
}
