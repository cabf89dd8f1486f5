package dev.quarrel.cuda.gpu;

import dev.quarrel.cuda.backend.Calibration;
import dev.quarrel.cuda.driver.CudaContext;
import dev.quarrel.cuda.driver.DeviceBuffer;
import dev.quarrel.cuda.driver.DeviceRange;
import dev.quarrel.cuda.driver.DriverProbe;
import dev.quarrel.cuda.driver.Event;
import dev.quarrel.cuda.driver.GrowableArena;
import dev.quarrel.cuda.driver.KernelFunction;
import dev.quarrel.cuda.driver.KernelModule;
import dev.quarrel.cuda.driver.LaunchParameters;
import dev.quarrel.cuda.driver.MemoryPool;
import dev.quarrel.cuda.driver.PinnedBuffer;
import dev.quarrel.cuda.driver.Stream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/// Measures the best that a GPU and its bus can do: the figures that every other measurement is a share of.
///
/// `java -cp quarrel.jar dev.quarrel.cuda.gpu.Ceilings FILE` writes them to a file, such as `/dev/stdout`.
public final class Ceilings implements AutoCloseable {
    private static final String FATBIN = "probe_bench";
    private static final int THREADS = 1024;
    private static final int SEED = 20261121;
    private static final int COUNTED_CELLS = 1 << 10;

    private final CudaContext context;
    private final KernelModule module;
    private final Sizes sizes;
    private final MemoryPool pool;
    private final Stream stream;
    private final Event start;
    private final Event end;
    private final LaunchParameters parameters = new LaunchParameters(48);
    private final List<Ceiling> found = new ArrayList<>();

    /// How much to measure with.
    ///
    /// @param bytes of each of two buffers on the device, a power of two from 4 MiB
    /// @param probes of each thread, a multiple of 8
    /// @param runs of each measurement; the median counts
    public record Sizes(long bytes, int probes, int runs) {
        /// Enough for memory to outlast any cache.
        static Sizes of(CudaContext context) {
            return new Sizes(Long.highestOneBit(Math.min(4L << 30, context.freeBytes() / 4)), 4096, 21);
        }
    }

