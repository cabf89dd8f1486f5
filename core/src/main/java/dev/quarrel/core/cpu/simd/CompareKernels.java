package dev.quarrel.core.cpu.simd;

/// The kernels that compare dense arrays into words of bits: bit i of `out` says whether `x[i] < y[i]` or
/// whether `x[i] = y[i]`, inverted where `flip` is all ones.
///
/// - Shape: `64 * words` elements are read, `words` words are written.
/// - Floats order with NaN greatest and equal to itself, and -0 = 0.
public sealed interface CompareKernels permits ScalarCompareKernels, VectorCompareKernels {
    void less(int[] x, int[] y, long[] out, int words, long flip);

    void equal(int[] x, int[] y, long[] out, int words, long flip);

    void equal(int[] x, int value, long[] out, int words, long flip);

    void less(long[] x, long[] y, long[] out, int words, long flip);

    void equal(long[] x, long[] y, long[] out, int words, long flip);

    void less(float[] x, float[] y, long[] out, int words, long flip);

    void equal(float[] x, float[] y, long[] out, int words, long flip);

    void less(double[] x, double[] y, long[] out, int words, long flip);

    void equal(double[] x, double[] y, long[] out, int words, long flip);

    /// The fastest kernels that are ready.
    static CompareKernels current() {
        return KernelWarmUp.current();
    }
}
