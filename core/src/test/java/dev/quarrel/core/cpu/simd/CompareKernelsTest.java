package dev.quarrel.core.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Both twins against comparisons written out.
@Tag("compiled")
class CompareKernelsTest {
    private static final int[] INTS = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 7};
    private static final long[] LONGS = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 40};
    private static final double[] DOUBLES = {
        0.0,
        -0.0,
        1,
        -1,
        Double.NaN,
        Double.longBitsToDouble(0xFFF8_0000_0000_0001L),
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.MIN_VALUE
    };
    private static final int WORDS = 3;
    private static final int COUNT = WORDS * 64;

    static Stream<String> twins() {
        return Stream.of("scalar", "vector");
    }

    @ParameterizedTest
    @MethodSource("twins")
    void answersAreRight(String twin) {
        assumeTrue(twin.equals("scalar") || VectorModule.isThere(), "the JVM has no jdk.incubator.vector");
        CompareKernels kernels = twin.equals("scalar") ? KernelWarmUp.scalarKernels() : KernelWarmUp.vectorKernels();
        Random random = new Random(99);
        int[] x = random.ints(COUNT, 0, INTS.length).map(index -> INTS[index]).toArray();
        int[] y = random.ints(COUNT, 0, INTS.length).map(index -> INTS[index]).toArray();
        long[] p = random.ints(COUNT, 0, LONGS.length)
                .mapToLong(index -> LONGS[index])
                .toArray();
        long[] q = random.ints(COUNT, 0, LONGS.length)
                .mapToLong(index -> LONGS[index])
                .toArray();
        double[] d = random.ints(COUNT, 0, DOUBLES.length)
                .mapToDouble(index -> DOUBLES[index])
                .toArray();
        double[] e = random.ints(COUNT, 0, DOUBLES.length)
                .mapToDouble(index -> DOUBLES[index])
                .toArray();
        float[] f = new float[COUNT];
        float[] g = new float[COUNT];
        for (int index = 0; index < COUNT; index++) {
            f[index] = (float) d[index];
            g[index] = (float) e[index];
        }
        long[] out = new long[WORDS];
        for (long flip : new long[] {0, -1}) {
            kernels.less(x, y, out, WORDS, flip);
            check(out, flip, i -> x[i] < y[i]);
            kernels.equal(x, y, out, WORDS, flip);
            check(out, flip, i -> x[i] == y[i]);
            kernels.equal(x, 7, out, WORDS, flip);
            check(out, flip, i -> x[i] == 7);
            kernels.less(p, q, out, WORDS, flip);
            check(out, flip, i -> p[i] < q[i]);
            kernels.equal(p, q, out, WORDS, flip);
            check(out, flip, i -> p[i] == q[i]);
            kernels.less(d, e, out, WORDS, flip);
            check(out, flip, i -> Double.compare(d[i] + 0.0, e[i] + 0.0) < 0);
            kernels.equal(d, e, out, WORDS, flip);
            check(out, flip, i -> Double.compare(d[i] + 0.0, e[i] + 0.0) == 0);
            kernels.less(f, g, out, WORDS, flip);
            check(out, flip, i -> Float.compare(f[i] + 0.0f, g[i] + 0.0f) < 0);
            kernels.equal(f, g, out, WORDS, flip);
            check(out, flip, i -> Float.compare(f[i] + 0.0f, g[i] + 0.0f) == 0);
        }
    }

    private static void check(long[] out, long flip, IntPredicate expected) {
        for (int row = 0; row < COUNT; row++) {
            assertThat((out[row >>> 6] >>> row & 1) == 1)
                    .as("row %d", row)
                    .isEqualTo(expected.test(row) != (flip != 0));
        }
    }
}
