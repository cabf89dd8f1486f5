package dev.quarrel.cli.imports.pcap;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Queue;

/// A file's bytes, as blocks that are handed out once what is in them was found.
///
/// - Memory: a buffer that grows up to a bound. Where a block was handed out, another one takes its place, into which
///   moves what is not yet taken.
final class CaptureBytes implements AutoCloseable {
    /// Room for the longest packet and what stands around it.
    static final int LEAST_CAPACITY = Capture.MAX_PACKET_BYTES + (1 << 20);

    /// So much is read at a time: it is still in the processor's cache when it is looked at.
    static final int READ_BYTES = 1 << 20;

    private static final VarHandle LITTLE_INT16 = view(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LITTLE_INT32 = view(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LITTLE_INT64 = view(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle BIG_INT16 = view(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_INT32 = view(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_INT64 = view(long[].class, ByteOrder.BIG_ENDIAN);

    private final InputStream in;
    private final int capacity;
    private final Queue<byte[]> spare;
    private byte[] buffer;
    private int start;
    private int end;
    private long startOffset; // of the buffer's first byte in the file
    private boolean isAtEnd;

    /// @param capacity of a block, in bytes; at least [#LEAST_CAPACITY]
    /// @param spare arrays of at least [#READ_BYTES] that nobody uses any more; any thread adds to it
    CaptureBytes(InputStream in, int capacity, Queue<byte[]> spare) {
        this.in = in;
        this.capacity = capacity;
        this.spare = spare;
        byte[] used = spare.poll();
        this.buffer = used != null ? used : new byte[READ_BYTES];
    }

    private static VarHandle view(Class<?> array, ByteOrder order) {
        return MethodHandles.byteArrayViewVarHandle(array, order);
    }

    int uint16(int at, boolean isBig) {
        return (short) (isBig ? BIG_INT16 : LITTLE_INT16).get(buffer, at) & 0xFFFF;
    }

    long uint32(int at, boolean isBig) {
        return (isBig ? (int) BIG_INT32.get(buffer, at) : (int) LITTLE_INT32.get(buffer, at)) & 0xFFFF_FFFFL;
    }

    long int64(int at, boolean isBig) {
        return isBig ? (long) BIG_INT64.get(buffer, at) : (long) LITTLE_INT64.get(buffer, at);
    }

    byte[] buffer() {
        return buffer;
    }

    /// Where the next byte is.
    int at() {
        return start;
    }

    /// The next byte's place in the file.
    long offset() {
        return startOffset + start;
    }

    /// Whether the buffer has so many bytes more.
    boolean has(long count) {
        return end - start >= count;
    }

    /// How many bytes the buffer has that were not taken.
    int rest() {
        return end - start;
    }

    void skip(int count) {
        start += count;
    }

    /// Reads some more.
    ///
    /// @param isUnused whether nobody needs what was taken from the buffer
    /// @return whether there are more bytes than before: not at the file's end, or where there is no room
    boolean fill(boolean isUnused) throws IOException {
        if (end == buffer.length && isUnused && start > 0) {
            moveRestTo(buffer);
        }
        if (end == buffer.length && end < capacity) {
            buffer = Arrays.copyOf(buffer, Math.min(capacity, 4 * end));
        }
        int before = end;
        while (!isAtEnd && end == before && end < buffer.length) {
            int read = in.read(buffer, end, Math.min(READ_BYTES, buffer.length - end));
            isAtEnd = read < 0;
            end += Math.max(0, read);
        }
        return end > before;
    }

    private void moveRestTo(byte[] to) {
        System.arraycopy(buffer, start, to, 0, end - start);
        startOffset += start;
        end -= start;
        start = 0;
        buffer = to;
    }

    /// The buffer, which is the caller's from here on.
    byte[] handOut() {
        byte[] block = buffer;
        byte[] next = isAtEnd ? null : spare.poll();
        boolean isLongEnough = next != null && next.length >= rest();
        moveRestTo(isLongEnough ? next : new byte[isAtEnd ? rest() : block.length]);
        return block;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
