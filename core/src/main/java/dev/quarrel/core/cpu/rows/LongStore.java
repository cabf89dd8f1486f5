package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A store of Int64 and Timestamp.
public final class LongStore extends ValueStore {
    private long[] values = new long[0];

    LongStore(DataType type, Reservation reservation) {
        super(type, reservation);
    }

    public long[] values() {
        return values;
    }

    @Override
    int bitsPerRow() {
        return 64;
    }

    @Override
    void resize(int newCapacity) {
        values = Arrays.copyOf(values, newCapacity);
    }

    @Override
    void appendValues(Vector source, int[] rows, int count) {
        long[] from = ((LongVector) source).values();
        int start = size();
        for (int index = 0; index < count; index++) {
            values[start + index] = from[rows[index]];
        }
    }

    @Override
    boolean appendDense(Vector source, int count) {
        System.arraycopy(((LongVector) source).values(), 0, values, size(), count);
        return true;
    }

    @Override
    void appendValues(ValueStore source, int from, int count) {
        copyValues(source, from, count, size());
    }

    @Override
    boolean isPiecewise() {
        return true;
    }

    @Override
    void copyValues(ValueStore source, int from, int count, int at) {
        System.arraycopy(((LongStore) source).values, from, values, at, count);
    }

    @Override
    void retainValues(int[] rows, int count) {
        for (int index = 0; index < count; index++) {
            values[index] = values[rows[index]];
        }
    }

    @Override
    void gatherValues(int[] ids, int[] rows, int count, Vector to) {
        long[] out = ((LongVector) to).values();
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            out[row] = values[Math.max(0, ids[row])];
        }
    }

    @Override
    Column column(int[] order, int from, int count, Validity present, Allocator allocator) {
        MemorySegment out = allocator.allocateUnset(count * 8L);
        if (order == null) {
            MemorySegment.copy(values, from, out, INT64, 0, count);
            return new FixedColumn(type(), count, out, present);
        }
        long[] tile = new long[Math.min(count, COLUMN_TILE)];
        for (int first = 0; first < count; first += tile.length) {
            int rows = Math.min(tile.length, count - first);
            for (int index = 0; index < rows; index++) {
                tile[index] = values[order[from + first + index]];
            }
            MemorySegment.copy(tile, 0, out, INT64, first * 8L, rows);
        }
        return new FixedColumn(type(), count, out, present);
    }

    @Override
    void presentHashes(int from, int count, long[] hashes) {
        for (int index = 0; index < count; index++) {
            hashes[index] = KeyHash.of(values[from + index]);
        }
    }

    @Override
    long presentHash(int row) {
        return KeyHash.of(values[row]);
    }
}
