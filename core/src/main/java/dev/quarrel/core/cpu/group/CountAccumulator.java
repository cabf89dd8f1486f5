package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;

/// COUNT and COUNT_STAR: rows.
final class CountAccumulator extends Accumulator {
    private long[] counts = new long[0];

    CountAccumulator(Reservation reservation) {
        super(reservation);
    }

    long count(int group) {
        return counts[group];
    }

    @Override
    int groupBytes() {
        return 8;
    }

    @Override
    void resize(int groups) {
        counts = Arrays.copyOf(counts, groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        for (int index = 0; index < count; index++) {
            counts[groups[index]]++;
        }
    }

    @Override
    public void addToGroup(int group, Vector argument, int[] rows, int count) {
        counts[group] += count;
    }

    @Override
    int partialColumns() {
        return 1;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter writer = new ColumnWriter(DataType.INT64, allocator, count);
        for (int index = from; index < from + count; index++) {
            writer.appendInt64(counts[place(order, index)]);
        }
        columns.add(writer.finish());
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column partial = columns.get(firstColumn);
        for (int index = 0; index < count; index++) {
            counts[groups[index]] += Cells.int64(partial, firstRow + index);
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.INT64, allocator, count);
        for (int group = from; group < from + count; group++) {
            writer.appendInt64(counts[group]);
        }
        return writer.finish();
    }
}
