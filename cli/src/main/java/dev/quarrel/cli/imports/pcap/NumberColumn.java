package dev.quarrel.cli.imports.pcap;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;

/// Integers of two, four or eight bytes.
final class NumberColumn implements PacketColumn {
    private final long[] values = new long[PacketColumns.MAX_ROWS];
    private final long[] present = new long[PacketColumns.MAX_ROWS / Long.SIZE];
    private boolean isUsed;

    void set(int row, long value) {
        values[row] = value;
        present[row >>> 6] |= 1L << row;
        isUsed = true;
    }

    @Override
    public Column finish(DataType type, Allocator memory, byte[] buffer, int rows) {
        ColumnWriter to = new ColumnWriter(type, memory, rows);
        switch (type.byteWidth()) {
            case 2 -> {
                short[] narrow = new short[rows];
                for (int row = 0; row < rows; row++) {
                    narrow[row] = (short) values[row];
                }
                to.appendInt16s(narrow, present, rows);
            }
            case 4 -> {
                int[] narrow = new int[rows];
                for (int row = 0; row < rows; row++) {
                    narrow[row] = (int) values[row];
                }
                to.appendInt32s(narrow, present, rows);
            }
            default -> to.appendInt64s(values, present, rows);
        }
        if (isUsed) {
            Arrays.fill(values, 0, rows, 0);
            Arrays.fill(present, 0);
            isUsed = false;
        }
        return to.finish();
    }
}
