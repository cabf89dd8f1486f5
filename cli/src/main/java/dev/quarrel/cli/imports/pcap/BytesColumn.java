package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;

/// Bytes, which stay in the file's buffer until they are copied all at once.
final class BytesColumn implements PacketColumn {
    private final int[] starts = new int[PacketColumns.MAX_ROWS];
    private final int[] lengths = new int[PacketColumns.MAX_ROWS];
    private final long[] present = new long[PacketColumns.MAX_ROWS / Long.SIZE];

    void set(int row, int start, int end) {
        starts[row] = start;
        lengths[row] = end - start;
        present[row >>> 6] |= 1L << row;
    }

    @Override
    public Column finish(DataType type, Allocator memory, byte[] buffer, int rows) {
        ColumnWriter to = new ColumnWriter(type, memory, rows);
        to.appendTexts(buffer, starts, lengths, present, rows);
        Arrays.fill(starts, 0, rows, 0);
        Arrays.fill(lengths, 0, rows, 0);
        Arrays.fill(present, 0);
        return to.finish();
    }
}
