package dev.quarrel.core.column;

import static dev.quarrel.core.column.LittleEndian.INT32;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/// A column of lists or structs as Arrow has it, for who writes it: queries have such columns as their texts.
///
/// - A second view of a batch's column ([Batch#nested(int)]).
/// - Memory: views; whoever made the buffers keeps them alive.
public sealed interface NestedColumn {
    int rowCount();

    Validity validity();

    /// Values that are not taken apart any further.
    record Values(Column column) implements NestedColumn {
        @Override
        public int rowCount() {
            return column.rowCount();
        }

        @Override
        public Validity validity() {
            return column.validity();
        }
    }

    /// Lists: row i is the elements `[offset i, offset i + 1)`. Maps are lists of structs of a key and a value.
    ///
    /// - Shape: `offsets` holds `rowCount + 1` ascending integers of 4 bytes, the first of which is 0 and the last
    ///   one the number of elements.
    /// - Nulls: a row that is NULL has no elements.
    record Lists(int rowCount, MemorySegment offsets, Validity validity, NestedColumn elements)
            implements NestedColumn {
        /// - Errors: IllegalArgumentException for offsets that do not end with the last element.
        public Lists {
            Objects.checkFromIndexSize(0L, (rowCount + 1L) * Integer.BYTES, offsets.byteSize());
            int end = offsets.get(INT32, (long) rowCount * Integer.BYTES);
            if (end != elements.rowCount()) {
                throw new IllegalArgumentException("lists of " + end + " of " + elements.rowCount() + " elements");
            }
        }
    }

    /// Structs: row i is row i of each member.
    ///
    /// - Nulls: what members have where the struct is NULL means nothing.
    record Structs(int rowCount, Validity validity, List<NestedColumn> members) implements NestedColumn {
        /// - Errors: IllegalArgumentException for members of other lengths.
        public Structs {
            members = List.copyOf(members);
            for (NestedColumn member : members) {
                if (member.rowCount() != rowCount) {
                    throw new IllegalArgumentException(
                            "a member of " + member.rowCount() + " rows in structs of " + rowCount);
                }
            }
        }
    }
}
