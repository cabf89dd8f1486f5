package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.Arrays;
import java.util.List;

/// The argument of a group's only row.
final class SingleValue extends Accumulator {
    private final DataType type;
    private final ValueStore values;
    private int[] places = new int[0]; // row of `values`, plus one; 0 for none

    SingleValue(DataType type, Reservation reservation) {
        super(reservation);
        this.type = type;
        this.values = ValueStore.of(type, reservation);
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
        places = Arrays.copyOf(places, groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        int first = values.size();
        for (int index = 0; index < count; index++) {
            claim(groups[index], first + index);
        }
        values.append(argument, rows, count);
    }

    private void claim(int group, int place) {
        if (places[group] != 0) {
            throw new QueryException(
                    SqlState.CARDINALITY_VIOLATION, "more than one row returned by a subquery used as an expression");
        }
        places[group] = place + 1;
    }

    @Override
    int partialColumns() {
        return 2;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter rows = new ColumnWriter(DataType.INT64, allocator, count);
        for (int index = from; index < from + count; index++) {
            rows.appendInt64(places[place(order, index)] == 0 ? 0 : 1);
        }
        columns.add(rows.finish());
        columns.add(values(order, from, count, allocator));
    }

    private Column values(int[] order, int from, int count, Allocator allocator) {
        try (Reservation scratch = new Reservation(reservation.budget())) {
            ValueStore chosen = ValueStore.of(type, scratch);
            for (int index = from; index < from + count; index++) {
                int place = places[place(order, index)];
                if (place == 0) {
                    chosen.appendNull();
                } else {
                    chosen.append(values, place - 1, 1);
                }
            }
            return chosen.toColumn(null, 0, count, allocator);
        }
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column rows = columns.get(firstColumn);
        Column partial = columns.get(firstColumn + 1);
        BatchInput input = new BatchInput(List.of(type), 1);
        Batch batch = Batch.view(RowStore.schema(List.of(type)), List.of(partial), partial.rowCount());
        Mask one = new Mask(1);
        one.setAll(1);
        for (int index = 0; index < count; index++) {
            if (Cells.int64(rows, firstRow + index) > 0) {
                claim(groups[index], values.size());
                input.moveTo(batch, firstRow + index, 1);
                values.append(input.load(0, one), one);
            }
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        return values(null, from, count, allocator);
    }
}
