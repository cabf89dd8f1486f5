package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// MIN and MAX of integers, dates, timestamps and floats, as 64-bit integers that order as the values do.
final class LongExtreme extends Accumulator {
    private final DataType type;
    private final boolean isMax;
    private long[] values = new long[0];
    private boolean[] seen = new boolean[0];
    private long[] ordered = new long[0];

    LongExtreme(DataType type, boolean isMax, Reservation reservation) {
        super(reservation);
        this.type = type;
        this.isMax = isMax;
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
        Arrays.fill(values, Math.min(old, groups), groups, isMax ? Long.MIN_VALUE : Long.MAX_VALUE);
    }

    /// NaN greatest; of equal zeros -0 is the lesser, so that the answer does not depend on their order.
    private static long order(double value) {
        long bits = Double.doubleToLongBits(value);
        return bits ^ bits >> 63 & Long.MAX_VALUE;
    }

    private static double unorder(long word) {
        return Double.longBitsToDouble(word ^ word >> 63 & Long.MAX_VALUE);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        if (ordered.length < count) {
            ordered = new long[count];
        }
        switch (argument) {
            case IntVector ints -> {
                int[] from = ints.values();
                for (int index = 0; index < count; index++) {
                    ordered[index] = from[rows[index]];
                }
            }
            case LongVector longs -> {
                long[] from = longs.values();
                for (int index = 0; index < count; index++) {
                    ordered[index] = from[rows[index]];
                }
            }
            case FloatVector floats -> {
                for (int index = 0; index < count; index++) {
                    ordered[index] = order(floats.values()[rows[index]]);
                }
            }
            case DoubleVector doubles -> {
                for (int index = 0; index < count; index++) {
                    ordered[index] = order(doubles.values()[rows[index]]);
                }
            }
            case BoolVector _, DecimalVector _, TextVector _ ->
                throw new IllegalArgumentException("min or max of " + argument.type());
        }
        merge(ordered, groups, count);
    }

    @Override
    public void addToGroup(int group, Vector argument, int[] rows, int count) {
        if (count == 0 || rows[count - 1] - rows[0] != count - 1) {
            super.addToGroup(group, argument, rows, count);
            return;
        }
        int first = rows[0];
        int end = first + count;
        long found = values[group];
        switch (argument) {
            case IntVector ints -> {
                int[] from = ints.values();
                int extreme = from[first];
                for (int row = first; row < end; row++) {
                    extreme = isMax ? Math.max(extreme, from[row]) : Math.min(extreme, from[row]);
                }
                found = isMax ? Math.max(found, extreme) : Math.min(found, extreme);
            }
            case LongVector longs -> {
                long[] from = longs.values();
                for (int row = first; row < end; row++) {
                    found = isMax ? Math.max(found, from[row]) : Math.min(found, from[row]);
                }
            }
            case DoubleVector doubles -> {
                double[] from = doubles.values();
                for (int row = first; row < end; row++) {
                    long word = order(from[row]);
                    found = isMax ? Math.max(found, word) : Math.min(found, word);
                }
            }
            case FloatVector _, BoolVector _, DecimalVector _, TextVector _ -> {
                super.addToGroup(group, argument, rows, count);
                return;
            }
        }
        values[group] = found;
        seen[group] = true;
    }

    private void merge(long[] words, int[] groups, int count) {
        if (isMax) {
            for (int index = 0; index < count; index++) {
                int group = groups[index];
                values[group] = Math.max(values[group], words[index]);
                seen[group] = true;
            }
        } else {
            for (int index = 0; index < count; index++) {
                int group = groups[index];
                values[group] = Math.min(values[group], words[index]);
                seen[group] = true;
            }
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
        for (int index = 0; type instanceof DataType.Float32 && index < count; index++) {
            words[index] = Float.floatToRawIntBits((float) unorder(words[index])); // of 0, 0
        }
        for (int index = 0; type instanceof DataType.Float64 && index < count; index++) {
            words[index] = Double.doubleToRawLongBits(unorder(words[index]));
        }
        columns.add(StateColumns.column(type, words, present, allocator));
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column partial = columns.get(firstColumn);
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (!partial.validity().isPresent(row)) {
                continue;
            }
            long word =
                    switch (type) {
                        case DataType.Int16 _ -> Cells.int16(partial, row);
                        case DataType.Int32 _, DataType.Date _ -> Cells.int32(partial, row);
                        case DataType.Float32 _ -> order(Float.intBitsToFloat(Cells.int32(partial, row)));
                        case DataType.Float64 _ -> order(Double.longBitsToDouble(Cells.int64(partial, row)));
                        default -> Cells.int64(partial, row);
                    };
            int group = groups[index];
            values[group] = isMax ? Math.max(values[group], word) : Math.min(values[group], word);
            seen[group] = true;
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        List<Column> columns = new ArrayList<>();
        partials(null, from, count, allocator, columns);
        return columns.getFirst();
    }
}
