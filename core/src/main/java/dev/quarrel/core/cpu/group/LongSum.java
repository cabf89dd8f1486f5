package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.Vector;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Sums of int16 and int32: 64 bits hold more than 2³¹ rows.
final class LongSum extends Accumulator implements Average.Sum {
    private long[] sums = new long[0];
    private boolean[] seen = new boolean[0];

    LongSum(Reservation reservation) {
        super(reservation);
    }

    @Override
    int groupBytes() {
        return 9;
    }

    @Override
    void resize(int groups) {
        sums = Arrays.copyOf(sums, groups);
        seen = Arrays.copyOf(seen, groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        int[] values = ((IntVector) argument).values();
        for (int index = 0; index < count; index++) {
            int group = groups[index];
            sums[group] += values[rows[index]];
            seen[group] = true;
        }
    }

    @Override
    public void addToGroup(int group, Vector argument, int[] rows, int count) {
        int[] values = ((IntVector) argument).values();
        long sum = 0;
        for (int index = 0; index < count; index++) {
            sum += values[rows[index]];
        }
        sums[group] += sum;
        seen[group] |= count > 0;
    }

    @Override
    int partialColumns() {
        return 1;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        long[] present = StateColumns.present(seen, order, from, count);
        long[] words = StateColumns.words(sums, order, from, count, present);
        columns.add(StateColumns.int64s(words, present, allocator));
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column partial = columns.get(firstColumn);
        for (int index = 0; index < count; index++) {
            if (partial.validity().isPresent(firstRow + index)) {
                sums[groups[index]] += Cells.int64(partial, firstRow + index);
                seen[groups[index]] = true;
            }
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        ArrayList<Column> columns = new ArrayList<>();
        partials(null, from, count, allocator, columns);
        return columns.getFirst();
    }

    @Override
    public void sum(int group, WideNumber to) {
        to.set(sums[group] >> 63, sums[group]);
    }

    @Override
    public BigInteger units(int group) {
        return BigInteger.valueOf(sums[group]);
    }

    @Override
    public int scale(int group) {
        return 0;
    }
}