    /// @param lowest and highest of all runs
    public record Ceiling(String name, double median, double lowest, double highest, String unit) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%-44s %12.2f  (%.2f–%.2f) %s", name, median, lowest, highest, unit);
        }
    }

    private Ceilings(CudaContext context, KernelModule module, Sizes sizes) {
        this.context = context;
        this.module = module;
        this.sizes = sizes;
        this.pool = context.newPool();
        this.stream = context.newStream();
        this.start = Event.forTiming(context);
        this.end = Event.forTiming(context);
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            throw new IllegalArgumentException("where are the figures to go? For instance /dev/stdout");
        }
        StringBuilder text = new StringBuilder();
        switch (GpuSearch.of(DriverProbe.SYSTEM_LIBRARY, FATBIN)) {
            case GpuSearch.Missing(String reason, String remedy) ->
                text.append("no GPU: ")
                        .append(reason)
                        .append("; ")
                        .append(remedy)
                        .append('\n');
            case GpuSearch.Seen seen -> throw new IllegalStateException("only seen: " + seen);
            case GpuSearch.Found gpu -> {
                try (CudaContext context = gpu.context();
                        KernelModule module = gpu.kernels()) {
                    text.append(context.facts().describe()).append('\n');
                    measure(context, module, Sizes.of(context))
                            .forEach(ceiling -> text.append(ceiling).append('\n'));
                }
            }
        }
        Files.writeString(Path.of(arguments[0]), text);
    }

    /// Measures everything, after checking that what is measured is right.
    ///
    /// - Errors: [IllegalStateException] where a kernel's result is not the host's.
    ///
    /// @param module of `probe_bench.fatbin`
    public static List<Ceiling> measure(CudaContext context, KernelModule module, Sizes sizes) {
        try (Ceilings ceilings = new Ceilings(context, module, sizes)) {
            ceilings.measureAll();
            return List.copyOf(ceilings.found);
        }
    }

    /// The few figures that estimates need.
    ///
    /// - Errors: as [#measure].
    static Calibration calibrate(CudaContext context, KernelModule module) {
        long bytes = Long.highestOneBit(Math.clamp(context.freeBytes() / 8, 4L << 20, 512L << 20));
        try (Ceilings ceilings = new Ceilings(context, module, new Sizes(bytes, 512, 5))) {
            return ceilings.few();
        }
    }

    private Calibration few() {
        try (DeviceBuffer source = pool.allocate(stream, sizes.bytes());
                DeviceBuffer result = pool.allocate(stream, 8)) {
            fill(source);
            read(source, result);
            table(source, result, Math.min(16L << 20, sizes.bytes()));
            waiting(result);
            pinnedToDevice(source);
        }
        return new Calibration(
                found.get(3).median() * 1e9,
                found.get(0).median() * 1e9,
                found.get(1).median() * 1e9,
                found.get(2).median() / 1e6,
                true);
    }

    private void measureAll() {
        try (DeviceBuffer source = pool.allocate(stream, sizes.bytes());
                DeviceBuffer target = pool.allocate(stream, sizes.bytes());
                DeviceBuffer result = pool.allocate(stream, 8)) {
            fill(source);
            moves(source, target, result);
            probes(source, result);
            atomics(target, result);
            launches(result);
            transfers(target);
            allocations();
        }
    }

    /// Random bytes; the first MiB again and again.
    private void fill(DeviceBuffer source) {
        long bytes = 1L << 20;
        try (Arena arena = Arena.ofConfined()) {
            stream.copyToDevice(arena.allocate(bytes).copyFrom(MemorySegment.ofArray(firstMebibyte())), source, 0);
            stream.synchronize();
        }
        for (; bytes < source.bytes(); bytes *= 2) {
            stream.copy(source, 0, source, bytes, bytes);
        }
    }

    private static byte[] firstMebibyte() {
        byte[] random = new byte[1 << 20];
        new Random(SEED).nextBytes(random);
        return random;
    }

    private int blocks(int perMultiprocessor) {
        return context.facts().multiprocessors() * perMultiprocessor;
    }

    private void moves(DeviceBuffer source, DeviceBuffer target, DeviceBuffer result) {
        read(source, result);
        KernelFunction copy = module.kernel("probe_copy");
        launchOnce(copy, 2, 0, source, target, (1L << 20) / 16, 0, result);
        require("probe_copy", Arrays.equals(content(target, 1 << 20), firstMebibyte()) ? 1 : 0, 1);
        time(
                "copy, read and written",
                "GB/s",
                copy,
                2,
                0,
                source,
                target,
                sizes.bytes() / 16,
                0,
                result,
                seconds -> 2 * sizes.bytes() / seconds / 1e9);
    }

    private void read(DeviceBuffer source, DeviceBuffer result) {
        KernelFunction read = module.kernel("probe_read");
        long few = (1L << 20) / 16;
        require("probe_read", launchOnce(read, 2, 0, source, null, few, 0, result), folded(2L * THREADS));
        long words = sizes.bytes() / 16;
        time("read", "GB/s", read, 2, 0, source, null, words, 0, result, seconds -> sizes.bytes() / seconds / 1e9);
    }

    private byte[] content(DeviceBuffer memory, int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(bytes, 8);
            stream.copyToHost(memory, 0, found);
            stream.synchronize();
            return found.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /// What probe_read answers for the first MiB.
    private static long folded(long threads) {
        MemorySegment words = MemorySegment.ofArray(firstMebibyte());
        long sum = 0;
        for (long thread = 0; thread < threads; thread++) {
            int folded = 0;
            for (long word = thread; word < words.byteSize() / 16; word += threads) {
                for (int part = 0; part < 4; part++) {
                    folded ^= words.get(ValueLayout.JAVA_INT_UNALIGNED, word * 16 + part * 4);
                }
            }
            sum += Integer.toUnsignedLong(folded);
        }
        return sum;
    }

    private void probes(DeviceBuffer source, DeviceBuffer result) {
        for (long bytes = 1L << 20; bytes <= sizes.bytes() && bytes <= 1L << 30; bytes *= 4) {
            table(source, result, bytes);
        }
        KernelFunction bitmap = module.kernel("probe_bitmap");
        int most = Integer.highestOneBit(context.facts().sharedBytesPerBlock());
        bitmap.allowSharedBytes(most);
        require("probe_bitmap", launchOnce(bitmap, 1, 1 << 15, source, null, 8, (1 << 18) - 1, result), probed(true));
        for (int bytes = 16 << 10; bytes <= most; bytes *= 2) {
            double ofOneBlock = (double) blocks(1) * THREADS * sizes.probes();
            time(
                    "random probes of a bit, shared, " + (bytes >> 10) + " KiB",
                    "G/s",
                    bitmap,
                    1,
                    bytes,
                    source,
                    null,
                    sizes.probes(),
                    bytes * 8L - 1,
                    result,
                    seconds -> ofOneBlock / seconds / 1e9);
        }
    }

    private void table(DeviceBuffer source, DeviceBuffer result, long bytes) {
        KernelFunction table = module.kernel("probe_table");
        require("probe_table", launchOnce(table, 1, 0, source, null, 8, (1 << 18) - 1, result), probed(false));
        double probes = (double) blocks(2) * THREADS * sizes.probes();
        time(
                "random probes of 4 bytes, table of " + (bytes >> 20) + " MiB",
                "G/s",
                table,
                2,
                0,
                source,
                null,
                sizes.probes(),
                bytes / 4 - 1,
                result,
                seconds -> probes / seconds / 1e9);
    }

    /// What eight probes of each thread of one block find among the first MiB's 2^18 entries, or bits.
    private static long probed(boolean isBit) {
        MemorySegment table = MemorySegment.ofArray(firstMebibyte());
        long sum = 0;
        for (int probe = 0; probe < THREADS * 8; probe++) {
            int place = mixed(SEED + probe) & (1 << 18) - 1;
            int entry = table.get(ValueLayout.JAVA_INT_UNALIGNED, (isBit ? place / 32 : place) * 4L);
            sum += isBit ? entry >>> place % 32 & 1 : Integer.toUnsignedLong(entry);
        }
        return sum;
    }

    private static int mixed(int value) {
        int mixed = (value ^ value >>> 16) * 0x85ebca6b;
        mixed = (mixed ^ mixed >>> 13) * 0xc2b2ae35;
        return mixed ^ mixed >>> 16;
    }

    private void atomics(DeviceBuffer target, DeviceBuffer result) {
        stream.fill(target, 0, target.bytes(), (byte) 0);
        KernelFunction global = module.kernel("probe_global_atomics");
        long counted = launchOnce(global, 1, 0, null, target, 8, COUNTED_CELLS - 1, result);
        require("probe_global_atomics", counted, THREADS * 8L);
        require("probe_global_atomics", Arrays.equals(content(target, COUNTED_CELLS * 8), counted()) ? 1 : 0, 1);
        double additions = (double) blocks(2) * THREADS * sizes.probes();
        for (long cells : new long[] {32, 4096, 1 << 18}) {
            time(
                    "additions of 64 bits in memory, " + cells + " cells",
                    "G/s",
                    global,
                    2,
                    0,
                    null,
                    target,
                    sizes.probes(),
                    cells - 1,
                    result,
                    seconds -> additions / seconds / 1e9);
        }
        KernelFunction shared = module.kernel("probe_shared_atomics");
        long sum = launchOnce(shared, 1, 4096, null, null, 8, 1023, result);
        require("probe_shared_atomics", sum, THREADS * 8L);
        for (int cells : new int[] {32, 1024, 8192}) {
            time(
                    "additions of 32 bits, shared, " + cells + " cells",
                    "G/s",
                    shared,
                    2,
                    cells * 4,
                    null,
                    null,
                    sizes.probes(),
                    cells - 1,
                    result,
                    seconds -> additions / seconds / 1e9);
        }
    }

    /// The cells after eight additions of each thread of one block.
    private static byte[] counted() {
        byte[] bytes = new byte[COUNTED_CELLS * 8];
        MemorySegment cells = MemorySegment.ofArray(bytes);
        for (int addition = 0; addition < THREADS * 8; addition++) {
            long at = (mixed(SEED + addition) & COUNTED_CELLS - 1) * 8L;
            cells.set(ValueLayout.JAVA_LONG_UNALIGNED, at, cells.get(ValueLayout.JAVA_LONG_UNALIGNED, at) + 1);
        }
        return bytes;
    }

    private void launches(DeviceBuffer result) {
        KernelFunction empty = module.kernel("probe_empty");
        set(null, null, 0, 0, result);
        int launches = 100;
        wall("a launch, one of " + launches + " in a row", launches, () -> {
            for (int launch = 0; launch < launches; launch++) {
                empty.launch(stream, blocks(1), THREADS, 0, parameters);
            }
            stream.synchronize();
        });
        waiting(result);
    }

    private void waiting(DeviceBuffer result) {
        KernelFunction empty = module.kernel("probe_empty");
        set(null, null, 0, 0, result);
        wall("a launch and waiting for it", 1, () -> {
            empty.launch(stream, blocks(1), THREADS, 0, parameters);
            stream.synchronize();
        });
    }

    private void pinnedToDevice(DeviceBuffer target) {
        int bytes = (int) Math.min(64L << 20, target.bytes());
        try (PinnedBuffer pinned = context.allocatePinned(bytes)) {
            record(
                    "to the device, pinned",
                    "GB/s",
                    run(() -> stream.copyToDevice(pinned.segment(), target, 0)),
                    seconds -> bytes / seconds / 1e9);
        }
    }

    private void transfers(DeviceBuffer target) {
        pinnedToDevice(target);
        int bytes = (int) Math.min(64L << 20, target.bytes());
        ToDoubleFunction<Double> rate = seconds -> bytes / seconds / 1e9;
        try (PinnedBuffer pinned = context.allocatePinned(bytes);
                Arena arena = Arena.ofConfined()) {
            MemorySegment pageable = arena.allocate(bytes);
            pageable.fill((byte) 1);
            record("to the device, pageable", "GB/s", run(() -> stream.copyToDevice(pageable, target, 0)), rate);
            record("from the device, pinned", "GB/s", run(() -> stream.copyToHost(target, 0, pinned.segment())), rate);
            record("from the device, pageable", "GB/s", run(() -> stream.copyToHost(target, 0, pageable)), rate);
        }
    }

    private void allocations() {
        long bytes = 64L << 20;
        wall("64 MiB of the pool, there and back", 1, () -> {
            pool.allocate(stream, bytes).close();
            stream.synchronize();
        });
        try (GrowableArena arena = context.reserve(stream, bytes * (sizes.runs() + 1))) {
            wall("64 MiB mapped behind others", 1, () -> arena.growTo(arena.bytes() + bytes));
        }
    }

    private void set(DeviceRange source, DeviceRange target, long count, long mask, DeviceRange result) {
        MemorySegment struct = parameters.struct();
        struct.set(ValueLayout.JAVA_LONG, 0, source == null ? 0 : source.address());
        struct.set(ValueLayout.JAVA_LONG, 8, target == null ? 0 : target.address());
        struct.set(ValueLayout.JAVA_LONG, 16, count);
        struct.set(ValueLayout.JAVA_LONG, 24, mask);
        struct.set(ValueLayout.JAVA_LONG, 32, SEED);
        struct.set(ValueLayout.JAVA_LONG, 40, result.address());
    }

    /// A kernel's answer for little work: of so many blocks.
    private long launchOnce(
            KernelFunction kernel,
            int blocks,
            int sharedBytes,
            DeviceRange source,
            DeviceRange target,
            long count,
            long mask,
            DeviceBuffer result) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(8, 8);
            stream.fill(result, 0, 8, (byte) 0);
            set(source, target, count, mask, result);
            kernel.launch(stream, blocks, THREADS, sharedBytes, parameters);
            stream.copyToHost(result, 0, answer);
            stream.synchronize();
            return answer.get(ValueLayout.JAVA_LONG, 0);
        }
    }

    private static void require(String kernel, long answer, long expected) {
        if (answer != expected) {
            throw new IllegalStateException(kernel + " answers " + answer + ", not " + expected);
        }
    }

    private void time(
            String name,
            String unit,
            KernelFunction kernel,
            int blocksPerMultiprocessor,
            int sharedBytes,
            DeviceRange source,
            DeviceRange target,
            long count,
            long mask,
            DeviceBuffer result,
            ToDoubleFunction<Double> rate) {
        set(source, target, count, mask, result);
        int blocks = blocks(blocksPerMultiprocessor);
        record(name, unit, run(() -> kernel.launch(stream, blocks, THREADS, sharedBytes, parameters)), rate);
    }

    /// Seconds of each run, by the device's clock; the first run does not count.
    private double[] run(Runnable work) {
        double[] seconds = new double[sizes.runs()];
        work.run();
        for (int run = 0; run < seconds.length; run++) {
            start.record(stream);
            work.run();
            end.record(stream);
            end.synchronize();
            seconds[run] = end.secondsSince(start);
        }
        return seconds;
    }

    /// Microseconds of this process' time; the first run does not count.
    private void wall(String name, int parts, Runnable work) {
        double[] seconds = new double[sizes.runs()];
        work.run();
        for (int run = 0; run < seconds.length; run++) {
            long from = System.nanoTime();
            work.run();
            seconds[run] = (System.nanoTime() - from) / 1e9;
        }
        record(name, "µs", seconds, elapsed -> elapsed / parts * 1e6);
    }

    private void record(String name, String unit, double[] seconds, ToDoubleFunction<Double> rate) {
        double[] rates =
                Arrays.stream(seconds).map(rate::applyAsDouble).sorted().toArray();
        found.add(new Ceiling(name, rates[rates.length / 2], rates[0], rates[rates.length - 1], unit));
    }

    @Override
    public void close() {
        parameters.close();
        end.close();
        start.close();
        stream.close();
        pool.close();
    }
}
