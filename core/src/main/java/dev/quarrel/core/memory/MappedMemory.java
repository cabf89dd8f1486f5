package dev.quarrel.core.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/// Mapped memory as the JIT is to see it: of the class that allocated memory has.
///
/// The JVM has a class of its own for mapped segments. A loop over columns of both kinds asks each value for its
/// segment's class; compiled code that asks once, in front of the loop, is thrown away whenever a column of the other
/// class comes, and the loop is compiled anew, some 25 times.
public final class MappedMemory {
    private MappedMemory() {}

    /// A part of a mapped file, whose life is that of the mapping. Parts of 2 GiB and more, and those that end in the
    /// file's last 7 bytes, keep the class of mapped memory.
    ///
    /// - Errors: `IndexOutOfBoundsException` where the part is not within the file.
    public static MemorySegment part(MemorySegment mapped, long offset, long byteSize) {
        MemorySegment part = mapped.asSlice(offset, byteSize);
        long words = byteSize + 7 >> 3;
        if (words * Long.BYTES > Math.min(Integer.MAX_VALUE, mapped.byteSize() - offset)) {
            return part;
        }
        // A segment of a buffer of bytes remembers that it is mapped, and one of longs has no use for it. To
        // reinterpret
        // a segment takes native access, which an application has to ask for.
        return MemorySegment.ofBuffer(mapped.asSlice(offset, words * Long.BYTES)
                        .asByteBuffer()
                        .order(ByteOrder.nativeOrder())
                        .asLongBuffer())
                .asSlice(0, byteSize);
    }
}
