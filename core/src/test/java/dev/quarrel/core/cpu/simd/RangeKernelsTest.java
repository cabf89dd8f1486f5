package dev.quarrel.core.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Range and membership kernels against a look at each row, for all lengths around a word.
@Tag("compiled")
class RangeKernelsTest {
    private static final int ROWS = 200;
    private static final double[] FLOATS = {
        -0.0, 0.0, Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, 1, -1, 0.5, Float.MAX_VALUE
    };

    private final Random random = new Random(Long.getLong("quarrel.seed", 20261121L));
    private final MemorySegment memory = Arena.ofAuto().allocate(ROWS * 8 + 8);

    static Stream<RangeKernels> kernels() {
        return VectorModule.isThere()
                ? Stream.of(KernelWarmUp.scalarRanges(), KernelWarmUp.vectorRanges())
                : Stream.of(KernelWarmUp.scalarRanges());
    }

    private interface Call {
        void on(int rows, long flip, long[] bits);
    }

    private void check(Call call, IntPredicate inside) {
        for (int rows : new int[] {0, 1, 2, 63, 64, 65, 127, 128, 129, ROWS}) {
            for (long flip : new long[] {0, -1L}) {
                long[] before = random.longs((rows + 63) / 64).toArray();
                if (before.length > 1) {
                    before[0] = 0;
                }
                long[] bits = before.clone();
                call.on(rows, flip, bits);
                for (int row = 0; row < bits.length * 64; row++) {
                    boolean was = (before[row >>> 6] >>> row & 1) != 0;
                    boolean is = (bits[row >>> 6] >>> row & 1) != 0;
                    if (row < rows) {
                        assertThat(is).as("row %d of %d", row, rows).isEqualTo(was && inside.test(row) == (flip == 0));
                    } else {
                        assertThat(is).as("row %d of %d", row, rows).isFalse();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void integers(RangeKernels kernels) {
        for (int round = 0; round < 20; round++) {
            for (int row = 0; row <= ROWS; row++) {
                memory.set(ValueLayout.JAVA_LONG_UNALIGNED, row * 8L, random.nextLong());
            }
            int[] bounds = {
                random.nextInt(), random.nextInt(), Integer.MIN_VALUE, Integer.MAX_VALUE, 0, Short.MAX_VALUE, -40_000
            };
            int low = bounds[random.nextInt(bounds.length)];
            int high = bounds[random.nextInt(bounds.length)];
            long wideLow = (long) low << 32;
            long wideHigh = (long) high << 32;
            check(
                    (rows, flip, bits) -> kernels.int8(memory, 1, rows, low >> 22, high >> 22, flip, bits),
                    row -> memory.get(ValueLayout.JAVA_BYTE, 1 + row) >= low >> 22
                            && memory.get(ValueLayout.JAVA_BYTE, 1 + row) <= high >> 22);
            check(
                    (rows, flip, bits) -> kernels.int16(memory, 2, rows, low, high, flip, bits),
                    row -> memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 + row * 2L) >= low
                            && memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 + row * 2L) <= high);
            check(
                    (rows, flip, bits) -> kernels.int32(memory, 4, rows, low, high, flip, bits),
                    row -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, 4 + row * 4L) >= low
                            && memory.get(ValueLayout.JAVA_INT_UNALIGNED, 4 + row * 4L) <= high);
            check(
                    (rows, flip, bits) -> kernels.int64(memory, 8, rows, wideLow, wideHigh, flip, bits),
                    row -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 + row * 8L) >= wideLow
                            && memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 + row * 8L) <= wideHigh);
        }
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void floats(RangeKernels kernels) {
        for (int round = 0; round < 40; round++) {
            boolean nan = round % 2 == 0;
            double low = FLOATS[random.nextInt(FLOATS.length)];
            double high = FLOATS[random.nextInt(FLOATS.length)];
            if (Double.isNaN(low) || Double.isNaN(high)) {
                continue;
            }
            for (int row = 0; row < ROWS; row++) {
                memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, row * 8L, FLOATS[random.nextInt(FLOATS.length)]);
            }
            check(
                    (rows, flip, bits) -> kernels.float64(memory, 0, rows, low, high, nan, flip, bits),
                    row -> isInside(memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, row * 8L), low, high, nan));
            for (int row = 0; row < ROWS; row++) {
                memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, row * 4L, (float) FLOATS[random.nextInt(FLOATS.length)]);
            }
            check(
                    (rows, flip, bits) -> kernels.float32(memory, 0, rows, (float) low, (float) high, nan, flip, bits),
                    row -> isInside(memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, row * 4L), low, high, nan));
        }
    }

    private static boolean isInside(double value, double low, double high, boolean nan) {
        return Double.isNaN(value) ? nan : value >= low && value <= high;
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void members(RangeKernels kernels) {
        int[] bitmap = random.ints(4).toArray();
        for (int from : new int[] {0, -50, Integer.MIN_VALUE + 3, Integer.MAX_VALUE - 60}) {
            int last = 100;
            for (int row = 0; row < ROWS; row++) {
                memory.set(
                        ValueLayout.JAVA_INT_UNALIGNED,
                        row * 4L,
                        random.nextInt(5) == 0 ? random.nextInt() : from + random.nextInt(110));
            }
            check((rows, flip, bits) -> kernels.members32(memory, 0, rows, bitmap, from, last, flip, bits), row -> {
                int place = memory.get(ValueLayout.JAVA_INT_UNALIGNED, row * 4L) - from;
                return place >= 0 && place <= last && (bitmap[place >>> 5] >>> place & 1) != 0;
            });
        }

        for (int from : new int[] {0, -50, -40_000, 32_760, Short.MIN_VALUE}) {
            int last = 100;
            for (int row = 0; row < ROWS; row++) {
                int value = random.nextInt(5) == 0 ? random.nextInt() : from + random.nextInt(110);
                memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, row * 2L, (short) value);
            }
            check((rows, flip, bits) -> kernels.members16(memory, 0, rows, bitmap, from, last, flip, bits), row -> {
                int place = memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, row * 2L) - from;
                return place >= 0 && place <= last && (bitmap[place >>> 5] >>> place & 1) != 0;
            });
        }
    }
}
