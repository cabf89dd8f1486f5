package dev.quarrel.ingest.intake;

import java.util.Objects;

/// Events of one table that arrived together, and are kept or refused together.
///
/// - Shape: `bytes[start, end)` holds MessagePack arrays `[time, record]`, one behind the other. `time` is an integer
///   of seconds, a float, an EventTime, or an array that begins with one; nil means the time of arrival.
/// - Memory: the bytes are shared and never written again.
///
/// @param table where they go
/// @param tag what the sender called them; null where it has no such word
/// @param id by which the sender knows whether it sends them again; null where it gives none
/// @param count of events, or -1 where nobody has counted
public record Chunk(String table, String tag, String id, byte[] bytes, int start, int end, int count) {
    public Chunk {
        Objects.requireNonNull(table, "table");
        Objects.checkFromToIndex(start, end, bytes.length);
    }

    public int byteSize() {
        return end - start;
    }
}
