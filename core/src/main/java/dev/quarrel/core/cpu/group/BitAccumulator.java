package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// BIT_AND, BIT_OR and BIT_XOR of integers.
final class BitAccumulator extends Accumulator {
    private final AggregateKind kind;
    private final DataType type;
    private long[] values = new long[0];
    private boolean[] seen = new boolean[0];

    BitAccumulator(AggregateKind kind, DataType type, Reservation reservation) {
        super(reservation);
        this.kind = kind;
        this.type = type;
    }

    @Override
    int groupBytes() {
        return 9;
    }

    @Override
    void resize(int groups) {
        int old = values.length;
        values = Arrays.copyOf(values, groups);
        seen = Arrays.copyOf(seen, groups);
        Arrays.fill(values, Math.min(old, groups), groups, kind == AggregateKind.BIT_AND ? -1 : 0);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        if (argument instanceof IntVector ints) {
            int[] from = ints.values();
            for (int index = 0; index < count; index++) {
                add(groups[index], from[rows[index]]);
            }
        } else {
            long[] from = ((LongVector) argument).values();
            for (int index = 0; index < count; index++) {
                add(groups[index], from[rows[index]]);
            }
        }
    }

    private void add(int group, long value) {
        seen[group] = true;
        if (kind == AggregateKind.BIT_AND) {
            values[group] &= value;
        } else if (kind == AggregateKind.BIT_OR) {
            values[group] |= value;
        } else {
            values[group] ^= value;
        }
    }

    @Override
    int partialColumns() {
        return 1;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        long[] present = StateColumns.present(seen, order, from, count);
        long[] words = StateColumns.words(values, order, from, count, present);
        columns.add(StateColumns.column(type, words, present, allocator));
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column partial = columns.get(firstColumn);
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (partial.validity().isPresent(row)) {
                long value = type instanceof DataType.Int16
                        ? Cells.int16(partial, row)
                        : type instanceof DataType.Int32 ? Cells.int32(partial, row) : Cells.int64(partial, row);
                add(groups[index], value);
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
