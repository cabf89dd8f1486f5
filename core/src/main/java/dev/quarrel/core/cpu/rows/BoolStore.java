package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A store of Booleans, one bit per row.
public final class BoolStore extends ValueStore {
    private long[] bits = new long[0];

    BoolStore(Reservation reservation) {
        super(DataType.BOOL, reservation);
    }

    public boolean get(int row) {
        return Bits.get(bits, row);
    }

    void set(int row, boolean value) {
        Bits.set(bits, row, value);
    }

    @Override
    int bitsPerRow() {
        return 1;
    }

    @Override
    void resize(int newCapacity) {
        bits = Arrays.copyOf(bits, newCapacity / 64);
    }

    @Override
    void appendValues(Vector source, int[] rows, int count) {
        BoolVector from = (BoolVector) source;
        for (int index = 0; index < count; index++) {
            Bits.set(bits, size() + index, from.get(rows[index]));
        }
    }

    @Override
    void appendValues(ValueStore source, int from, int count) {
        for (int index = 0; index < count; index++) {
            Bits.set(bits, size() + index, ((BoolStore) source).get(from + index));
        }
    }

    @Override
    void retainValues(int[] rows, int count) {
        for (int index = 0; index < count; index++) {
            Bits.set(bits, index, get(rows[index]));
        }
    }

    @Override
    void gatherValues(int[] ids, int[] rows, int count, Vector to) {
        long[] out = ((BoolVector) to).bits();
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            Bits.set(out, row, get(Math.max(0, ids[row])));
        }
    }

    @Override
    Column column(int[] order, int from, int count, Validity present, Allocator allocator) {
        MemorySegment out = allocator.allocate(Bits.words(count) * 8L);
        for (int base = 0; base < count; base += 64) {
            long word = 0;
            int end = Math.min(64, count - base);
            for (int bit = 0; bit < end; bit++) {
                int place = from + base + bit;
                word |= get(order == null ? place : order[place]) ? 1L << bit : 0;
            }
            out.set(INT64, base >>> 3, word);
        }
        return new BoolColumn(count, out, present);
    }

    @Override
    long presentHash(int row) {
        return KeyHash.of(get(row) ? 1 : 0);
    }
}
