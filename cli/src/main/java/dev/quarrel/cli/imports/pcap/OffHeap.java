package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.LittleEndian;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies of arrays outside the heap, for columns: arrays that waited there until their batch is written would be moved
/// by each collection.
record OffHeap(Allocator memory) {
    MemorySegment of(byte[] values, int count) {
        MemorySegment copy = memory.allocateUnset(count);
        MemorySegment.copy(values, 0, copy, ValueLayout.JAVA_BYTE, 0, count);
        return copy;
    }

    MemorySegment of(short[] values) {
        MemorySegment copy = memory.allocateUnset((long) values.length * Short.BYTES);
        MemorySegment.copy(values, 0, copy, LittleEndian.INT16, 0, values.length);
        return copy;
    }

    MemorySegment of(int[] values) {
        MemorySegment copy = memory.allocateUnset((long) values.length * Integer.BYTES);
        MemorySegment.copy(values, 0, copy, LittleEndian.INT32, 0, values.length);
        return copy;
    }

    MemorySegment of(long[] values) {
        MemorySegment copy = memory.allocateUnset((long) values.length * Long.BYTES);
        MemorySegment.copy(values, 0, copy, LittleEndian.INT64, 0, values.length);
        return copy;
    }
}
