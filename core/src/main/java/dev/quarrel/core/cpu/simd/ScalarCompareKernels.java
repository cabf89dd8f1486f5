package dev.quarrel.core.cpu.simd;

/// The twin without the Vector API: eight answers at a time, so that the processor can work on several at once.
final class ScalarCompareKernels implements CompareKernels {
    ScalarCompareKernels() {}

    /// An integer in the order of the floats: -0 as 0, one NaN above infinity.
    private static int key(float value) {
        int bits = Float.floatToIntBits(value + 0.0f);
        return bits ^ bits >> 31 & Integer.MAX_VALUE;
    }

    private static long key(double value) {
        long bits = Double.doubleToLongBits(value + 0.0);
        return bits ^ bits >> 63 & Long.MAX_VALUE;
    }

    @Override
    public void less(int[] x, int[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += 8) {
                int at = (word << 6) + bit;
                int eight = 0;
                eight |= x[at] < y[at] ? 1 : 0;
                eight |= x[at + 1] < y[at + 1] ? 2 : 0;
                eight |= x[at + 2] < y[at + 2] ? 4 : 0;
                eight |= x[at + 3] < y[at + 3] ? 8 : 0;
                eight |= x[at + 4] < y[at + 4] ? 16 : 0;
                eight |= x[at + 5] < y[at + 5] ? 32 : 0;
                eight |= x[at + 6] < y[at + 6] ? 64 : 0;
                eight |= x[at + 7] < y[at + 7] ? 128 : 0;
                bits |= (long) eight << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(int[] x, int[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += 8) {
                int at = (word << 6) + bit;
                int eight = 0;
                eight |= x[at] == y[at] ? 1 : 0;
                eight |= x[at + 1] == y[at + 1] ? 2 : 0;
                eight |= x[at + 2] == y[at + 2] ? 4 : 0;
                eight |= x[at + 3] == y[at + 3] ? 8 : 0;
                eight |= x[at + 4] == y[at + 4] ? 16 : 0;
                eight |= x[at + 5] == y[at + 5] ? 32 : 0;
                eight |= x[at + 6] == y[at + 6] ? 64 : 0;
                eight |= x[at + 7] == y[at + 7] ? 128 : 0;
                bits |= (long) eight << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(int[] x, int value, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += 8) {
                int at = (word << 6) + bit;
                int eight = 0;
                eight |= x[at] == value ? 1 : 0;
                eight |= x[at + 1] == value ? 2 : 0;
                eight |= x[at + 2] == value ? 4 : 0;
                eight |= x[at + 3] == value ? 8 : 0;
                eight |= x[at + 4] == value ? 16 : 0;
                eight |= x[at + 5] == value ? 32 : 0;
                eight |= x[at + 6] == value ? 64 : 0;
                eight |= x[at + 7] == value ? 128 : 0;
                bits |= (long) eight << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void less(long[] x, long[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += 8) {
                int at = (word << 6) + bit;
                int eight = 0;
                eight |= x[at] < y[at] ? 1 : 0;
                eight |= x[at + 1] < y[at + 1] ? 2 : 0;
                eight |= x[at + 2] < y[at + 2] ? 4 : 0;
                eight |= x[at + 3] < y[at + 3] ? 8 : 0;
                eight |= x[at + 4] < y[at + 4] ? 16 : 0;
                eight |= x[at + 5] < y[at + 5] ? 32 : 0;
                eight |= x[at + 6] < y[at + 6] ? 64 : 0;
                eight |= x[at + 7] < y[at + 7] ? 128 : 0;
                bits |= (long) eight << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(long[] x, long[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += 8) {
                int at = (word << 6) + bit;
                int eight = 0;
                eight |= x[at] == y[at] ? 1 : 0;
                eight |= x[at + 1] == y[at + 1] ? 2 : 0;
                eight |= x[at + 2] == y[at + 2] ? 4 : 0;
                eight |= x[at + 3] == y[at + 3] ? 8 : 0;
                eight |= x[at + 4] == y[at + 4] ? 16 : 0;
                eight |= x[at + 5] == y[at + 5] ? 32 : 0;
                eight |= x[at + 6] == y[at + 6] ? 64 : 0;
                eight |= x[at + 7] == y[at + 7] ? 128 : 0;
                bits |= (long) eight << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void less(float[] x, float[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += 8) {
                int at = (word << 6) + bit;
                int eight = 0;
                eight |= key(x[at]) < key(y[at]) ? 1 : 0;
                eight |= key(x[at + 1]) < key(y[at + 1]) ? 2 : 0;
                eight |= key(x[at + 2]) < key(y[at + 2]) ? 4 : 0;
                eight |= key(x[at + 3]) < key(y[at + 3]) ? 8 : 0;
                eight |= key(x[at + 4]) < key(y[at + 4]) ? 16 : 0;
                eight |= key(x[at + 5]) < key(y[at + 5]) ? 32 : 0;
                eight |= key(x[at + 6]) < key(y[at + 6]) ? 64 : 0;
                eight |= key(x[at + 7]) < key(y[at + 7]) ? 128 : 0;
                bits |= (long) eight << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(float[] x, float[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += 8) {
                int at = (word << 6) + bit;
                int eight = 0;
                eight |= key(x[at]) == key(y[at]) ? 1 : 0;
                eight |= key(x[at + 1]) == key(y[at + 1]) ? 2 : 0;
                eight |= key(x[at + 2]) == key(y[at + 2]) ? 4 : 0;
                eight |= key(x[at + 3]) == key(y[at + 3]) ? 8 : 0;
                eight |= key(x[at + 4]) == key(y[at + 4]) ? 16 : 0;
                eight |= key(x[at + 5]) == key(y[at + 5]) ? 32 : 0;
                eight |= key(x[at + 6]) == key(y[at + 6]) ? 64 : 0;
                eight |= key(x[at + 7]) == key(y[at + 7]) ? 128 : 0;
                bits |= (long) eight << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void less(double[] x, double[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += 8) {
                int at = (word << 6) + bit;
                int eight = 0;
                eight |= key(x[at]) < key(y[at]) ? 1 : 0;
                eight |= key(x[at + 1]) < key(y[at + 1]) ? 2 : 0;
                eight |= key(x[at + 2]) < key(y[at + 2]) ? 4 : 0;
                eight |= key(x[at + 3]) < key(y[at + 3]) ? 8 : 0;
                eight |= key(x[at + 4]) < key(y[at + 4]) ? 16 : 0;
                eight |= key(x[at + 5]) < key(y[at + 5]) ? 32 : 0;
                eight |= key(x[at + 6]) < key(y[at + 6]) ? 64 : 0;
                eight |= key(x[at + 7]) < key(y[at + 7]) ? 128 : 0;
                bits |= (long) eight << bit;
            }
            out[word] = bits ^ flip;
        }
    }

    @Override
    public void equal(double[] x, double[] y, long[] out, int words, long flip) {
        for (int word = 0; word < words; word++) {
            long bits = 0;
            for (int bit = 0; bit < 64; bit += 8) {
                int at = (word << 6) + bit;
                int eight = 0;
                eight |= key(x[at]) == key(y[at]) ? 1 : 0;
                eight |= key(x[at + 1]) == key(y[at + 1]) ? 2 : 0;
                eight |= key(x[at + 2]) == key(y[at + 2]) ? 4 : 0;
                eight |= key(x[at + 3]) == key(y[at + 3]) ? 8 : 0;
                eight |= key(x[at + 4]) == key(y[at + 4]) ? 16 : 0;
                eight |= key(x[at + 5]) == key(y[at + 5]) ? 32 : 0;
                eight |= key(x[at + 6]) == key(y[at + 6]) ? 64 : 0;
                eight |= key(x[at + 7]) == key(y[at + 7]) ? 128 : 0;
                bits |= (long) eight << bit;
            }
            out[word] = bits ^ flip;
        }
    }
}
