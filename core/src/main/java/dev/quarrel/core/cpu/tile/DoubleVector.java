package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.type.DataType;
import java.util.Arrays;

/// A vector of Float64.
public final class DoubleVector extends Vector {
    private final double[] values;

    DoubleVector(int tileRows) {
        super(DataType.FLOAT64, tileRows);
        this.values = new double[capacity()];
    }

    /// The values by row.
    public double[] values() {
        return values;
    }

    @Override
    void gatherValues(Vector source, int[] rows, int count) {
        double[] from = ((DoubleVector) source).values;
        for (int row = 0; row < count; row++) {
            values[row] = from[Math.max(0, rows[row])];
        }
    }

    @Override
    public void copyValues(Vector source, Mask rows) {
        double[] from = ((DoubleVector) source).values;
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
        double[] from = ((DoubleVector) source).values;
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
        Arrays.fill(values, (Double) value);
    }

    @Override
    Object presentValue(int row) {
        return values[row];
    }
}
