package dev.quarrel.ingest.net;

import dev.quarrel.ingest.intake.Chunk;
import dev.quarrel.ingest.intake.Routes;
import dev.quarrel.ingest.msgpack.Msgpack;
import dev.quarrel.ingest.msgpack.Msgpack.Kind;
import dev.quarrel.ingest.msgpack.MsgpackException;
import java.nio.charset.StandardCharsets;

/// One message of the forward protocol: events with a tag.
///
/// | mode | shape |
/// |---|---|
/// | Message | `[tag, time, record, option?]` |
/// | Forward | `[tag, [[time, record], …], option?]` |
/// | PackedForward | `[tag, bin or str of events one behind the other, option?]` |
/// | CompressedPackedForward | the same, with `compressed: "gzip"` among the options |
///
/// - Source: Fluentd, Forward Protocol Specification v1, "Event Modes"; Fluent Bit's `fw_prot.c`.
///
/// @param chunk null where it has no events
/// @param ackId what the sender wants to be told, or null
record ForwardMessage(Chunk chunk, String ackId) {
    private static final int MOST_TAG_BYTES = 1024;
    private static final int MOST_ID_BYTES = 1024;
    private static final byte PAIR = (byte) 0x92;

    /// Reads a message.
    ///
    /// - Memory: the chunk shares `bytes`, but for messages of one event and compressed ones.
    /// - Errors: [MsgpackException] for one that is none of these.
    ///
    /// @param mostBytes that compressed events may come to
    static ForwardMessage read(byte[] bytes, int start, int end, Routes routes, int mostBytes) {
        if (Msgpack.kind(bytes[start]) != Kind.ARRAY) {
            throw new MsgpackException("a message is an array");
        }
        long size = Msgpack.length(bytes, start);
        if (size < 2 || size > 4) {
            throw new MsgpackException("an array of " + size + " is no message");
        }
        int tagAt = start + Msgpack.head(bytes[start]);
        String tag = text(bytes, tagAt, MOST_TAG_BYTES, "tag");
        int events = Msgpack.skip(bytes, tagAt, end);
        int next = Msgpack.skip(bytes, events, end);
        return switch (Msgpack.kind(bytes[events])) {
            case ARRAY -> {
                Options options = size > 2 ? Options.read(bytes, next, end) : Options.NONE;
                int first = events + Msgpack.head(bytes[events]);
                yield of(tag, options, bytes, first, next, (int) Msgpack.length(bytes, events), routes);
            }
            case BIN, STR -> {
                Options options = size > 2 ? Options.read(bytes, next, end) : Options.NONE;
                int first = events + Msgpack.head(bytes[events]);
                if (options.isCompressed()) {
                    byte[] plain = Gzip.inflate(bytes, first, next, mostBytes);
                    yield of(tag, options, plain, 0, plain.length, -1, routes);
                }
                yield of(tag, options, bytes, first, next, -1, routes);
            }
            default -> {
                if (size < 3) {
                    throw new MsgpackException("a message without a record");
                }
                int recordEnd = Msgpack.skip(bytes, next, end);
                Options options = size > 3 ? Options.read(bytes, recordEnd, end) : Options.NONE;
                byte[] event = new byte[1 + recordEnd - events];
                event[0] = PAIR;
                System.arraycopy(bytes, events, event, 1, recordEnd - events);
                yield of(tag, options, event, 0, event.length, 1, routes);
            }
        };
    }

    private static ForwardMessage of(
            String tag, Options options, byte[] bytes, int start, int end, int count, Routes routes) {
        Chunk chunk =
                start == end ? null : new Chunk(routes.table(tag), tag, options.chunkId(), bytes, start, end, count);
        return new ForwardMessage(chunk, options.chunkId());
    }

    private static String text(byte[] bytes, int at, int mostBytes, String what) {
        Kind kind = Msgpack.kind(bytes[at]);
        long length = Msgpack.length(bytes, at);
        if ((kind != Kind.STR && kind != Kind.BIN) || length > mostBytes) {
            throw new MsgpackException("the " + what + " is no text of at most " + mostBytes + " bytes");
        }
        return new String(bytes, at + Msgpack.head(bytes[at]), (int) length, StandardCharsets.UTF_8);
    }

    /// What stands behind the events. Members that we do not know mean nothing to us.
    private record Options(String chunkId, boolean isCompressed) {
        static final Options NONE = new Options(null, false);

        static Options read(byte[] bytes, int at, int end) {
            if (Msgpack.kind(bytes[at]) == Kind.NIL) {
                return NONE;
            }
            if (Msgpack.kind(bytes[at]) != Kind.MAP) {
                throw new MsgpackException("the options are no map");
            }
            long pairs = Msgpack.length(bytes, at);
            int key = at + Msgpack.head(bytes[at]);
            String chunkId = null;
            boolean isCompressed = false;
            for (long pair = 0; pair < pairs; pair++) {
                int value = Msgpack.skip(bytes, key, end);
                int next = Msgpack.skip(bytes, value, end);
                switch (Msgpack.kind(bytes[key]) == Kind.STR ? text(bytes, key, 1024, "option") : "") {
                    case "chunk" -> chunkId = text(bytes, value, MOST_ID_BYTES, "chunk id");
                    case "compressed" -> isCompressed = isCompressed(text(bytes, value, 64, "compression"));
                    case "fluent_signal" -> checkSignal(bytes, value);
                    default -> {}
                }
                key = next;
            }
            return new Options(chunkId, isCompressed);
        }

        private static boolean isCompressed(String method) {
            return switch (method) {
                case "gzip" -> true;
                case "text" -> false;
                default -> throw new MsgpackException("events compressed by " + method + " are not supported, gzip is");
            };
        }

        private static void checkSignal(byte[] bytes, int at) {
            if (Msgpack.kind(bytes[at]) != Kind.INT || Msgpack.integer(bytes, at) != 0) {
                throw new MsgpackException("metrics and traces are not supported, logs are");
            }
        }
    }
}
