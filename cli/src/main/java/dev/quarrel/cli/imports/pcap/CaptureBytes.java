package dev.quarrel.cli.imports.pcap;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// A file's bytes, a buffer's fill at a time.
///
/// - Memory: one buffer of [#CAPACITY] bytes; what is not yet taken moves to its start when it is filled again.
final class CaptureBytes implements AutoCloseable {
    static final int CAPACITY = 32 << 20;

    private static final VarHandle LITTLE_INT16 = view(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LITTLE_INT32 = view(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LITTLE_INT64 = view(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle BIG_INT16 = view(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_INT32 = view(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle BIG_INT64 = view(long[].class, ByteOrder.BIG_ENDIAN);

    private final InputStream in;
    private final byte[] buffer = new byte[CAPACITY];
    private int start;
    private int end;
    private long startOffset; // of the buffer's first byte in the file
    private boolean isAtEnd;

    CaptureBytes(InputStream in) {
        this.in = in;
    }

    private static VarHandle view(Class<?> array, ByteOrder order) {
        return MethodHandles.byteArrayViewVarHandle(array, order);
    }

    static int uint16(byte[] bytes, int at) {
        return (short) BIG_INT16.get(bytes, at) & 0xFFFF;
    }

    static long uint32(byte[] bytes, int at) {
        return (int) BIG_INT32.get(bytes, at) & 0xFFFF_FFFFL;
    }

    static long int64(byte[] bytes, int at) {
        return (long) BIG_INT64.get(bytes, at);
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

    /// Reads as much as there is room for.
    ///
    /// @return whether there are more bytes than before
    boolean fill() throws IOException {
        System.arraycopy(buffer, start, buffer, 0, end - start);
        startOffset += start;
        end -= start;
        start = 0;
        int before = end;
        while (!isAtEnd && end < buffer.length) {
            int read = in.read(buffer, end, buffer.length - end);
            isAtEnd = read < 0;
            end += Math.max(0, read);
        }
        return end > before;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
