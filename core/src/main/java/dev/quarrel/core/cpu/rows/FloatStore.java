package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.FLOAT32;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A store of Float32.
public final class FloatStore extends ValueStore {
    private float[] values = new float[0];

    FloatStore(Reservation reservation) {
        super(DataType.FLOAT32, reservation);
    }

    public float[] values() {
        return values;
    }

    @Override
    int bitsPerRow() {
        return 32;
    }

    @Override
    void resize(int newCapacity) {
        values = Arrays.copyOf(values, newCapacity);
    }

    @Override
    void appendValues(Vector source, int[] rows, int count) {
        float[] from = ((FloatVector) source).values();
        int start = size();
        for (int index = 0; index < count; index++) {
            values[start + index] = from[rows[index]];
        }
    }

    @Override
    boolean appendDense(Vector source, int count) {
        System.arraycopy(((FloatVector) source).values(), 0, values, size(), count);
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
        System.arraycopy(((FloatStore) source).values, from, values, at, count);
    }

    @Override
    void retainValues(int[] rows, int count) {
        for (int index = 0; index < count; index++) {
            values[index] = values[rows[index]];
        }
    }

    @Override
    void gatherValues(int[] ids, int[] rows, int count, Vector to) {
        float[] out = ((FloatVector) to).values();
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            out[row] = values[Math.max(0, ids[row])];
        }
    }

    @Override
    Column column(int[] order, int from, int count, Validity present, Allocator allocator) {
        MemorySegment out = allocator.allocateUnset(count * 4L);
        if (order == null) {
            MemorySegment.copy(values, from, out, FLOAT32, 0, count);
            return new FixedColumn(type(), count, out, present);
        }
        float[] tile = new float[Math.min(count, COLUMN_TILE)];
        for (int first = 0; first < count; first += tile.length) {
            int rows = Math.min(tile.length, count - first);
            for (int index = 0; index < rows; index++) {
                tile[index] = values[order[from + first + index]];
            }
            MemorySegment.copy(tile, 0, out, FLOAT32, first * 4L, rows);
        }
        return new FixedColumn(type(), count, out, present);
    }

    @Override
    long presentHash(int row) {
        return KeyHash.of(FloatBits.canonical(values[row]));
    }
}
