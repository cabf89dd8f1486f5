package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;

/// The argument, present or not, of the group's first or last row by time, or by any value whose order is that of one
/// word; of rows of one time the first or last in the scan.
final class TimedValue extends Accumulator {
    private static final long NONE = -1;

    private final boolean isLast;
    private final GroupValues values;
    private long[] places = new long[0]; // by group: its row's place in the scan, or NONE
    private long[] times = new long[0];
    private long place;
    private Vector time = null; // of the rows that are added
    private int[] kept = new int[0];

    TimedValue(DataType type, boolean isLast, Reservation reservation) {
        super(reservation);
        this.isLast = isLast;
        this.values = new GroupValues(type, reservation);
    }

    @Override
    int groupBytes() {
        return 4 + 8 + 8;
    }

    @Override
    void resize(int groups) {
        int old = places.length;
        places = Arrays.copyOf(places, groups);
        times = Arrays.copyOf(times, groups);
        if (groups > old) {
            Arrays.fill(places, old, groups, NONE);
        }
        values.resize(groups);
    }

    @Override
    boolean skipsNulls() {
        return false;
    }

    @Override
    void at(long newPlace) {
        place = newPlace;
    }

    @Override
    public void bind(Vector[] further) {
        time = further[0];
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        if (kept.length < count) {
            kept = new int[count];
        }
        int keptCount =
                switch (time) {
                    case LongVector vector -> addByLongs(vector.values(), rows, groups, count);
                    case DecimalVector vector -> addByLongs(vector.low(), rows, groups, count);
                    case IntVector vector -> {
                        int[] ints = vector.values();
                        yield addBy(row -> ints[row], rows, groups, count);
                    }
                    case DoubleVector vector -> {
                        double[] doubles = vector.values();
                        yield addBy(row -> ordered(doubles[row]), rows, groups, count);
                    }
                    case FloatVector vector -> {
                        float[] floats = vector.values();
                        yield addBy(row -> ordered(floats[row]), rows, groups, count);
                    }
                    default -> throw new IllegalStateException("no order of " + time.type());
                };
        if (keptCount > 0) {
            values.append(argument, kept, keptCount);
            values.compact();
        }
    }

    /// Times are longs as a rule: a loop of their own asks nothing of an object for each row.
    private int addByLongs(long[] times, int[] rows, int[] groups, int count) {
        int keptCount = 0;
        for (int index = 0; index < count; index++, place++) {
            if (isBetter(groups[index], times[rows[index]], place)) {
                keptCount = keep(groups[index], rows[index], keptCount);
            }
        }
        return keptCount;
    }

    private int addBy(IntToLongFunction at, int[] rows, int[] groups, int count) {
        int keptCount = 0;
        for (int index = 0; index < count; index++, place++) {
            if (isBetter(groups[index], at.applyAsLong(rows[index]), place)) {
                keptCount = keep(groups[index], rows[index], keptCount);
            }
        }
        return keptCount;
    }

    /// A long that is ordered as PostgreSQL orders numbers: both zeros are one, NaN is the greatest.
    private static long ordered(double value) {
        long bits = Double.doubleToLongBits(value + 0.0);
        return bits ^ (bits >> 63 & Long.MAX_VALUE);
    }

    /// Gives the group a row's value: in place of the one that it has been given among these rows, if there is one.
    private int keep(int group, int row, int keptCount) {
        int ahead = values.ahead(group);
        if (ahead >= 0) {
            kept[ahead] = row;
            return keptCount;
        }
        values.claim(group, keptCount);
        kept[keptCount] = row;
        return keptCount + 1;
    }

    /// Whether a row comes before (or behind) the one that the group has; then it is the group's.
    private boolean isBetter(int group, long at, long newPlace) {
        if (places[group] != NONE) {
            boolean isBetter = at == times[group] ? newPlace > places[group] == isLast : at > times[group] == isLast;
            if (!isBetter) {
                return false;
            }
        }
        places[group] = newPlace;
        times[group] = at;
        return true;
    }

    @Override
    int partialColumns() {
        return 3;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter placeColumn = new ColumnWriter(DataType.INT64, allocator, count);
        ColumnWriter timeColumn = new ColumnWriter(DataType.INT64, allocator, count);
        for (int index = from; index < from + count; index++) {
            int group = place(order, index);
            placeColumn.appendInt64(places[group]);
            timeColumn.appendInt64(times[group]);
        }
        columns.add(placeColumn.finish());
        columns.add(timeColumn.finish());
        columns.add(values.column(order, from, count, allocator));
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column placeColumn = columns.get(firstColumn);
        Column timeColumn = columns.get(firstColumn + 1);
        if (kept.length < count) {
            kept = new int[count];
        }
        int keptCount = 0;
        for (int index = 0; index < count; index++) {
            long at = Cells.int64(placeColumn, firstRow + index);
            if (at != NONE && isBetter(groups[index], Cells.int64(timeColumn, firstRow + index), at)) {
                keptCount = keep(groups[index], index, keptCount);
            }
        }
        if (keptCount > 0) {
            values.append(values.read(columns.get(firstColumn + 2), firstRow, count), kept, keptCount);
            values.compact();
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        return values.column(null, from, count, allocator);
    }
}
