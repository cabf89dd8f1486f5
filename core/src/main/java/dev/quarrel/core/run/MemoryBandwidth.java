package dev.quarrel.core.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/// The bandwidth at which this machine's threads read memory, with which a scan's speed is compared.
///
/// Threads sum the words of arrays, each its own, all at the same time; the best of some passes counts, since whatever
/// else the machine does can only slow a pass down. A measurement takes some 100 ms and, where the heap has room,
/// eight times the last-level cache: caches keep what they are read in circles for, so that of twice their size 40 %
/// and more comes from them (47 GB/s where memory gives 34). It is kept for the process; a later one can only raise it.
public final class MemoryBandwidth {
    private static final int CACHES = 8;
    private static final long LEAST_BYTES = 256L << 20;
    private static final long MOST_BYTES = 2L << 30;
    private static final int HEAP_SHARE = 4;
    private static final Path LAST_LEVEL_CACHE = Path.of("/sys/devices/system/cpu/cpu0/cache/index3/size");

    private static final int CHUNK_WORDS = 1 << 13;
    private static final long MEASURE_NANOS = 25_000_000;
    private static final int MEASUREMENTS = 3;

    private static int measurements;
    private static int measuredThreads;
    private static double best;

    private MemoryBandwidth() {}

    /// Bytes a second that `threads` threads read together; measured when it is asked for, at most three times a
    /// process.
    public static synchronized double bytesPerSecond(int threads) {
        if (threads != measuredThreads) {
            measurements = 0;
            best = 0;
            measuredThreads = threads;
        }
        if (measurements < MEASUREMENTS) {
            measurements++;
            best = Math.max(best, measure(threads, MEASURE_NANOS));
        }
        return best;
    }

    /// Measures anew for about `nanos`.
    public static double measure(int threads, long nanos) {
        if (threads < 1) {
            throw new IllegalArgumentException(threads + " threads");
        }
        long bytes = Math.min(totalBytes(), Runtime.getRuntime().maxMemory() / HEAP_SHARE);
        int words = (int) Math.max(
                CHUNK_WORDS, Math.min(Integer.MAX_VALUE / 2, bytes / Long.BYTES / threads) / CHUNK_WORDS * CHUNK_WORDS);
        long[] sums = new long[threads];
        boolean[] goesOn = {true};
        double[] bestRate = new double[1];
        long[] start = new long[1];
        long deadline = System.nanoTime() + nanos;
        // Runs while all threads wait: after each pass it takes the time and decides whether there is another.
        CyclicBarrier pass = new CyclicBarrier(threads, () -> {
            long now = System.nanoTime();
            if (start[0] != 0) {
                bestRate[0] = Math.max(
                        bestRate[0], (double) words * Long.BYTES * threads / Math.max(1, now - start[0]) * 1e9);
            }
            goesOn[0] = now < deadline || start[0] == 0;
            start[0] = now;
        });
        List<Thread> readers = new ArrayList<>();
        for (int index = 0; index < threads; index++) {
            int thread = index;
            readers.add(Thread.ofPlatform()
                    .name("quarrel-bandwidth-" + index)
                    .daemon()
                    .start(() -> {
                        try {
                            long[] memory = new long[words];
                            pass.await();
                            while (goesOn[0]) {
                                sums[thread] += sum(memory);
                                pass.await();
                            }
                        } catch (InterruptedException | BrokenBarrierException | OutOfMemoryError stop) {
                            pass.reset();
                        }
                    }));
        }
        boolean interrupted = false;
        for (Thread reader : readers) {
            while (reader.isAlive()) {
                try {
                    reader.join();
                } catch (InterruptedException stop) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return bestRate[0];
    }

    /// What a pass reads: so much more than the caches hold that they do not matter.
    private static long totalBytes() {
        return Math.clamp(CACHES * lastLevelCacheBytes(), LEAST_BYTES, MOST_BYTES);
    }

    /// Of one core, as Linux says; 0 where nobody says it.
    private static long lastLevelCacheBytes() {
        try {
            String size = Files.readString(LAST_LEVEL_CACHE, StandardCharsets.US_ASCII)
                    .strip();
            return size.endsWith("K") ? Long.parseLong(size.substring(0, size.length() - 1)) << 10 : 0;
        } catch (IOException | NumberFormatException | SecurityException unknown) {
            return 0;
        }
    }

    private static long sum(long[] memory) {
        long sum = 0;
        for (int start = 0; start < memory.length; start += CHUNK_WORDS) {
            sum += sumChunk(memory, start);
        }
        return sum;
    }

    /// So short that it is compiled after some calls, and with sums enough to keep loads in flight.
    private static long sumChunk(long[] memory, int start) {
        long sum0 = 0;
        long sum1 = 0;
        long sum2 = 0;
        long sum3 = 0;
        for (int index = start; index < start + CHUNK_WORDS; index += 4) {
            sum0 += memory[index];
            sum1 += memory[index + 1];
            sum2 += memory[index + 2];
            sum3 += memory[index + 3];
        }
        return sum0 + sum1 + sum2 + sum3;
    }
}
