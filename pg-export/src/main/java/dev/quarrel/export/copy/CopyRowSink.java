package dev.quarrel.export.copy;

/// Takes the rows of a COPY stream as raw bytes instead of decoded values.
@FunctionalInterface
public interface CopyRowSink {
    /// Takes a row: `bytes[start, end)` are its fields, each with its length before it; as many as the reader has
    /// columns, and all of them whole.
    ///
    /// - Memory: `bytes` belong to the connection; the next read overwrites them.
    void row(byte[] bytes, int start, int end);

    /// Takes a run of messages of one row each.
    default void rows(CopyFrames frames, int first, int count) {
        for (int frame = first; frame < first + count; frame++) {
            row(frames.bytes(), frames.start(frame) + Short.BYTES, frames.end(frame));
        }
    }
}
