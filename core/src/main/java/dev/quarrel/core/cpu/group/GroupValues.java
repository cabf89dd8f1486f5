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

    /// Reads single values of a partial column, which are appended.
    Reader reader(Column partial) {
        return new Reader(partial);
    }

    final class Reader {
        private final BatchInput input = new BatchInput(List.of(type), 1);
        private final Batch batch;
        private final Mask one = new Mask(1);

        private Reader(Column partial) {
            batch = Batch.view(RowStore.schema(List.of(type)), List.of(partial), partial.rowCount());
            one.setAll(1);
        }

        void append(int row) {
            input.moveTo(batch, row, 1);
            values.append(input.load(0, one), one);
        }
    }

    /// The values of groups [from, from + count), or of those `order` names.
    Column column(int[] order, int from, int count, Allocator allocator) {
        try (Reservation scratch = new Reservation(reservation.budget())) {
            ValueStore chosen = ValueStore.of(type, scratch);
            for (int index = from; index < from + count; index++) {
                int place = places[Accumulator.place(order, index)];
                if (place == 0) {
                    chosen.appendNull();
                } else {
                    chosen.append(values, place - 1, 1);
                }
            }
            return chosen.toColumn(null, 0, count, allocator);
        }
    }
}
