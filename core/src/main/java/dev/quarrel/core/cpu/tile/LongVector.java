package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.type.DataType;
import java.util.Arrays;

/// A vector of Int64 or Timestamp.
public final class LongVector extends Vector {
    private final long[] values;

    LongVector(DataType type, int tileRows) {
        super(type, tileRows);
        this.values = new long[capacity()];
    }

    /// The values by row.
    public long[] values() {
        return values;
    }

    @Override
    void gatherValues(Vector source, int[] rows, int count) {
        long[] from = ((LongVector) source).values;
        for (int row = 0; row < count; row++) {
            values[row] = from[Math.max(0, rows[row])];
        }
    }

    @Override
    public void copyValues(Vector source, Mask rows) {
        long[] from = ((LongVector) source).values;
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
        long[] from = ((LongVector) source).values;
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
        Arrays.fill(values, (Long) value);
    }

    @Override
    Object presentValue(int row) {
        return values[row];
    }
}
