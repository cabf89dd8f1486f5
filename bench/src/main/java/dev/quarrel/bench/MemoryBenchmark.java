package dev.quarrel.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// The memory bandwidth of one thread: a copy, a sum of integers, and a plain sum of doubles in the order of
/// rows, to compare the engine's exact one ([PrimitiveBenchmark], sum-doubles) with.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class MemoryBenchmark {
    private static final long BYTES = 128L << 20;
    private static final ValueLayout.OfDouble FLOAT64 = ValueLayout.JAVA_DOUBLE;
    private static final ValueLayout.OfLong INT64 = ValueLayout.JAVA_LONG;

    private final Arena arena = Arena.ofShared();
    private MemorySegment from;
    private MemorySegment to;

    @Setup(Level.Trial)
    public void fill() {
        from = arena.allocate(BYTES, 64);
        to = arena.allocate(BYTES, 64);
        for (long index = 0; index < BYTES / Double.BYTES; index++) {
            from.setAtIndex(FLOAT64, index, index % 1000 / 8.0);
        }
    }

    @TearDown(Level.Trial)
    public void free() {
        arena.close();
    }

    /// Bytes read; as many are written.
    @Benchmark
    public MemorySegment copy(BytesRead read) {
        MemorySegment.copy(from, 0, to, 0, BYTES);
        read.gigabytes += BYTES / 1e9;
        return to;
    }

    @Benchmark
    public long sumOfIntegers(BytesRead read) {
        long sum = 0;
        for (long index = 0; index < BYTES / Long.BYTES; index++) {
            sum += from.getAtIndex(INT64, index);
        }
        read.gigabytes += BYTES / 1e9;
        return sum;
    }

    /// Another order of rows gives other bits; the JVM keeps to this one, one addition after the other.
    @Benchmark
    public double plainSumOfDoubles(BytesRead read) {
        double sum = 0;
        for (long index = 0; index < BYTES / Double.BYTES; index++) {
            sum += from.getAtIndex(FLOAT64, index);
        }
        read.gigabytes += BYTES / 1e9;
        return sum;
    }

    /// As a compiler may do it that is allowed to reorder: eight sums side by side.
    @Benchmark
    public double reorderedSumOfDoubles(BytesRead read) {
        double sum0 = 0;
        double sum1 = 0;
        double sum2 = 0;
        double sum3 = 0;
        double sum4 = 0;
        double sum5 = 0;
        double sum6 = 0;
        double sum7 = 0;
        for (long index = 0; index < BYTES / Double.BYTES; index += 8) {
            sum0 += from.getAtIndex(FLOAT64, index);
            sum1 += from.getAtIndex(FLOAT64, index + 1);
            sum2 += from.getAtIndex(FLOAT64, index + 2);
            sum3 += from.getAtIndex(FLOAT64, index + 3);
            sum4 += from.getAtIndex(FLOAT64, index + 4);
            sum5 += from.getAtIndex(FLOAT64, index + 5);
            sum6 += from.getAtIndex(FLOAT64, index + 6);
            sum7 += from.getAtIndex(FLOAT64, index + 7);
        }
        read.gigabytes += BYTES / 1e9;
        return (sum0 + sum1) + (sum2 + sum3) + (sum4 + sum5) + (sum6 + sum7);
    }
}
