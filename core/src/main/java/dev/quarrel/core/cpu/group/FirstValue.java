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

/// The present argument of a group that comes first in the scan: so the answer does not depend on which worker had
/// which rows.
final class FirstValue extends Accumulator {
    private static final long NONE = -1;

    private final GroupValues values;
    private long[] firstPlaces = new long[0]; // by group: its value's place in the scan, or NONE
    private long place;
    private int[] kept = new int[0];

    FirstValue(DataType type, Reservation reservation) {
        super(reservation);
        this.values = new GroupValues(type, reservation);
    }

    @Override
    int groupBytes() {
        return 4 + 8;
    }

    @Override
    void resize(int groups) {
        int old = firstPlaces.length;
        firstPlaces = Arrays.copyOf(firstPlaces, groups);
        if (groups > old) {
            Arrays.fill(firstPlaces, old, groups, NONE);
        }
        values.resize(groups);
    }

    @Override
    void at(long newPlace) {
        place = newPlace;
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        if (kept.length < count) {
            kept = new int[count];
        }
        int keptCount = 0;
        for (int index = 0; index < count; index++, place++) {
            if (claim(groups[index], place, keptCount)) {
                kept[keptCount++] = rows[index];
            }
        }
        if (keptCount > 0) {
            values.append(argument, kept, keptCount);
        }
    }

    /// Whether the row at the place comes before the one that the group has.
    private boolean claim(int group, long at, int ahead) {
        long known = firstPlaces[group];
        if (known != NONE && known <= at) {
            return false;
        }
        firstPlaces[group] = at;
        values.claim(group, ahead);
        return true;
    }

    @Override
    int partialColumns() {
        return 2;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter places = new ColumnWriter(DataType.INT64, allocator, count);
        for (int index = from; index < from + count; index++) {
            places.appendInt64(firstPlaces[place(order, index)]);
        }
        columns.add(places.finish());
        columns.add(values.column(order, from, count, allocator));
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column places = columns.get(firstColumn);
        if (kept.length < count) {
            kept = new int[count];
        }
        int keptCount = 0;
        for (int index = 0; index < count; index++) {
            long at = Cells.int64(places, firstRow + index);
            if (at != NONE && claim(groups[index], at, keptCount)) {
                kept[keptCount++] = index;
            }
        }
        if (keptCount > 0) {
            values.append(values.read(columns.get(firstColumn + 1), firstRow, count), kept, keptCount);
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        return values.column(null, from, count, allocator);
    }
}
