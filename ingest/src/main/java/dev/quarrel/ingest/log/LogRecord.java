package dev.quarrel.ingest.log;

import dev.quarrel.ingest.intake.Chunk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;

/// How a chunk, and the ids of chunks, stand in the log: a head of the length and the CRC32C of what follows, then the
/// payload. All numbers are little endian.
///
/// | payload of a chunk | bytes |
/// |---|---|
/// | kind, 1 | 1 |
/// | time of arrival, microseconds since 1970 | 8 |
/// | table, tag, id: a length of two bytes each (65535: none), then UTF-8 | 6 and more |
/// | the events | the rest |
///
/// The payload of ids is kind 2, and for each the time of its arrival (8) and the id as above.
final class LogRecord {
    static final int HEAD_BYTES = 8;
    static final byte CHUNK = 1;
    static final byte IDS = 2;
    private static final int NONE = 0xFFFF;
    static final int MOST_TEXT_BYTES = NONE - 1;

    private LogRecord() {}

    /// What stands before a chunk's events.
    static byte[] chunkHead(Chunk chunk, long arrivalMicros) {
        byte[] table = utf8(chunk.table());
        byte[] tag = utf8(chunk.tag());
        byte[] id = utf8(chunk.id());
        ByteBuffer out =
                ByteBuffer.allocate(9 + 6 + size(table) + size(tag) + size(id)).order(ByteOrder.LITTLE_ENDIAN);
        out.put(CHUNK).putLong(arrivalMicros);
        put(out, table);
        put(out, tag);
        put(out, id);
        return out.array();
    }

    static byte[] ids(ChunkIds ids) {
        int[] size = {1};
        ids.forEach((id, _) -> size[0] = Math.addExact(size[0], 10 + utf8(id).length));
        ByteBuffer out = ByteBuffer.allocate(size[0]).order(ByteOrder.LITTLE_ENDIAN);
        out.put(IDS);
        ids.forEach((id, time) -> {
            out.putLong(time);
            put(out, utf8(id));
        });
        return out.array();
    }

    /// Reads a payload.
    ///
    /// - Errors: [RuntimeException] for one that is not whole, which its CRC would have told.
    static void read(byte[] payload, LogReader.Visitor visitor) {
        ByteBuffer in = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
        switch (in.get()) {
            case CHUNK -> {
                long arrival = in.getLong();
                String table = text(in);
                String tag = text(in);
                String id = text(in);
                visitor.chunk(new Chunk(table, tag, id, payload, in.position(), payload.length, -1), arrival);
            }
            case IDS -> readIds(in, visitor::id);
            default -> throw new IllegalArgumentException("a record of kind " + payload[0]);
        }
    }

    private static void readIds(ByteBuffer in, BiConsumer<String, Long> visitor) {
        while (in.hasRemaining()) {
            long time = in.getLong();
            visitor.accept(text(in), time);
        }
    }

    private static byte[] utf8(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static int size(byte[] text) {
        return text == null ? 0 : text.length;
    }

    private static void put(ByteBuffer out, byte[] text) {
        if (text != null && text.length > MOST_TEXT_BYTES) {
            throw new IllegalArgumentException("a text of " + text.length + " bytes");
        }
        out.putShort((short) (text == null ? NONE : text.length));
        if (text != null) {
            out.put(text);
        }
    }

    private static String text(ByteBuffer in) {
        int length = in.getShort() & 0xFFFF;
        if (length == NONE) {
            return null;
        }
        byte[] text = new byte[length];
        in.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
