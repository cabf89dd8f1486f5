package dev.quarrel.core.cpu.simd;

import dev.quarrel.core.memory.MappedMemory;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Switches to the Vector API's kernels once they have become faster than their scalar twins.
///
/// Before the JIT has compiled them they are a hundred times slower, so queries begin with the scalar twins, and a
/// thread in the background runs the others, and compares answers, until they win.
public final class KernelWarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(KernelWarmUp.class);
    private static final int WORDS = 32;
    private static final int CALLS = 20;
    /// What the JIT has compiled takes 0.02 to 0.6 ns a row. Before that a vector is an object, 64 lanes of which may
    /// well be quicker than 64 steps of a loop that is not compiled either.
    private static final long COMPILED_NANOS = 2L * CALLS * WORDS * 64;
    private static final int BUSY_ROUNDS = 25;
    private static final long REST_MILLIS = 5;
    private static final long MAX_NANOS = 20_000_000_000L;
    private static final long DELAY_MILLIS = 5000;
    /// How long the warm-up waits for loads in all: one may be a client's that sends nothing.
    private static final long MAX_YIELD_NANOS = 60_000_000_000L;
    private static final long YIELD_MILLIS = 20;

    private static final AtomicInteger LOADS = new AtomicInteger();
    private static final AtomicBoolean STARTED = new AtomicBoolean();
    private static final CountDownLatch WANTED = new CountDownLatch(1);
    private static final CountDownLatch DONE = new CountDownLatch(1);
    private static final CompareKernels SCALAR = new ScalarCompareKernels();
    private static final RangeKernels SCALAR_RANGES = new ScalarRangeKernels();
    private static long yieldedNanos; // its one thread's
    private static volatile CompareKernels current = SCALAR;
    private static volatile RangeKernels ranges = SCALAR_RANGES;

    private KernelWarmUp() {}

    static CompareKernels current() {
        return current;
    }

    static RangeKernels ranges() {
        return ranges;
    }

    /// Has the warm-up begin now, and returns when all kernels have come in that are going to; only after `start`.
    public static void await() throws InterruptedException {
        WANTED.countDown();
        DONE.await();
    }

    /// Further loops to run until they are compiled.
    @FunctionalInterface
    public interface Loops {
        void run() throws InterruptedException;
    }

    /// Starts the warm-up in the background, once in a process: at [#await], or else some seconds after the start.
    /// A process of one statement would have compiled kernels when it has ended, and takes cores for them from the
    /// statement and the JIT (a scan of 50 million rows takes a sixth to a third longer so, from the process's
    /// start to its end, on two cores).
    ///
    /// @param loops what else is to be run until it is compiled
    public static void start(Loops loops) {
        if (!STARTED.getAndSet(true)) {
            Thread thread = new Thread(() -> run(loops), "quarrel-kernel-warm-up");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /// Files or clients' rows are being read into a table: that takes all cores, and none of these kernels. A warm-up
    /// beside it takes one of them, and a multiple of its own time, since the JIT has not got it either (COPY
    /// of 766 MB into a server that has just started took twice the processors' time).
    public static void beginLoad() {
        LOADS.incrementAndGet();
    }

    /// To each [#beginLoad].
    public static void endLoad() {
        LOADS.decrementAndGet();
    }

    /// Waits while rows are loaded.
    ///
    /// @return the nanoseconds that this took
    public static long yieldToLoads() throws InterruptedException {
        long start = System.nanoTime();
        if (LOADS.get() == 0) {
            return 0;
        }
        while (LOADS.get() > 0 && yieldedNanos + System.nanoTime() - start < MAX_YIELD_NANOS) {
            Thread.sleep(YIELD_MILLIS);
        }
        long waited = System.nanoTime() - start;
        yieldedNanos += waited;
        return waited;
    }

    private static void run(Loops loops) {
        try {
            boolean isAwaited = WANTED.await(DELAY_MILLIS, TimeUnit.MILLISECONDS);
            yieldToLoads();
            LOG.debug("simd.warm_up awaited={}", isAwaited);
            boolean isVectorApiThere = VectorModule.isThere();
            if (isVectorApiThere) {
                warmRanges();
            }
            loops.run();
            if (isVectorApiThere) {
                warmComparisons();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the scalar ones stay
        } finally {
            DONE.countDown();
        }
    }

    /// All kernels in turn, so that the JIT has them in its queue together; each comes in when it wins.
    private static void warmRanges() throws InterruptedException {
        MixedRangeKernels mixed = new MixedRangeKernels(0, SCALAR_RANGES, vectorRanges());
        Columns columns = new Columns(new Random(1));
        Set<Integer> waiting = new LinkedHashSet<>();
        for (int kernel = 0; kernel < MixedRangeKernels.KERNELS; kernel++) {
            waiting.add(kernel);
        }
        // The least time of all rounds: another process may have had the core in any of them.
        long[] scalarNanos = new long[MixedRangeKernels.KERNELS];
        Arrays.fill(scalarNanos, Long.MAX_VALUE);
        long start = System.nanoTime();
        for (int round = 0; !waiting.isEmpty() && System.nanoTime() - start < MAX_NANOS; round++) {
            for (int kernel : List.copyOf(waiting)) {
                scalarNanos[kernel] = Math.min(scalarNanos[kernel], columns.time(SCALAR_RANGES, kernel));
                long[] expected = columns.words.clone();
                long candidateNanos = columns.time(mixed.vector(), kernel);
                if (!Arrays.equals(expected, columns.words)) {
                    LOG.error("simd.ranges wrong answers of kernel {}: the scalar one stays", kernel);
                    waiting.remove(kernel);
                } else if (candidateNanos < COMPILED_NANOS && candidateNanos * 10 < scalarNanos[kernel] * 9) {
                    waiting.remove(kernel);
                    mixed = mixed.with(kernel);
                    ranges = mixed;
                    LOG.debug(
                            "simd.ranges kernel={} ready after {} ms", kernel, (System.nanoTime() - start) / 1_000_000);
                }
            }
            start += rest(round);
        }
        LOG.debug("simd.ranges ready={}", Integer.toBinaryString(mixed.ready()));
    }

    /// Once the JIT has been asked, it needs the core more than the slow kernels do.
    ///
    /// @return the nanoseconds that it waited for loads
    private static long rest(int round) throws InterruptedException {
        if (round >= BUSY_ROUNDS) {
            Thread.sleep(REST_MILLIS);
        }
        return yieldToLoads();
    }

    private static void warmComparisons() throws InterruptedException {
        CompareKernels candidate = vectorKernels();
        Inputs inputs = new Inputs(new Random(1));
        long scalarNanos = Long.MAX_VALUE;
        long start = System.nanoTime();
        for (int round = 0; System.nanoTime() - start < MAX_NANOS; round++) {
            scalarNanos = Math.min(scalarNanos, inputs.time(SCALAR));
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
            start += rest(round);
        }
        LOG.debug("simd.kernels not faster: the scalar ones stay");
    }

    /// The content as it is, and in mapped memory: to the JIT these may be two classes ([MappedMemory]), and code that
    /// has seen one alone is thrown away when the other comes.
    public static List<MemorySegment> memories(MemorySegment content) {
        List<MemorySegment> memories = new ArrayList<>();
        memories.add(content);
        try {
            Path file = Files.createTempFile("quarrel-warm-up", null);
            try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
                MemorySegment mapped =
                        channel.map(FileChannel.MapMode.READ_WRITE, 0, content.byteSize(), Arena.ofAuto());
                memories.add(MappedMemory.part(mapped.copyFrom(content), 0, content.byteSize()));
            }
        } catch (IOException e) {
            LOG.debug("warm_up.memory none is mapped", e);
        }
        return memories;
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

    /// A column of each type.
    private static final class Columns {
        private final List<MemorySegment> memories;
        private final long[] words = new long[WORDS];
        private final int[] bitmap = new Random(2).ints(64).toArray();

        Columns(Random random) {
            MemorySegment allocated = Arena.ofAuto().allocate(WORDS * 64 * 8, 64);
            for (int index = 0; index < WORDS * 64; index++) {
                allocated.setAtIndex(ValueLayout.JAVA_DOUBLE, index, random.nextInt(20) - 10);
            }
            memories = memories(allocated);
        }

        long time(RangeKernels kernels, int kernel) {
            long start = System.nanoTime();
            for (int call = 0; call < CALLS; call++) {
                MemorySegment memory = memories.get(call % memories.size());
                // As queries have it: words of no row, and last words that are full.
                Arrays.fill(words, -1L);
                words[call % WORDS] = 0;
                int rows = WORDS * 64 - (call & 1);
                switch (kernel) {
                    case MixedRangeKernels.INT32 -> kernels.int32(memory, 0, rows, 0, 0x4010_0000, 0, words);
                    case MixedRangeKernels.MEMBERS32 ->
                        kernels.members32(memory, 0, rows, bitmap, 0x4000_0000, 2047, 0, words);
                    case MixedRangeKernels.MEMBERS16 ->
                        kernels.members16(memory, 0, rows, bitmap, 0x4000, 2047, 0, words);
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
