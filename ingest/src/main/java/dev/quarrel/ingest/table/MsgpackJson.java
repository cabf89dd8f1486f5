package dev.quarrel.ingest.table;

import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.json.JsonValue;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.ingest.msgpack.Msgpack;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/// MessagePack values as JSON: what nested values of events, and events that were rejected, are kept as.
///
/// Bytes are base64, NaN and the infinities texts, and an extension is `{"type": n, "data": base64}`, but for an
/// EventTime, which is seconds.
final class MsgpackJson {
    private static final int MOST_DEPTH = 512;

    private MsgpackJson() {}

    /// A value's text as PostgreSQL shows a jsonb.
    ///
    /// - Errors: [RejectedException] for what no jsonb can be.
    static byte[] jsonb(byte[] bytes, int at) {
        try {
            return JsonValue.read(text(bytes, at)).text().getBytes(StandardCharsets.UTF_8);
        } catch (QueryException e) {
            throw new RejectedException(e.getMessage());
        }
    }

    static String text(byte[] bytes, int at) {
        StringBuilder out = new StringBuilder();
        append(bytes, at, out, 0);
        return out.toString();
    }

    /// Appends a value's text.
    ///
    /// @return the place behind the value
    static int append(byte[] bytes, int at, StringBuilder out, int depth) {
        if (depth > MOST_DEPTH) {
            throw new RejectedException("it is nested deeper than " + MOST_DEPTH + " levels");
        }
        byte first = bytes[at];
        int start = at + Msgpack.head(first);
        long length = Msgpack.length(bytes, at);
        switch (Msgpack.kind(first)) {
            case NIL -> out.append("null");
            case BOOL -> out.append(Msgpack.bool(bytes, at));
            case INT -> out.append(integer(bytes, at));
            case FLOAT -> appendReal(Msgpack.real(bytes, at), out);
            case STR -> JsonStrings.append(string(bytes, start, (int) length), out);
            case BIN ->
                out.append('"').append(base64(bytes, start, (int) length)).append('"');
            case EXT -> appendExtension(bytes, at, start, (int) length, out);
            case ARRAY -> {
                out.append('[');
                int next = start;
                for (long element = 0; element < length; element++) {
                    out.append(element == 0 ? "" : ", ");
                    next = append(bytes, next, out, depth + 1);
                }
                out.append(']');
                return next;
            }
            case MAP -> {
                out.append('{');
                int next = start;
                for (long pair = 0; pair < length; pair++) {
                    out.append(pair == 0 ? "" : ", ");
                    next = appendKey(bytes, next, out, depth + 1);
                    out.append(": ");
                    next = append(bytes, next, out, depth + 1);
                }
                out.append('}');
                return next;
            }
        }
        return switch (Msgpack.kind(first)) {
            case STR, BIN, EXT -> start + (int) length;
            default -> start;
        };
    }

    private static int appendKey(byte[] bytes, int at, StringBuilder out, int depth) {
        if (Msgpack.kind(bytes[at]) == Msgpack.Kind.STR) {
            return append(bytes, at, out, depth);
        }
        StringBuilder key = new StringBuilder();
        int next = append(bytes, at, key, depth);
        JsonStrings.append(key.toString(), out);
        return next;
    }

    /// Text with what is no UTF-8, and NUL, which no text of PostgreSQL has, as U+FFFD.
    static String string(byte[] bytes, int start, int length) {
        return new String(bytes, start, length, StandardCharsets.UTF_8).replace('\0', '\uFFFD');
    }

    static String integer(byte[] bytes, int at) {
        long value = Msgpack.integer(bytes, at);
        return Msgpack.isBeyondInt64(bytes, at) ? Long.toUnsignedString(value) : Long.toString(value);
    }

    private static void appendReal(double value, StringBuilder out) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            out.append('"').append(value).append('"');
        } else {
            out.append(value);
        }
    }

    private static void appendExtension(byte[] bytes, int at, int start, int length, StringBuilder out) {
        int type = Msgpack.extensionType(bytes, at);
        if (type == 0 && length == 8) {
            out.append(Msgpack.int32(bytes, start) & 0xFFFF_FFFFL)
                    .append('.')
                    .append("%09d".formatted(Msgpack.int32(bytes, start + 4) & 0xFFFF_FFFFL));
        } else {
            out.append("{\"type\": ")
                    .append(type)
                    .append(", \"data\": \"")
                    .append(base64(bytes, start, length))
                    .append("\"}");
        }
    }

    private static String base64(byte[] bytes, int start, int length) {
        return Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, start, start + length));
    }
}
