package dev.quarrel.core.cpu;

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
            case IntVector x -> ints(relation, x, (IntVector) b, out, rows, sparse);
            case LongVector x -> longs(relation, x.values(), ((LongVector) b).values(), out, rows, sparse);
            case FloatVector x -> floats(relation, x.values(), ((FloatVector) b).values(), out, rows, sparse);
            case DoubleVector x -> doubles(relation, x.values(), ((DoubleVector) b).values(), out, rows, sparse);
            case BoolVector x -> bools(relation, x.bits(), ((BoolVector) b).bits(), out, words);
            case DecimalVector x -> DecimalComparisons.compare(relation, x, (DecimalVector) b, result, rows);
            case TextVector _ -> throw new IllegalArgumentException("text has its own step");
        }
    }

    private static void ints(Relation relation, IntVector a, IntVector b, long[] out, Mask rows, boolean sparse) {
        int[] x = a.values();
        int[] y = b.values();
        long flip = relation.flip;
        if (sparse) {
            int[] indexes = rows.indexes();
            int count = rows.count();
            boolean negated = flip != 0;
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                Bits.set(out, row, (relation.isEquality ? x[row] == y[row] : x[row] < y[row]) != negated);
            }
        } else if (relation.isEquality) {
            if (b.isConstant()) {
                equalTo(x, y[0], out, rows.wordCount(), flip);
            } else {
                equal(x, y, out, rows.wordCount(), flip);
            }
        } else if (b.isConstant()) {
            lessThan(x, y[0], out, rows.wordCount(), flip);
        } else if (a.isConstant()) {
            greaterThan(y, x[0], out, rows.wordCount(), flip);
        } else {
            less(x, y, out, rows.wordCount(), flip);
        }
    }

    private static void less(int[] x, int[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long bits = 0;
            for (int row = 0; row < 64; row++) {
                bits |= ((long) x[base + row] - y[base + row] >>> 63) << row;
            }
            out[word] = bits ^ flip;
        }
    }

    private static void lessThan(int[] x, int bound, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long bits = 0;
            for (int row = 0; row < 64; row++) {
                bits |= ((long) x[base + row] - bound >>> 63) << row;
            }
            out[word] = bits ^ flip;
        }
    }

    private static void greaterThan(int[] x, int bound, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long bits = 0;
            for (int row = 0; row < 64; row++) {
                bits |= ((long) bound - x[base + row] >>> 63) << row;
            }
            out[word] = bits ^ flip;
        }
    }

    static void equal(int[] x, int[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long bits = 0;
            for (int row = 0; row < 64; row++) {
                bits |= (x[base + row] == y[base + row] ? 1L : 0L) << row;
            }
            out[word] = bits ^ flip;
        }
    }

    private static void equalTo(int[] x, int value, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long bits = 0;
            for (int row = 0; row < 64; row++) {
                bits |= (x[base + row] == value ? 1L : 0L) << row;
            }
            out[word] = bits ^ flip;
        }
    }

    private static void longs(Relation relation, long[] x, long[] y, long[] out, Mask rows, boolean sparse) {
        long flip = relation.flip;
        if (sparse) {
            int[] indexes = rows.indexes();
            int count = rows.count();
            boolean negated = flip != 0;
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                Bits.set(out, row, (relation.isEquality ? x[row] == y[row] : x[row] < y[row]) != negated);
            }
            return;
        }
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long bits = 0;
            if (relation.isEquality) {
                for (int row = 0; row < 64; row++) {
                    bits |= (x[base + row] == y[base + row] ? 1L : 0L) << row;
                }
            } else {
                for (int row = 0; row < 64; row++) {
                    bits |= (x[base + row] < y[base + row] ? 1L : 0L) << row;
                }
            }
            out[word] = bits ^ flip;
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
        long flip = relation.flip;
        if (sparse) {
            int[] indexes = rows.indexes();
            int count = rows.count();
            boolean negated = flip != 0;
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                boolean holds = relation.isEquality ? isEqual(x[row], y[row]) : isLess(x[row], y[row]);
                Bits.set(out, row, holds != negated);
            }
            return;
        }
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long bits = 0;
            if (relation.isEquality) {
                for (int row = 0; row < 64; row++) {
                    bits |= (isEqual(x[base + row], y[base + row]) ? 1L : 0L) << row;
                }
            } else {
                for (int row = 0; row < 64; row++) {
                    bits |= (isLess(x[base + row], y[base + row]) ? 1L : 0L) << row;
                }
            }
            out[word] = bits ^ flip;
        }
    }

    private static void floats(Relation relation, float[] x, float[] y, long[] out, Mask rows, boolean sparse) {
        long flip = relation.flip;
        if (sparse) {
            int[] indexes = rows.indexes();
            int count = rows.count();
            boolean negated = flip != 0;
            for (int index = 0; index < count; index++) {
                int row = indexes[index];
                boolean holds = relation.isEquality ? isEqual(x[row], y[row]) : isLess(x[row], y[row]);
                Bits.set(out, row, holds != negated);
            }
            return;
        }
        int words = rows.wordCount();
        for (int word = 0; word < words; word++) {
            int base = word << 6;
            long bits = 0;
            if (relation.isEquality) {
                for (int row = 0; row < 64; row++) {
                    bits |= (isEqual(x[base + row], y[base + row]) ? 1L : 0L) << row;
                }
            } else {
                for (int row = 0; row < 64; row++) {
                    bits |= (isLess(x[base + row], y[base + row]) ? 1L : 0L) << row;
                }
            }
            out[word] = bits ^ flip;
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
