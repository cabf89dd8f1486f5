package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.column.Validity;
import java.lang.foreign.MemorySegment;
import java.util.function.IntUnaryOperator;

/// Lists as [NestedColumn] wants them, of those that files have: their elements may begin anywhere, and lists that are
/// NULL may have some.
final class NestedGather {
    private NestedGather() {}

    /// @param offsets where each row's elements begin, and the last one's end; they ascend, within `elements`
    static NestedColumn.Lists lists(int[] offsets, Validity validity, NestedColumn elements, Allocator memory) {
        return lists(
                offsets.length - 1,
                row -> offsets[row],
                row -> offsets[validity.isPresent(row) ? row + 1 : row],
                validity,
                elements,
                memory);
    }

    /// @param starts where each row's elements begin among `elements`
    /// @param ends where they end
    private static NestedColumn.Lists lists(
            int rowCount,
            IntUnaryOperator starts,
            IntUnaryOperator ends,
            Validity validity,
            NestedColumn elements,
            Allocator memory) {
        int[] offsets = new int[rowCount + 1];
        boolean isMoved = false;
        for (int row = 0; row < rowCount; row++) {
            int count = ends.applyAsInt(row) - starts.applyAsInt(row);
            isMoved |= count > 0 && starts.applyAsInt(row) != offsets[row];
            offsets[row + 1] = Math.addExact(offsets[row], count);
        }
        NestedColumn own = elements;
        if (isMoved || offsets[rowCount] < elements.rowCount()) {
            int[] kept = new int[offsets[rowCount]];
            for (int row = 0; row < rowCount; row++) {
                int start = starts.applyAsInt(row);
                for (int at = offsets[row]; at < offsets[row + 1]; at++) {
                    kept[at] = start + at - offsets[row];
                }
            }
            own = of(elements, kept, memory);
        }
        MemorySegment places = memory.allocateUnset(offsets.length * (long) Integer.BYTES);
        MemorySegment.copy(offsets, 0, places, INT32, 0, offsets.length);
        return new NestedColumn.Lists(rowCount, places, validity, own);
    }

    /// The rows of these numbers.
    private static NestedColumn of(NestedColumn column, int[] rows, Allocator memory) {
        return switch (column) {
            case NestedColumn.Values values -> new NestedColumn.Values(Gather.of(values.column(), rows, memory));
            case NestedColumn.Structs structs ->
                new NestedColumn.Structs(
                        rows.length,
                        Gather.validity(structs.validity(), rows, memory),
                        structs.members().stream()
                                .map(member -> of(member, rows, memory))
                                .toList());
            case NestedColumn.Lists lists ->
                lists(
                        rows.length,
                        row -> offset(lists, rows[row]),
                        row -> offset(lists, rows[row] + 1),
                        Gather.validity(lists.validity(), rows, memory),
                        lists.elements(),
                        memory);
        };
    }

    private static int offset(NestedColumn.Lists lists, int row) {
        return lists.offsets().get(INT32, (long) row * Integer.BYTES);
    }
}
