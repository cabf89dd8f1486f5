package dev.quarrel.server.http;

import dev.quarrel.server.console.ConsoleResponse;
import dev.quarrel.server.metrics.ServerMetrics;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.WriteTimeoutException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers one connection's requests: GET and HEAD of three pages, without a body, and what the console answers.
final class HttpRequests extends SimpleChannelInboundHandler<HttpObject> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpRequests.class);
    private static final int PATIENCE_SECONDS = 20;
    private static final int LINGER_SECONDS = 2;
    private static final String PLAIN = "text/plain; charset=utf-8";

    private final HttpHosts hosts;
    private final Readiness readiness;
    private final ServerMetrics metrics;
    private final ConsoleDoor console;
    private ConsoleExchange exchange; // null while none is under way
    private boolean isClosing;
    private Future<?> patience;

    HttpRequests(HttpHosts hosts, Readiness readiness, ServerMetrics metrics, ConsoleDoor console) {
        this.console = console;
        this.hosts = hosts;
        this.readiness = readiness;
        this.metrics = metrics;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        awaitRequest(context);
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        patience.cancel(false);
        if (exchange != null) {
            exchange.leave();
        }
        context.fireChannelInactive();
    }

    /// Closes the connection unless a whole request comes soon, however its bytes trickle in.
    private void awaitRequest(ChannelHandlerContext context) {
        if (patience != null) {
            patience.cancel(false);
        }
        patience = context.executor().schedule(() -> context.close(), PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
        if (isClosing) {
            return;
        }
        if (exchange != null) {
            converse(context, message);
            return;
        }
        if (!(message instanceof HttpRequest request)) {
            return; // the end of a request that has been answered
        }
        if (!context.channel().isWritable()) {
            isClosing = true; // it asks and asks, and does not read
            var _ = context.close();
            return;
        }
        awaitRequest(context);
        boolean isHead = request.method().equals(HttpMethod.HEAD);
        FullHttpResponse response = refusal(request);
        if (response == null && console.leadsTo(path(request))) {
            exchange = new ConsoleExchange(request);
            return;
        }
        if (response == null) {
            response = answer(request);
        }
        boolean keepsAlive =
                HttpUtil.isKeepAlive(request) && response.status().code() != HttpResponseStatus.BAD_REQUEST.code();
        send(context, response, isHead, keepsAlive);
    }

    /// Takes the rest of a request to the console, and asks it.
    private void converse(ChannelHandlerContext context, HttpObject message) {
        if (exchange.isAsked()
                || !(message instanceof HttpContent piece)
                || message.decoderResult().isFailure()) {
            isClosing = true; // no browser asks the next before it has the answer
            exchange.leave();
            var _ = context.close();
            return;
        }
        if (!exchange.add(piece)) {
            finish(context, ConsoleResponse.tooLarge(), false);
            return;
        }
        if (message instanceof LastHttpContent) {
            patience.cancel(false);
            var _ = console.answer(exchange.whole(context.channel())).whenComplete((answer, failure) -> {
                if (failure != null) {
                    LOG.error("http.bug remote={}", context.channel().remoteAddress(), failure);
                }
                ConsoleResponse response = failure == null ? answer : ConsoleResponse.failed();
                context.executor().execute(() -> finish(context, response, true));
            });
        }
    }

    private void finish(ChannelHandlerContext context, ConsoleResponse answer, boolean isWhole) {
        if (exchange == null || isClosing) {
            return;
        }
        HttpRequest request = exchange.request();
        exchange = null;
        FullHttpResponse response = page(HttpResponseStatus.valueOf(answer.status()), answer.body(), answer.type());
        answer.headers().forEach((name, value) -> response.headers().set(name, value));
        awaitRequest(context);
        send(context, response, request.method().equals(HttpMethod.HEAD), isWhole && HttpUtil.isKeepAlive(request));
    }

    private static String path(HttpRequest request) {
        return request.uri().split("\\?", 2)[0];
    }

    /// The answer to what is asked wrongly or by a wrong name; null otherwise.
    private FullHttpResponse refusal(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return page(HttpResponseStatus.BAD_REQUEST, "this is no request that is understood\n");
        }
        boolean hasBody = HttpUtil.isTransferEncodingChunked(request) || HttpUtil.getContentLength(request, 0L) != 0;
        if (hasBody && !(request.method().equals(HttpMethod.POST) && console.leadsTo(path(request)))) {
            return page(HttpResponseStatus.BAD_REQUEST, "requests have no body here\n");
        }
        List<String> said = request.headers().getAll(HttpHeaderNames.HOST);
        boolean mayLackHost = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
        if (said.size() > 1 || said.isEmpty() && !mayLackHost) {
            return page(HttpResponseStatus.BAD_REQUEST, "a request has one Host header\n");
        }
        if (!said.isEmpty() && !hosts.isKnown(said.getFirst())) {
            return page(
                    HttpResponseStatus.FORBIDDEN,
                    "this name is not among those that the server may be asked by: see http_hosts\n");
        }
        return null;
    }

    private FullHttpResponse answer(HttpRequest request) {
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            FullHttpResponse refused = page(HttpResponseStatus.METHOD_NOT_ALLOWED, "GET and HEAD only\n");
            refused.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
            return refused;
        }
        return switch (path(request)) {
            case "/metrics" -> page(HttpResponseStatus.OK, metrics.text(), ServerMetrics.CONTENT_TYPE);
            case "/healthz" -> page(HttpResponseStatus.OK, "ok\n");
            case "/readyz" -> {
                String reason = readiness.waitingFor();
                yield reason == null
                        ? page(HttpResponseStatus.OK, "ok\n")
                        : page(HttpResponseStatus.SERVICE_UNAVAILABLE, reason + "\n");
            }
            default -> page(HttpResponseStatus.NOT_FOUND, "/metrics, /healthz and /readyz are here\n");
        };
    }

    private static FullHttpResponse page(HttpResponseStatus status, String text) {
        return page(status, text.getBytes(StandardCharsets.UTF_8), PLAIN);
    }

    private static FullHttpResponse page(HttpResponseStatus status, byte[] bytes, String type) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(bytes));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .set(HttpHeaderNames.CONTENT_LENGTH, bytes.length)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
                .set("x-content-type-options", "nosniff");
        return response;
    }

    private void send(ChannelHandlerContext context, FullHttpResponse response, boolean isHead, boolean keepsAlive) {
        if (isHead) {
            response.content().clear(); // the length stays what it would have been
        }
        HttpUtil.setKeepAlive(response, keepsAlive);
        var sent = context.writeAndFlush(response);
        if (!keepsAlive) {
            isClosing = true;
            sent.addListener(_ -> linger(context));
        }
    }

    /// Says that nothing more comes, and drops what the client still sends until it has closed or time is over: a
    /// connection that is closed with bytes unread is reset, and the client may lose the answer.
    private void linger(ChannelHandlerContext context) {
        patience.cancel(false);
        if (context.channel() instanceof SocketChannel socket && socket.isActive()) {
            var _ = socket.shutdownOutput();
            patience = context.executor().schedule(() -> context.close(), LINGER_SECONDS, TimeUnit.SECONDS);
        } else {
            var _ = context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        boolean isTheirs = failure instanceof IOException
                || failure instanceof WriteTimeoutException
                || failure instanceof DecoderException;
        if (!isTheirs) {
            LOG.error("http.bug remote={}", context.channel().remoteAddress(), failure);
        }
        var _ = context.close();
    }
}
