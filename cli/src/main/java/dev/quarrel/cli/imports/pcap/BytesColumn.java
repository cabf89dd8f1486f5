package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;

/// Bytes, which stay in the block until all are there.
final class BytesColumn {
    private final int[] starts;
    private final int[] lengths; // 0 for NULL
    private final Presence present;

    BytesColumn(int rows) {
        starts = new int[rows];
        lengths = new int[rows];
        present = new Presence(rows);
    }

    void set(int row, int start, int end) {
        starts[row] = start;
        lengths[row] = end - start;
        present.add(row);
    }

    /// @param block where the bytes are
    Column copied(byte[] block, OffHeap memory) {
        int[] offsets = offsets();
        byte[] data = new byte[offsets[lengths.length]];
        if (data.length > 0) {
            copy(block, offsets, data);
        }
        return column(memory.of(data, data.length), offsets, memory);
    }

    /// Moves the bytes together in the block itself, which is the column's from here on: most of a capture is payload.
    ///
    /// @param block where they are, each row's behind those of the rows before
    Column moved(byte[] block, OffHeap memory) {
        int[] offsets = offsets();
        copy(block, offsets, block);
        MemorySegment data = MemorySegment.ofArray(block).asSlice(0, offsets[lengths.length]);
        return column(data, offsets, memory);
    }

    private Column column(MemorySegment data, int[] offsets, OffHeap memory) {
        return new Utf8Column(
                DataType.BINARY, lengths.length, memory.of(offsets), false, data, present.validity(memory));
    }

    // Loops are methods of their own: the JIT compiles a small one at once, but one of several loops anew for each.

    private int[] offsets() {
        int[] offsets = new int[lengths.length + 1];
        int end = 0;
        for (int row = 0; row < lengths.length; row++) {
            end += lengths[row];
            offsets[row + 1] = end;
        }
        return offsets;
    }

    private void copy(byte[] block, int[] offsets, byte[] to) {
        for (int row = 0; row < lengths.length; row++) {
            if (lengths[row] > 0) {
                System.arraycopy(block, starts[row], to, offsets[row], lengths[row]);
            }
        }
    }
}
