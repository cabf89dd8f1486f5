package dev.quarrel.ingest.table;

import dev.quarrel.ingest.intake.IsoTime;
import dev.quarrel.ingest.msgpack.Msgpack;

/// Times of events: microseconds since 1970, of years 1 to 9999, since folders are named by them.
final class EventTime {
    /// No time.
    static final long NONE = IsoTime.NONE;

    private static final long LEAST_SECOND = -62_135_596_800L;
    private static final long GREATEST_SECOND = 253_402_300_799L;

    private EventTime() {}

    /// The time that a value says, or [#NONE] where it says none: an integer or float of seconds, the forward
    /// protocol's EventTime, or MessagePack's timestamp.
    static long micros(byte[] bytes, int at) {
        byte first = bytes[at];
        return switch (Msgpack.kind(first)) {
            case INT -> Msgpack.isBeyondInt64(bytes, at) ? NONE : micros(Msgpack.integer(bytes, at), 0);
            case FLOAT -> {
                double seconds = Msgpack.real(bytes, at);
                yield seconds >= LEAST_SECOND && seconds < GREATEST_SECOND + 1.0
                        ? Math.round(seconds * 1_000_000)
                        : NONE;
            }
            case EXT -> extension(bytes, at);
            case NIL, BOOL, STR, BIN, ARRAY, MAP -> NONE;
        };
    }

    private static long extension(byte[] bytes, int at) {
        int start = at + Msgpack.head(bytes[at]);
        int length = (int) Msgpack.length(bytes, at);
        return switch (Msgpack.extensionType(bytes, at)) {
            case 0 ->
                length == 8
                        ? micros(
                                Msgpack.int32(bytes, start) & 0xFFFF_FFFFL,
                                Msgpack.int32(bytes, start + 4) & 0xFFFF_FFFFL)
                        : NONE;
            case -1 ->
                switch (length) {
                    case 4 -> micros(Msgpack.int32(bytes, start) & 0xFFFF_FFFFL, 0);
                    case 8 -> {
                        long word = Msgpack.int64(bytes, start);
                        yield micros(word & 0x3_FFFF_FFFFL, word >>> 34);
                    }
                    case 12 -> micros(Msgpack.int64(bytes, start + 4), Msgpack.int32(bytes, start) & 0xFFFF_FFFFL);
                    default -> NONE;
                };
            default -> NONE;
        };
    }

    private static long micros(long seconds, long nanos) {
        return seconds < LEAST_SECOND || seconds > GREATEST_SECOND || nanos >= 1_000_000_000L
                ? NONE
                : seconds * 1_000_000 + nanos / 1000;
    }
}
