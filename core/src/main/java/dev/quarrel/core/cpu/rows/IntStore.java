package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A store of Int16, Int32 and Date.
public final class IntStore extends ValueStore {
    private int[] values = new int[0];

    IntStore(DataType type, Reservation reservation) {
        super(type, reservation);
    }

    public int[] values() {
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
        int[] from = ((IntVector) source).values();
        int start = size();
        for (int index = 0; index < count; index++) {
            values[start + index] = from[rows[index]];
        }
    }

    @Override
    boolean appendDense(Vector source, int count) {
        System.arraycopy(((IntVector) source).values(), 0, values, size(), count);
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
        System.arraycopy(((IntStore) source).values, from, values, at, count);
    }

    @Override
    void retainValues(int[] rows, int count) {
        for (int index = 0; index < count; index++) {
            values[index] = values[rows[index]];
        }
    }

    @Override
    void gatherValues(int[] ids, int[] rows, int count, Vector to) {
        int[] out = ((IntVector) to).values();
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            out[row] = values[Math.max(0, ids[row])];
        }
    }

    @Override
    Column column(int[] order, int from, int count, Validity present, Allocator allocator) {
        boolean isShort = type() instanceof DataType.Int16;
        MemorySegment out = allocator.allocate((long) count * type().byteWidth());
        if (order == null && !isShort) {
            MemorySegment.copy(values, from, out, INT32, 0, count);
        } else {
            for (int index = 0; index < count; index++) {
                int value = values[order == null ? from + index : order[from + index]];
                if (isShort) {
                    out.set(INT16, index * 2L, (short) value);
                } else {
                    out.set(INT32, index * 4L, value);
                }
            }
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
