package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// BOOL_AND and BOOL_OR.
final class BoolAccumulator extends Accumulator {
    private static final int SEEN_FALSE = 1;
    private static final int SEEN_TRUE = 2;

    private final boolean isOr;
    private byte[] seen = new byte[0];

    BoolAccumulator(boolean isOr, Reservation reservation) {
        super(reservation);
        this.isOr = isOr;
    }

    @Override
    int groupBytes() {
        return 1;
    }

    @Override
    void resize(int groups) {
        seen = Arrays.copyOf(seen, groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        BoolVector values = (BoolVector) argument;
        for (int index = 0; index < count; index++) {
            seen[groups[index]] |= (byte) (values.get(rows[index]) ? SEEN_TRUE : SEEN_FALSE);
        }
    }

    @Override
    int partialColumns() {
        return 1;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter writer = new ColumnWriter(DataType.BOOL, allocator, count);
        for (int index = from; index < from + count; index++) {
            int bits = seen[place(order, index)];
            if (bits == 0) {
                writer.appendNull();
            } else {
                writer.appendBool(isOr ? (bits & SEEN_TRUE) != 0 : (bits & SEEN_FALSE) == 0);
            }
        }
        columns.add(writer.finish());
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column partial = columns.get(firstColumn);
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (partial.validity().isPresent(row)) {
                seen[groups[index]] |= (byte) (Cells.bool(partial, row) ? SEEN_TRUE : SEEN_FALSE);
            }
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        List<Column> columns = new ArrayList<>();
        partials(null, from, count, allocator, columns);
        return columns.getFirst();
    }
}
