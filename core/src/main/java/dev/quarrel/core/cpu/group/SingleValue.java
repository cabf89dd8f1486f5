package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// The argument of a group's only row.
final class SingleValue extends Accumulator {
    private final GroupValues values;

    SingleValue(DataType type, Reservation reservation) {
        super(reservation);
        this.values = new GroupValues(type, reservation);
    }

    @Override
    boolean skipsNulls() {
        return false;
    }

    @Override
    int groupBytes() {
        return 4;
    }

    @Override
    void resize(int groups) {
        values.resize(groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        for (int index = 0; index < count; index++) {
            claim(groups[index], index);
        }
        values.append(argument, rows, count);
    }

    private void claim(int group, int ahead) {
        if (values.has(group)) {
            throw new QueryException(
                    SqlState.CARDINALITY_VIOLATION, "more than one row returned by a subquery used as an expression");
        }
        values.claim(group, ahead);
    }

    @Override
    int partialColumns() {
        return 2;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter rows = new ColumnWriter(DataType.INT64, allocator, count);
        for (int index = from; index < from + count; index++) {
            rows.appendInt64(values.has(place(order, index)) ? 1 : 0);
        }
        columns.add(rows.finish());
        columns.add(values.column(order, from, count, allocator));
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column rows = columns.get(firstColumn);
        int[] kept = new int[count];
        int keptCount = 0;
        for (int index = 0; index < count; index++) {
            if (Cells.int64(rows, firstRow + index) > 0) {
                claim(groups[index], keptCount);
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
