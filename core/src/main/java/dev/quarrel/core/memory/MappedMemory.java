package dev.quarrel.core.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Mapped memory as the JIT is to see it: of the class that allocated memory has.
///
/// The JVM has a class of its own for mapped segments. A loop over columns of both kinds asks each value for its
/// segment's class; compiled code that asks once, in front of the loop, is thrown away whenever a column of the other
/// class comes, and the loop is compiled anew, up to a hundred times.
public final class MappedMemory {
    private MappedMemory() {}

    /// The same memory with the same bounds and life. Where the JVM lends this code no native access
    /// (`--enable-native-access`), it is the segment itself.
    ///
    /// @param arena what it was mapped with
    @SuppressWarnings("restricted") // nothing is reached that could not be before
    public static MemorySegment asAllocated(MemorySegment mapped, Arena arena) {
        return MappedMemory.class.getModule().isNativeAccessEnabled()
                ? mapped.reinterpret(mapped.byteSize(), arena, null)
                : mapped;
    }
}
