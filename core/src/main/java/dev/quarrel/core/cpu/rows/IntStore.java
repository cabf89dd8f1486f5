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
        MemorySegment out = allocator.allocateUnset((long) count * type().byteWidth());
        if (order == null && !isShort) {
            MemorySegment.copy(values, from, out, INT32, 0, count);
            return new FixedColumn(type(), count, out, present);
        }
        int[] tile = new int[Math.min(count, COLUMN_TILE)];
        short[] shorts = new short[isShort ? tile.length : 0];
        for (int first = 0; first < count; first += tile.length) {
            int rows = Math.min(tile.length, count - first);
            for (int index = 0; index < rows; index++) {
                tile[index] = values[order == null ? from + first + index : order[from + first + index]];
            }
            if (isShort) {
                for (int index = 0; index < rows; index++) {
                    shorts[index] = (short) tile[index];
                }
                MemorySegment.copy(shorts, 0, out, INT16, first * 2L, rows);
            } else {
                MemorySegment.copy(tile, 0, out, INT32, first * 4L, rows);
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
