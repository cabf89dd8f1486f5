package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.Vector;
import java.util.ArrayList;
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
        columns.add(StateColumns.int64s(StateColumns.words(counts, order, from, count, null), null, allocator));
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        long[] more = Cells.int64s(columns.get(firstColumn), firstRow, count);
        for (int index = 0; index < count; index++) {
            counts[groups[index]] += more[index];
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        List<Column> columns = new ArrayList<>();
        partials(null, from, count, allocator, columns);
        return columns.getFirst();
    }
}
