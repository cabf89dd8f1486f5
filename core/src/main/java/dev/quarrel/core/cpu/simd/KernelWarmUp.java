package dev.quarrel.core.cpu.simd;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the Vector API's kernels in when they have become faster than their twins.
///
/// Before the JIT has compiled them they are a hundred times slower, so queries begin with the scalar twins, and a
/// thread
/// in the background runs the others, and compares answers, until they win.
public final class KernelWarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(KernelWarmUp.class);
    private static final int WORDS = 32;
    private static final int CALLS = 500;
    private static final int MAX_ROUNDS = 60;

    private static final AtomicBoolean STARTED = new AtomicBoolean();
    private static final CompareKernels SCALAR = new ScalarCompareKernels();
    private static final RangeKernels SCALAR_RANGES = new ScalarRangeKernels();
    private static volatile CompareKernels current = SCALAR;
    private static volatile RangeKernels ranges = SCALAR_RANGES;

    private KernelWarmUp() {}

    static CompareKernels current() {
        return current;
    }

    static RangeKernels ranges() {
        return ranges;
    }

    /// Whether the Vector API is on the module path of this JVM.
    public static boolean isVectorApiThere() {
        return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    }

    /// Whether queries use the Vector API's kernels by now.
    public static boolean isDone() {
        return current != SCALAR && ranges != SCALAR_RANGES;
    }

    /// Starts the warm-up in the background, once in a process; does nothing where the Vector API is not there.
    public static void start() {
        if (!STARTED.getAndSet(true) && isVectorApiThere()) {
            Thread thread = new Thread(KernelWarmUp::run, "quarrel-kernel-warm-up");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void run() {
        warmRanges();
        warmComparisons();
    }

    /// One kernel after the other, those that most queries need first.
    private static void warmRanges() {
        MixedRangeKernels mixed = new MixedRangeKernels(0, SCALAR_RANGES, vectorRanges());
        Columns columns = new Columns(new Random(1));
        for (int kernel = 0; kernel < MixedRangeKernels.KERNELS; kernel++) {
            if (isReady(columns, mixed.vector(), kernel)) {
                mixed = mixed.with(kernel);
                ranges = mixed;
            }
        }
        LOG.debug("simd.ranges ready={}", Integer.toBinaryString(mixed.ready()));
    }

    private static boolean isReady(Columns columns, RangeKernels candidate, int kernel) {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            long scalarNanos = columns.time(SCALAR_RANGES, kernel);
            long[] expected = columns.words.clone();
            long candidateNanos = columns.time(candidate, kernel);
            if (!Arrays.equals(expected, columns.words)) {
                LOG.error("simd.ranges wrong answers of kernel {}: the scalar one stays", kernel);
                return false;
            }
            if (candidateNanos * 2 < scalarNanos) {
                return true;
            }
        }
        return false;
    }

    private static void warmComparisons() {
        CompareKernels candidate = vectorKernels();
        Inputs inputs = new Inputs(new Random(1));
        for (int round = 0; round < MAX_ROUNDS; round++) {
            long scalarNanos = inputs.time(SCALAR);
            long[] expected = inputs.answers.clone();
            long candidateNanos = inputs.time(candidate);
            if (!Arrays.equals(expected, inputs.answers)) {
                LOG.error("simd.kernels wrong answers: the scalar ones stay");
                return;
            }
            if (candidateNanos * 2 < scalarNanos) {
                current = candidate;
                LOG.debug("simd.kernels ready rounds={}", round + 1);
                return;
            }
        }
        LOG.debug("simd.kernels not faster: the scalar ones stay");
    }

    static CompareKernels vectorKernels() {
        return new VectorCompareKernels();
    }

    static CompareKernels scalarKernels() {
        return SCALAR;
    }

    static RangeKernels vectorRanges() {
        return new VectorRangeKernels();
    }

    static RangeKernels scalarRanges() {
        return SCALAR_RANGES;
    }

    /// A column of each type, in mapped memory and in allocated: to the JIT these are two classes, and code that has
    /// seen one alone is thrown away when the other comes.
    private static final class Columns {
        private final List<MemorySegment> memories = new ArrayList<>();
        private final long[] words = new long[WORDS];
        private final int[] bitmap = new Random(2).ints(64).toArray();

        Columns(Random random) {
            MemorySegment allocated = Arena.ofAuto().allocate(WORDS * 64 * 8, 64);
            for (int index = 0; index < WORDS * 64; index++) {
                allocated.setAtIndex(ValueLayout.JAVA_DOUBLE, index, random.nextInt(20) - 10);
            }
            memories.add(allocated);
            try {
                memories.add(mapped(allocated));
            } catch (IOException e) {
                LOG.debug("simd.ranges no mapped memory for the warm-up", e);
            }
        }

        private static MemorySegment mapped(MemorySegment content) throws IOException {
            Path file = Files.createTempFile("quarrel-warm-up", null);
            try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
                MemorySegment mapped =
                        channel.map(FileChannel.MapMode.READ_WRITE, 0, content.byteSize(), Arena.ofAuto());
                return mapped.copyFrom(content);
            }
        }

        long time(RangeKernels kernels, int kernel) {
            int rows = WORDS * 64 - 1;
            long start = System.nanoTime();
            for (int call = 0; call < CALLS; call++) {
                MemorySegment memory = memories.get(call % memories.size());
                Arrays.fill(words, -1L);
                switch (kernel) {
                    case MixedRangeKernels.INT32 -> kernels.int32(memory, 0, rows, 0, 0x4010_0000, 0, words);
                    case MixedRangeKernels.MEMBERS32 ->
                        kernels.members32(memory, 0, rows, bitmap, 0x4000_0000, 2047, 0, words);
                    case MixedRangeKernels.FLOAT64 -> kernels.float64(memory, 0, rows, -5, 5, true, 0, words);
                    case MixedRangeKernels.INT64 ->
                        kernels.int64(memory, 0, rows, 0, 0x4010_0000_0000_0000L, -1L, words);
                    case MixedRangeKernels.FLOAT32 -> kernels.float32(memory, 0, rows, -5, 5, true, 0, words);
                    case MixedRangeKernels.INT16 -> kernels.int16(memory, 0, rows, 0, 0x4010, 0, words);
                    case MixedRangeKernels.INT8 -> kernels.int8(memory, 0, rows, 0, 0x40, 0, words);
                    default -> throw new IllegalArgumentException("no kernel " + kernel);
                }
            }
            return System.nanoTime() - start;
        }
    }

    /// A tile of each type, and the last call's words of each kernel.
    private static final class Inputs {
        private final int[] ints = new int[WORDS * 64];
        private final int[] otherInts = new int[WORDS * 64];
        private final long[] longs = new long[WORDS * 64];
        private final long[] otherLongs = new long[WORDS * 64];
        private final float[] floats = new float[WORDS * 64];
        private final float[] otherFloats = new float[WORDS * 64];
        private final double[] doubles = new double[WORDS * 64];
        private final double[] otherDoubles = new double[WORDS * 64];
        private final long[] words = new long[WORDS];
        private final long[] answers = new long[9 * WORDS];

        Inputs(Random random) {
            for (int index = 0; index < ints.length; index++) {
                ints[index] = random.nextInt(100);
                otherInts[index] = random.nextInt(100);
                longs[index] = random.nextInt(100);
                otherLongs[index] = random.nextInt(100);
                floats[index] = random.nextInt(20) == 0 ? Float.NaN : random.nextInt(20);
                otherFloats[index] = random.nextInt(20) == 0 ? Float.NaN : random.nextInt(20);
                doubles[index] = random.nextInt(20) == 0 ? Double.NaN : random.nextInt(20);
                otherDoubles[index] = random.nextInt(20) == 0 ? Double.NaN : random.nextInt(20);
            }
        }

        long time(CompareKernels kernels) {
            long start = System.nanoTime();
            for (int call = 0; call < CALLS; call++) {
                kernels.less(ints, otherInts, words, WORDS, 0);
                keep(0);
                kernels.equal(ints, otherInts, words, WORDS, 0);
                keep(1);
                kernels.equal(ints, 7, words, WORDS, -1L);
                keep(2);
                kernels.less(longs, otherLongs, words, WORDS, 0);
                keep(3);
                kernels.equal(longs, otherLongs, words, WORDS, 0);
                keep(4);
                kernels.less(floats, otherFloats, words, WORDS, 0);
                keep(5);
                kernels.equal(floats, otherFloats, words, WORDS, 0);
                keep(6);
                kernels.less(doubles, otherDoubles, words, WORDS, 0);
                keep(7);
                kernels.equal(doubles, otherDoubles, words, WORDS, 0);
                keep(8);
            }
            return System.nanoTime() - start;
        }

        private void keep(int kernel) {
            System.arraycopy(words, 0, answers, kernel * WORDS, WORDS);
        }
    }
}
