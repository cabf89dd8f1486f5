package dev.quarrel.ingest.net;

import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.ingest.intake.Chunk;
import dev.quarrel.ingest.intake.Intake;
import dev.quarrel.ingest.intake.Receipt;
import dev.quarrel.ingest.intake.TableName;
import dev.quarrel.ingest.log.ChunkIds;
import dev.quarrel.ingest.msgpack.MsgpackException;
import dev.quarrel.ingest.msgpack.MsgpackWriter;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Events by HTTP.
///
/// | request | body |
/// |---|---|
/// | `POST /ingest/TABLE` | a JSON object a line, or an array of objects; `?precision=` of numbers that are times |
/// | `POST /write`, `POST /api/v2/write` | InfluxDB's lines; `?precision=` |
/// | `GET /ping`, `GET /health` | |
///
/// A request is kept as a whole or not at all, but for events that their table does not take, and answered
/// when it is. `Idempotency-Key` names it among those of its table, so that it may be sent again; without, what is
/// sent again is kept again.
final class HttpEventsHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpEventsHandler.class);
    private static final String INGEST = "/ingest/";
    private static final int MOST_KEY_LENGTH = 200;
    private static final int PRINT_BYTES = 16;

    private final Intake intake;
    private final byte[] key; // null where clients need not know one
    private final int mostBytes;

    HttpEventsHandler(Intake intake, String sharedKey, int mostBytes) {
        this.intake = intake;
        this.key = sharedKey == null ? null : sharedKey.getBytes(StandardCharsets.UTF_8);
        this.mostBytes = mostBytes;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        if (request.decoderResult().isFailure()) {
            answer(context, false, HttpResponseStatus.BAD_REQUEST, "the request is not HTTP");
            return;
        }
        QueryStringDecoder uri = new QueryStringDecoder(request.uri());
        if (request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD)) {
            boolean isKnown = uri.path().equals("/ping") || uri.path().equals("/health");
            answer(context, keepAlive, isKnown ? HttpResponseStatus.NO_CONTENT : HttpResponseStatus.NOT_FOUND, "");
            return;
        }
        if (!isAllowed(request, uri)) {
            answer(context, keepAlive, HttpResponseStatus.UNAUTHORIZED, "Authorization: Bearer KEY is wanted");
            return;
        }
        if (!request.method().equals(HttpMethod.POST)) {
            answer(context, keepAlive, HttpResponseStatus.METHOD_NOT_ALLOWED, "events come by POST");
            return;
        }
        try {
            take(context, request, uri, keepAlive);
        } catch (FormatException | MsgpackException | IllegalArgumentException e) {
            answer(context, keepAlive, HttpResponseStatus.BAD_REQUEST, e.getMessage());
        }
    }

    /// The key stands in `Authorization`, behind `Bearer` or InfluxDB's `Token`, or as its parameter `p`.
    private boolean isAllowed(FullHttpRequest request, QueryStringDecoder uri) {
        if (key == null) {
            return true;
        }
        String header = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
        int blank = header.indexOf(' ');
        String given = blank < 0
                ? parameter(uri, "p", "")
                : header.substring(blank + 1).strip();
        return MessageDigest.isEqual(key, given.getBytes(StandardCharsets.UTF_8));
    }

    private static String parameter(QueryStringDecoder uri, String name, String otherwise) {
        List<String> values = uri.parameters().getOrDefault(name, List.of());
        return values.isEmpty() ? otherwise : values.getFirst();
    }

    private void take(
            ChannelHandlerContext context, FullHttpRequest request, QueryStringDecoder uri, boolean keepAlive) {
        String path = uri.path();
        boolean isLines = path.equals("/write") || path.equals("/api/v2/write");
        if (!isLines && (!path.startsWith(INGEST) || path.length() == INGEST.length())) {
            answer(context, keepAlive, HttpResponseStatus.NOT_FOUND, "events go to /ingest/TABLE, lines to /write");
            return;
        }
        String id = request.headers().get("Idempotency-Key");
        if (id != null && (id.isEmpty() || id.length() > MOST_KEY_LENGTH)) {
            throw new IllegalArgumentException("an Idempotency-Key has 1 to " + MOST_KEY_LENGTH + " characters");
        }
        byte[] body = body(request);
        List<Chunk> chunks = new ArrayList<>();
        long unit = TimeUnitName.nanos(parameter(uri, "precision", isLines ? "ns" : "s"));
        if (isLines) {
            for (Map.Entry<String, LineProtocol.Events> table :
                    LineProtocol.read(body, unit).entrySet()) {
                LineProtocol.Events events = table.getValue();
                chunks.add(new Chunk(
                        table.getKey(),
                        null,
                        id == null ? null : chunkId(id, table.getKey(), events.packed()),
                        events.packed().array(),
                        0,
                        events.packed().size(),
                        events.count()));
            }
        } else {
            JsonEvents.Events events = JsonEvents.read(body, unit);
            if (events.count() > 0) {
                chunks.add(new Chunk(
                        path.substring(INGEST.length()),
                        null,
                        id == null ? null : chunkId(id, path.substring(INGEST.length()), events.packed()),
                        events.packed().array(),
                        0,
                        events.packed().size(),
                        events.count()));
            }
        }
        for (Chunk chunk : chunks) {
            String fault = TableName.fault(chunk.table());
            if (fault != null) {
                throw new IllegalArgumentException(fault);
            }
        }
        offer(context, keepAlive, chunks, isLines);
    }

    /// A key is one of its table's; events that are not those that were kept under it tell by their hash.
    private static String chunkId(String key, String table, MsgpackWriter events) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            sha256.update(events.array(), 0, events.size());
            String print = HexFormat.of().formatHex(sha256.digest(), 0, PRINT_BYTES);
            return ChunkIds.of("http " + key + "\n" + table, print);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each JDK has it
        }
    }

    private byte[] body(FullHttpRequest request) {
        byte[] body = ByteBufUtil.getBytes(request.content());
        String encoding = request.headers().get(HttpHeaderNames.CONTENT_ENCODING, "identity");
        return switch (encoding) {
            case "identity" -> body;
            case "gzip", "x-gzip" -> Gzip.inflate(body, 0, body.length, mostBytes);
            default ->
                throw new IllegalArgumentException("Content-Encoding " + encoding + " is not supported, gzip is");
        };
    }

    private void offer(ChannelHandlerContext context, boolean keepAlive, List<Chunk> chunks, boolean isLines) {
        int count = chunks.stream().mapToInt(Chunk::count).sum();
        Outcome outcome = new Outcome(chunks.size(), (rejected, reason) -> {
            if (reason == null && isLines && rejected == 0) {
                answer(context, keepAlive, HttpResponseStatus.NO_CONTENT, "");
            } else if (reason == null && isLines) { // InfluxDB's words, after which its clients send nothing again
                answer(
                        context,
                        keepAlive,
                        HttpResponseStatus.BAD_REQUEST,
                        "partial write: _ingest/rejected has what is not taken, and why dropped=" + rejected);
            } else if (reason == null) {
                String events = "{\"events\": " + (count - rejected);
                answer(
                        context,
                        keepAlive,
                        HttpResponseStatus.OK,
                        events + (rejected == 0 ? "}" : ", \"rejected\": " + rejected + "}"));
            } else {
                answer(context, keepAlive, status(reason.state()), reason.getMessage());
            }
        });
        if (chunks.isEmpty()) {
            outcome.end();
            return;
        }
        chunks.forEach(chunk -> intake.offer(chunk, outcome));
        if (!intake.hasRoom() && context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(false);
            intake.whenRoom(() ->
                    context.executor().execute(() -> context.channel().config().setAutoRead(true)));
        }
    }

    private static HttpResponseStatus status(SqlState refused) {
        return switch (refused) {
            case DISK_FULL -> HttpResponseStatus.INSUFFICIENT_STORAGE;
            case UNIQUE_VIOLATION -> HttpResponseStatus.UNPROCESSABLE_ENTITY;
            default -> HttpResponseStatus.SERVICE_UNAVAILABLE;
        };
    }

    /// What became of a request's chunks, told when all of them have one.
    private static final class Outcome implements Receipt {
        private final AtomicInteger left;
        private final AtomicLong rejected = new AtomicLong();
        private final AtomicReference<QueryException> failure = new AtomicReference<>();
        private final BiConsumer<Long, QueryException> told;

        /// @param told how many events were rejected, and why the request was refused or null
        Outcome(int chunks, BiConsumer<Long, QueryException> told) {
            this.left = new AtomicInteger(chunks);
            this.told = told;
        }

        @Override
        public void kept(long rejected) {
            this.rejected.addAndGet(rejected);
            if (left.decrementAndGet() == 0) {
                end();
            }
        }

        @Override
        public void refused(QueryException reason) {
            failure.set(reason);
            kept(0);
        }

        void end() {
            told.accept(rejected.get(), failure.get());
        }
    }

    private static void answer(
            ChannelHandlerContext context, boolean keepAlive, HttpResponseStatus status, String text) {
        String body = status.code() < 400 ? text : "{\"error\": " + quoted(text) + "}";
        boolean hasBody = !status.equals(HttpResponseStatus.NO_CONTENT);
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                status,
                hasBody ? Unpooled.copiedBuffer(body + "\n", StandardCharsets.UTF_8) : Unpooled.EMPTY_BUFFER);
        if (hasBody) {
            response.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                    .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        }
        if (status.code() == 503) {
            response.headers().set(HttpHeaderNames.RETRY_AFTER, 1);
        }
        if (keepAlive) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
            var _ = context.writeAndFlush(response);
        } else {
            var _ = context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder();
        JsonStrings.append(text, out);
        return out.toString();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent) { // others have their answer: a body that would be too large, for one
            var _ = context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(cause instanceof IOException)) {
            LOG.warn("ingest.http_failed peer={} error={}", context.channel().remoteAddress(), cause.toString());
        }
        var _ = context.close();
    }
}
