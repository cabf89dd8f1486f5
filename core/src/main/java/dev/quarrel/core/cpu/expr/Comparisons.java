package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.simd.CompareKernels;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.BoolVector;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.Relation;

/// Comparisons: a word of 64 answers at a time over dense tiles, row by row over sparse ones.
final class Comparisons {
    private Comparisons() {}

    static void compare(Relation relation, Vector first, Vector second, BoolVector result, Mask rows) {
        int words = rows.wordCount();
        result.intersectValidity(first, second, words);
        Vector a = relation.swaps ? second : first;
        Vector b = relation.swaps ? first : second;
        long[] out = result.bits();
        boolean sparse = rows.isSparse();
        switch (a) {
            case IntVector x -> ints(relation, x.values(), ((IntVector) b).values(), out, rows, sparse);
            case LongVector x -> longs(relation, x.values(), ((LongVector) b).values(), out, rows, sparse);
            case FloatVector x -> floats(relation, x.values(), ((FloatVector) b).values(), out, rows, sparse);
            case DoubleVector x -> doubles(relation, x.values(), ((DoubleVector) b).values(), out, rows, sparse);
            case BoolVector x -> bools(relation, x.bits(), ((BoolVector) b).bits(), out, words);
            case DecimalVector x -> DecimalComparisons.compare(relation, x, (DecimalVector) b, result, rows);
            case TextVector _ -> throw new IllegalArgumentException("text has its own step");
        }
    }

    private static void ints(Relation relation, int[] x, int[] y, long[] out, Mask rows, boolean sparse) {
        if (!sparse) {
            CompareKernels kernels = CompareKernels.current();
            if (relation.isEquality) {
                kernels.equal(x, y, out, rows.wordCount(), relation.flip);
            } else {
                kernels.less(x, y, out, rows.wordCount(), relation.flip);
            }
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        boolean negated = relation.flip != 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            Bits.set(out, row, (relation.isEquality ? x[row] == y[row] : x[row] < y[row]) != negated);
        }
    }

    static void longs(Relation relation, long[] x, long[] y, long[] out, Mask rows, boolean sparse) {
        if (!sparse) {
            CompareKernels kernels = CompareKernels.current();
            if (relation.isEquality) {
                kernels.equal(x, y, out, rows.wordCount(), relation.flip);
            } else {
                kernels.less(x, y, out, rows.wordCount(), relation.flip);
            }
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        boolean negated = relation.flip != 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            Bits.set(out, row, (relation.isEquality ? x[row] == y[row] : x[row] < y[row]) != negated);
        }
    }

    /// NaN is greater than every number and equal to itself; -0 equals 0.
    private static boolean isLess(double x, double y) {
        return x < y || Double.isNaN(y) && !Double.isNaN(x);
    }

    private static boolean isEqual(double x, double y) {
        return x == y || Double.isNaN(x) && Double.isNaN(y);
    }

    private static void doubles(Relation relation, double[] x, double[] y, long[] out, Mask rows, boolean sparse) {
        if (!sparse) {
            CompareKernels kernels = CompareKernels.current();
            if (relation.isEquality) {
                kernels.equal(x, y, out, rows.wordCount(), relation.flip);
            } else {
                kernels.less(x, y, out, rows.wordCount(), relation.flip);
            }
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        boolean negated = relation.flip != 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            boolean holds = relation.isEquality ? isEqual(x[row], y[row]) : isLess(x[row], y[row]);
            Bits.set(out, row, holds != negated);
        }
    }

    private static void floats(Relation relation, float[] x, float[] y, long[] out, Mask rows, boolean sparse) {
        if (!sparse) {
            CompareKernels kernels = CompareKernels.current();
            if (relation.isEquality) {
                kernels.equal(x, y, out, rows.wordCount(), relation.flip);
            } else {
                kernels.less(x, y, out, rows.wordCount(), relation.flip);
            }
            return;
        }
        int[] indexes = rows.indexes();
        int count = rows.count();
        boolean negated = relation.flip != 0;
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            boolean holds = relation.isEquality ? isEqual(x[row], y[row]) : isLess(x[row], y[row]);
            Bits.set(out, row, holds != negated);
        }
    }

    /// False is less than true.
    private static void bools(Relation relation, long[] x, long[] y, long[] out, int words) {
        for (int word = 0; word < words; word++) {
            long holds = relation.isEquality ? ~(x[word] ^ y[word]) : ~x[word] & y[word];
            out[word] = holds ^ relation.flip;
        }
    }
}
