package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.util.Arrays;
import java.util.List;

/// One value a group, as it came, or none yet.
final class GroupValues {
    private static final int MANY_VALUES = 1 << 16;

    private final DataType type;
    private ValueStore values;
    private final Reservation reservation;
    private int[] places = new int[0]; // row of `values`, plus one; 0 for none
    private BatchInput input; // of partial columns, of so many rows
    private int inputRows;
    private Mask inputMask;

    GroupValues(DataType type, Reservation reservation) {
        this.type = type;
        this.values = ValueStore.of(type, reservation);
        this.reservation = reservation;
    }

    void resize(int groups) {
        places = Arrays.copyOf(places, groups);
    }

    boolean has(int group) {
        return places[group] != 0;
    }

    /// Gives the group the value that is appended `ahead` values from now.
    void claim(int group, int ahead) {
        places[group] = values.size() + ahead + 1;
    }

    /// How many values from now the one comes that the group was given; negative where it is there.
    int ahead(int group) {
        return places[group] - 1 - values.size();
    }

    /// Forgets the values of groups that have been given others, where these are most.
    void compact() {
        if (values.size() < MANY_VALUES || values.size() / 4 < places.length) {
            return;
        }
        ValueStore kept = ValueStore.of(type, reservation);
        for (int group = 0; group < places.length; group++) {
            if (places[group] != 0) {
                kept.append(values, places[group] - 1, 1);
                places[group] = kept.size();
            }
        }
        values.clear();
        values = kept;
    }

    void append(Vector argument, int[] rows, int count) {
        values.append(argument, rows, count);
    }

    /// Rows [firstRow, firstRow + count) of a partial column, from 0 on; valid until the next call.
    Vector read(Column partial, int firstRow, int count) {
        if (input == null || inputRows < count) {
            inputRows = count;
            input = new BatchInput(List.of(type), count);
            inputMask = new Mask(count);
        }
        input.moveTo(Batch.view(RowStore.schema(List.of(type)), List.of(partial), partial.rowCount()), firstRow, count);
        inputMask.setAll(count);
        return input.load(0, inputMask);
    }

    /// The values of groups [from, from + count), or of those `order` names.
    Column column(int[] order, int from, int count, Allocator allocator) {
        int[] rows = new int[count]; // several threads may ask at once
        int least = 1;
        for (int index = 0; index < count; index++) {
            int place = places[Accumulator.place(order, from + index)];
            rows[index] = place - 1;
            least = Math.min(least, place);
        }
        if (least > 0) {
            return values.toColumn(rows, 0, count, allocator);
        }
        try (Reservation scratch = new Reservation(reservation.budget())) {
            ValueStore chosen = ValueStore.of(type, scratch);
            for (int index = 0; index < count; index++) {
                if (rows[index] < 0) {
                    chosen.appendNull();
                } else {
                    chosen.append(values, rows[index], 1);
                }
            }
            return chosen.toColumn(null, 0, count, allocator);
        }
    }
}
