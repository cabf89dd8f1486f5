package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.cpu.rows.DecimalStore;
import dev.quarrel.core.cpu.rows.DoubleStore;
import dev.quarrel.core.cpu.rows.FloatStore;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.type.DataType;

/// The values that ASOF joins and joins by a range compare, as integers in their order: `x < y` there is `x < y` here.
///
/// It sees the arrays as they are now: who appends to a store makes another one.
final class OrderColumn {
    private final long[] longs; // one of the four is there
    private final int[] ints;
    private final double[] doubles;
    private final float[] floats;

    private OrderColumn(long[] longs, int[] ints, double[] doubles, float[] floats, Object type) {
        this.longs = longs;
        this.ints = ints;
        this.doubles = doubles;
        this.floats = floats;
        if (longs == null && ints == null && doubles == null && floats == null) {
            throw new IllegalArgumentException("no order by " + type);
        }
    }

    static OrderColumn of(ValueStore column) {
        return new OrderColumn(
                column instanceof LongStore store ? store.values() : isLong(column.type()) ? low(column) : null,
                column instanceof IntStore store ? store.values() : null,
                column instanceof DoubleStore store ? store.values() : null,
                column instanceof FloatStore store ? store.values() : null,
                column.type());
    }

    static OrderColumn of(Vector vector) {
        return new OrderColumn(
                vector instanceof LongVector values ? values.values() : isLong(vector.type()) ? low(vector) : null,
                vector instanceof IntVector values ? values.values() : null,
                vector instanceof DoubleVector values ? values.values() : null,
                vector instanceof FloatVector values ? values.values() : null,
                vector.type());
    }

    /// Whether the lower words of a decimal are its values.
    private static boolean isLong(DataType type) {
        return type instanceof DataType.Decimal && Join.Range.takes(type);
    }

    private static long[] low(ValueStore column) {
        return ((DecimalStore) column).low();
    }

    private static long[] low(Vector vector) {
        return ((DecimalVector) vector).low();
    }

    long value(int row) {
        if (longs != null) {
            return longs[row];
        }
        return ints != null ? ints[row] : FloatBits.ordered(doubles != null ? doubles[row] : floats[row]);
    }

    /// The first of rows [from, to) whose value is above a bound, or `to`.
    int firstAbove(int from, int to, long bound) {
        int row = from;
        if (longs != null) {
            while (row < to && longs[row] <= bound) {
                row++;
            }
            return row;
        }
        while (row < to && value(row) <= bound) {
            row++;
        }
        return row;
    }

    /// Whether rows [from, to], the last one too, ascend.
    boolean ascends(int from, int to) {
        if (longs == null) {
            for (int row = from; row < to; row++) {
                if (value(row + 1) < value(row)) {
                    return false;
                }
            }
            return true;
        }
        boolean isLess = false;
        for (int row = from; row < to; row++) {
            isLess |= longs[row + 1] < longs[row];
        }
        return !isLess;
    }
}
