package dev.quarrel.export.copy;

import java.nio.charset.StandardCharsets;

/// The messages of a COPY stream, in place in a connection's buffer: `[start, end)` of each one's contents.
///
/// - Memory: belongs to the connection; the next read overwrites it.
public final class CopyFrames {
    /// So many rows' places stay in the fastest cache while one column after another is read.
    static final int MAX_FRAMES = 256;

    private final int[] starts = new int[MAX_FRAMES];
    private final int[] ends = new int[MAX_FRAMES];
    private byte[] bytes = new byte[0];
    private int count;

    /// Forgets the messages; the next ones are in `newBytes`.
    public void clear(byte[] newBytes) {
        bytes = newBytes;
        count = 0;
    }

    /// - Errors: [IndexOutOfBoundsException] when it is full.
    public void add(int start, int end) {
        starts[count] = start;
        ends[count] = end;
        count++;
    }

    public boolean isFull() {
        return count == MAX_FRAMES;
    }

    byte[] bytes() {
        return bytes;
    }

    public int count() {
        return count;
    }

    int start(int index) {
        return starts[index];
    }

    int end(int index) {
        return ends[index];
    }

    /// A message of a COPY in format text.
    public String text(int index) {
        return new String(bytes, starts[index], ends[index] - starts[index], StandardCharsets.UTF_8);
    }

    /// How many bytes the messages hold together.
    public int byteCount() {
        int sum = 0;
        for (int index = 0; index < count; index++) {
            sum += ends[index] - starts[index];
        }
        return sum;
    }
}
