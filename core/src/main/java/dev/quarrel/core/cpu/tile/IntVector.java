package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.type.DataType;
import java.util.Arrays;

/// A vector of Int16, Int32 or Date.
public final class IntVector extends Vector {
    private final int[] values;

    IntVector(DataType type, int tileRows) {
        super(type, tileRows);
        this.values = new int[capacity()];
    }

    /// The values by row.
    public int[] values() {
        return values;
    }

    @Override
    void gatherValues(Vector source, int[] rows, int count) {
        int[] from = ((IntVector) source).values;
        for (int row = 0; row < count; row++) {
            values[row] = from[Math.max(0, rows[row])];
        }
    }

    @Override
    public void copyValues(Vector source, Mask rows) {
        int[] from = ((IntVector) source).values;
        if (rows.isFull()) {
            System.arraycopy(from, 0, values, 0, rows.rowCount());
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            values[indexes[index]] = from[indexes[index]];
        }
    }

    @Override
    public void gatherSelected(Vector source, int[] codes, Mask rows) {
        int[] from = ((IntVector) source).values;
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (isPresent(row)) {
                values[row] = from[codes[row]];
            }
        }
    }

    @Override
    void fill(Object value) {
        Arrays.fill(values, ((Long) value).intValue());
    }

    @Override
    Object presentValue(int row) {
        return (long) values[row];
    }
}
