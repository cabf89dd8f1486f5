package dev.quarrel.core.type;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;

/// One value of type `Binary`: bytes that do not change, equal by content, ordered as PostgreSQL orders bytea.
public final class Bytes implements Comparable<Bytes> {
    private static final Bytes NONE = new Bytes(new byte[0]);

    private final byte[] bytes;

    private Bytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /// - Memory: copied.
    public static Bytes of(byte[] bytes) {
        return bytes.length == 0 ? NONE : new Bytes(bytes.clone());
    }

    /// - Memory: copied.
    public static Bytes of(MemorySegment bytes) {
        return bytes.byteSize() == 0 ? NONE : new Bytes(bytes.toArray(ValueLayout.JAVA_BYTE));
    }

    public int length() {
        return bytes.length;
    }

    public byte get(int index) {
        return bytes[index];
    }

    /// - Memory: a copy, the caller's own.
    public byte[] toArray() {
        return bytes.clone();
    }

    /// By unsigned bytes; of two of which one begins with the other, the shorter comes first.
    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /// PostgreSQL's hex form, such as `\x00ff`.
    @Override
    public String toString() {
        return "\\x" + HexFormat.of().formatHex(bytes);
    }
}
