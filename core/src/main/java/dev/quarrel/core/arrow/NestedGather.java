package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.column.Validity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Lists as [NestedColumn] wants them, of those that files have: their elements may begin anywhere, and lists that are
/// NULL may have some.
final class NestedGather {
    private NestedGather() {}

    /// @param offsets where each row's elements begin, and the last one's end; they ascend, within `elements`
    static NestedColumn.Lists lists(int[] offsets, Validity validity, NestedColumn elements, Allocator memory) {
        int rowCount = offsets.length - 1;
        int[] starts = new int[rowCount + 1];
        int[] kept = null; // null as long as all elements are
        int count = 0;
        for (int row = 0; row < rowCount; row++) {
            starts[row] = count;
            int from = offsets[row];
            int size = validity.isPresent(row) ? offsets[row + 1] - from : 0;
            if (kept == null && (from != count || size < offsets[row + 1] - from)) {
                kept = new int[offsets[rowCount]];
                Arrays.setAll(kept, element -> element);
            }
            for (int element = 0; kept != null && element < size; element++) {
                kept[count + element] = from + element;
            }
            count += size;
        }
        starts[rowCount] = count;
        MemorySegment places = memory.allocateUnset((rowCount + 1L) * Integer.BYTES);
        MemorySegment.copy(starts, 0, places, INT32, 0, rowCount + 1);
        NestedColumn own = kept == null ? elements : of(elements, Arrays.copyOf(kept, count), memory);
        return new NestedColumn.Lists(rowCount, places, validity, own);
    }

    /// The rows of these numbers.
    private static NestedColumn of(NestedColumn column, int[] rows, Allocator memory) {
        return switch (column) {
            case NestedColumn.Values values -> new NestedColumn.Values(Gather.of(values.column(), rows, memory));
            case NestedColumn.Structs structs ->
                new NestedColumn.Structs(
                        rows.length,
                        validity(structs.validity(), rows, memory),
                        structs.members().stream()
                                .map(member -> of(member, rows, memory))
                                .toList());
            case NestedColumn.Lists lists -> {
                int[] starts = new int[rows.length + 1];
                for (int row = 0; row < rows.length; row++) {
                    starts[row + 1] = Math.addExact(starts[row], end(lists, rows[row]) - start(lists, rows[row]));
                }
                int[] elements = new int[starts[rows.length]];
                for (int row = 0; row < rows.length; row++) {
                    int start = start(lists, rows[row]);
                    for (int at = starts[row]; at < starts[row + 1]; at++) {
                        elements[at] = start + at - starts[row];
                    }
                }
                MemorySegment places = memory.allocateUnset(starts.length * (long) Integer.BYTES);
                MemorySegment.copy(starts, 0, places, INT32, 0, starts.length);
                yield new NestedColumn.Lists(
                        rows.length,
                        places,
                        validity(lists.validity(), rows, memory),
                        of(lists.elements(), elements, memory));
            }
        };
    }

    private static int start(NestedColumn.Lists lists, int row) {
        return lists.offsets().get(INT32, (long) row * Integer.BYTES);
    }

    private static int end(NestedColumn.Lists lists, int row) {
        return start(lists, row + 1);
    }

    private static Validity validity(Validity given, int[] rows, Allocator memory) {
        if (given.isAllPresent()) {
            return given;
        }
        MemorySegment bits = memory.allocate((rows.length + 7L) / 8);
        int nulls = 0;
        for (int row = 0; row < rows.length; row++) {
            if (given.isPresent(rows[row])) {
                int before = bits.get(ValueLayout.JAVA_BYTE, row >>> 3);
                bits.set(ValueLayout.JAVA_BYTE, row >>> 3, (byte) (before | 1 << (row & 7)));
            } else {
                nulls++;
            }
        }
        return Validity.of(bits, rows.length, nulls);
    }
}
