package dev.quarrel.core.pg;

import dev.quarrel.core.memory.LargeBytes;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A growable run of bytes that values are written into as text, and that is cleared and used again.
///
/// - Memory: doubles when full, and is given up by `clear` where it became large; `array` is the buffer itself, valid
///   until the next append.
/// - Errors: `QueryException` 54000 beyond 2 GiB, 53200 beyond the heap's share for texts. Not for several threads.
public final class TextBuffer {
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;
    /// One large value must not hold its bytes as long as its column's buffer lives.
    private static final int MAX_KEPT_BYTES = 1 << 20;

    private byte[] bytes;
    private LargeBytes large; // null until they are
    private int length;

    public TextBuffer() {
        this(256);
    }

    public TextBuffer(int capacity) {
        bytes = new byte[Math.max(16, capacity)];
    }

    public int length() {
        return length;
    }

    public void clear() {
        length = 0;
        if (bytes.length > MAX_KEPT_BYTES) {
            bytes = new byte[MAX_KEPT_BYTES];
            if (large != null) {
                large.drop();
            }
        }
    }

    /// Cuts the text back to its first `newLength` bytes.
    public void truncate(int newLength) {
        if (newLength < 0 || newLength > length) {
            throw new IndexOutOfBoundsException(newLength + " of " + length);
        }
        length = newLength;
    }

    /// The bytes written so far stand in its first [#length] places.
    public byte[] array() {
        return bytes;
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, length);
    }

    public void append(byte value) {
        reserve(1);
        bytes[length++] = value;
    }

    /// @param ascii a character below 128
    public void append(char ascii) {
        append((byte) ascii);
    }

    /// @param ascii characters below 128 only
    public void appendAscii(String ascii) {
        int count = ascii.length();
        reserve(count);
        for (int index = 0; index < count; index++) {
            bytes[length + index] = (byte) ascii.charAt(index);
        }
        length += count;
    }

    public void append(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        reserve(encoded.length);
        System.arraycopy(encoded, 0, bytes, length, encoded.length);
        length += encoded.length;
    }

    /// Copies bytes [offset, offset + count) of `source`.
    public void append(MemorySegment source, long offset, long count) {
        reserve(Math.toIntExact(count));
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset, bytes, length, (int) count);
        length += (int) count;
    }

    /// Makes room for `count` more bytes and gives the place where they start; `advance` then says how many were
    /// written there.
    int reserve(int count) {
        long needed = (long) length + count;
        if (needed > MAX_BYTES) {
            throw new QueryException(SqlState.PROGRAM_LIMIT_EXCEEDED, "requested length too large");
        }
        if (needed > bytes.length) {
            int wanted = (int) Math.min(MAX_BYTES, Math.max(needed, bytes.length * 2L));
            if (LargeBytes.isLarge(wanted)) {
                large = large == null ? new LargeBytes() : large;
                bytes = large.grow(bytes, (int) needed, wanted);
            } else {
                bytes = Arrays.copyOf(bytes, wanted);
            }
        }
        return length;
    }

    void advanceTo(int newLength) {
        length = newLength;
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
