package dev.quarrel.cuda.sort;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.BusyTime;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.DeviceStamp;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.backend.LaunchClock;
import dev.quarrel.cuda.encode.EncodedRows;
import dev.quarrel.cuda.encode.SortForm;
import dev.quarrel.cuda.rows.RowsLaunch;
import dev.quarrel.cuda.service.DeviceServices;
import dev.quarrel.cuda.vm.DeviceColumn;
import dev.quarrel.cuda.vm.Physical;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// All rows of a sort in the device's memory, and their order.
///
/// Kernels write the rows at their places in the source's order; `sort` finds the order, by radix; `gather` gives rows
/// out in it. Each key takes as many bits as its values need ([SortBlock.Key]), all of them stand one behind the
/// other in words of 64 bits, or in one of 32, and a pass moves pairs of a word and a row by 8 bits: least first.
///
/// - Memory: it owns the columns and the order, and frees what sorting needs beside them as soon as that is done.
final class DeviceSort implements AutoCloseable {
    /// As many as the order's numbers reach.
    static final long MAX_ROWS = Integer.MAX_VALUE - 64;

    private static final int MAX_THREADS = 512; // of the kernels' launch bounds
    private static final int BLOCKS = 2; // a multiprocessor
    private static final int ITEMS = 8;
    private static final int DIGIT_BITS = 8;
    private static final int DIGITS = 1 << DIGIT_BITS;
    private static final int RANGES = 5; // words of what is known of a key
    private static final int NARROW_BITS = 32;
    /// Two words and two numbers of each row.
    private static final int ORDER_BYTES = 24;

    private final DeviceServices device;
    private final EncodedRows encoded;
    private final SortForm form;
    private final int rowCount;
    private final List<DeviceMemory> values = new ArrayList<>();
    private final List<DeviceMemory> valid = new ArrayList<>(); // null where all are
    private final List<DeviceMemory> scratch = new ArrayList<>();
    private DeviceMemory order;
    private int passes;
    private int launches;
    private long nanos;

    /// - Errors: [DeviceFault]
    ///
    /// @param rowCount above 0
    DeviceSort(DeviceServices device, EncodedRows encoded, SortForm form, int rowCount) {
        this.device = device;
        this.encoded = encoded;
        this.form = form;
        this.rowCount = rowCount;
        try {
            for (EncodedRows.Written column : encoded.written()) {
                values.add(device.columns().allocate(column.physical().bytes(rowCount)));
                valid.add(column.isNullable() ? device.columns().allocate(rowCount) : null);
            }
        } catch (RuntimeException | Error problem) {
            close();
            throw problem;
        }
    }

    /// Bytes that so many rows take at most.
    static long bytes(EncodedRows encoded, long rowCount) {
        long bytes = ORDER_BYTES;
        for (EncodedRows.Written column : encoded.written()) {
            bytes += column.physical().width() + (column.isNullable() ? 1 : 0);
        }
        return bytes * rowCount;
    }

    /// Where a written column's rows go, from number `row` on.
    DeviceColumn place(int written, int row) {
        Physical physical = encoded.written().get(written).physical();
        DeviceMemory present = valid.get(written);
        return new DeviceColumn(
                physical,
                values.get(written).address() + physical.bytes(row),
                present == null ? 0 : present.address() + row);
    }

    /// The values of a written column, as they were written.
    MemorySegment values(CommandQueue queue, int written, int begin, int rows, Allocator to) {
        Physical physical = encoded.written().get(written).physical();
        MemorySegment made = to.allocate(physical.bytes(rows));
        queue.download(values.get(written), physical.bytes(begin), made);
        queue.synchronize();
        return made;
    }

    int rowCount() {
        return rowCount;
    }

    /// Passes over all rows that `sort` took.
    int passes() {
        return passes;
    }

    /// Kernels that `sort` started.
    int launches() {
        return launches;
    }

    /// How long these ran, by the device's clock; 0 where that is not known.
    long nanos() {
        return nanos;
    }

    // ---- the order

    /// Finds the order, and waits for it.
    ///
    /// - Errors: [DeviceFault]; the cancellation's.
    void sort(CommandQueue queue, Cancellation cancellation) {
        BusyTime time = new BusyTime();
        try (DeviceStamp origin = stamp(queue);
                LaunchClock clock = new LaunchClock(queue, origin)) {
            sort(queue, clock, cancellation);
            clock.addTo(time);
        }
        nanos = time.takeNanos();
    }

    private static DeviceStamp stamp(CommandQueue queue) {
        try {
            return queue.stamp();
        } catch (DeviceFault _) {
            return null; // nothing is timed then; whether the device is lost the next call tells
        }
    }

    private void sort(CommandQueue queue, LaunchClock clock, Cancellation cancellation) {
        Arena arena = Arena.ofConfined();
        try {
            List<SortBlock.Key> keys = new ArrayList<>();
            for (SortForm.Key key : form.keys()) {
                DeviceMemory ranks = key.ranking() == null
                        ? null
                        : upload(queue, arena, key.ranking().ranks());
                DeviceColumn column = place(key.written(), 0);
                keys.add(new SortBlock.Key(
                        column.data(),
                        column.valid(),
                        ranks == null ? 0 : ranks.address(),
                        0,
                        key.kind().ordinal(),
                        key.order().descending(),
                        0,
                        0,
                        0,
                        0));
            }
            cancellation.check();
            long[] ranges = ranges(queue, clock, arena, keys);
            int bits = settle(keys, ranges);
            clock.begin();
            order(queue, arena, keys, bits, cancellation);
            clock.end();
            queue.synchronize();
        } catch (RuntimeException | Error problem) {
            queue.settle();
            throw problem;
        } finally {
            arena.close();
            scratch.forEach(DeviceMemory::close);
            scratch.clear();
        }
    }

    private DeviceMemory upload(CommandQueue queue, Arena arena, int[] ranks) {
        DeviceMemory memory = scratch(Math.max(1, ranks.length) * 4L);
        if (ranks.length > 0) {
            queue.upload(arena.allocateFrom(ValueLayout.JAVA_INT, ranks), memory, 0);
        }
        return memory;
    }

    private long[] ranges(CommandQueue queue, LaunchClock clock, Arena arena, List<SortBlock.Key> keys) {
        if (keys.isEmpty()) {
            return new long[0];
        }
        MemorySegment ranges = arena.allocate((long) keys.size() * RANGES * Long.BYTES, 8);
        DeviceMemory memory = scratch(ranges.byteSize());
        queue.fill(memory, 0, ranges.byteSize(), (byte) 0);
        clock.begin();
        launch(queue, Kernel.SORT_RANGES, SortBlock.words(arena, rowCount, 0, 0, memory.address(), keys));
        clock.end();
        queue.download(memory, 0, ranges);
        queue.synchronize();
        return ranges.toArray(ValueLayout.JAVA_LONG);
    }

    /// Gives each key its place: the last one stands lowest.
    ///
    /// @return bits of all
    private int settle(List<SortBlock.Key> keys, long[] ranges) {
        int low = 0;
        for (int index = keys.size() - 1; index >= 0; index--) {
            SortBlock.Key key = keys.get(index);
            long most = ranges[index * RANGES];
            long least = ~ranges[index * RANGES + 1];
            long differing = ranges[index * RANGES + 2] & ranges[index * RANGES + 3];
            boolean hasNull = ranges[index * RANGES + 4] != 0;
            int drop = differing == 0 ? 0 : Long.numberOfTrailingZeros(differing);
            int bits = differing == 0 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(most - least >>> drop);
            int nulls = hasNull ? form.keys().get(index).order().nullsFirst() ? 1 : 2 : 0;
            keys.set(
                    index,
                    new SortBlock.Key(
                            key.data(),
                            key.valid(),
                            key.ranks(),
                            key.isDescending() ? most : least,
                            key.kind(),
                            key.isDescending(),
                            nulls,
                            drop,
                            low,
                            low + bits));
            low += bits + (hasNull ? 1 : 0);
        }
        return low;
    }

    private void order(CommandQueue queue, Arena arena, List<SortBlock.Key> keys, int bits, Cancellation cancellation) {
        boolean isNarrow = bits <= NARROW_BITS;
        long wordBytes = isNarrow ? Integer.BYTES : Long.BYTES;
        int threads = threads(wordBytes);
        int blocks = blocks(threads * ITEMS);
        DeviceMemory[] words = {scratch(rowCount * wordBytes), bits <= DIGIT_BITS ? null : scratch(rowCount * wordBytes)
        };
        DeviceMemory[] numbers = {scratch(rowCount * 4L), scratch(rowCount * 4L)};
        DeviceMemory counts = scratch((long) blocks * DIGITS * 4);
        DeviceMemory rows = null;
        for (int word = 0; word == 0 || word * Long.SIZE < bits; word++) {
            int number = word;
            List<SortBlock.Key> inWord =
                    keys.stream().map(key -> key.inWord(number)).toList();
            launch(
                    queue,
                    isNarrow ? Kernel.SORT_WORDS_32 : Kernel.SORT_WORDS_64,
                    SortBlock.words(arena, rowCount, address(rows), words[0].address(), 0, inWord));
            int bitsHere = Math.min(Long.SIZE, bits - word * Long.SIZE);
            int from = 0;
            for (int shift = 0; shift == 0 || shift < bitsHere; shift += DIGIT_BITS) {
                cancellation.check();
                boolean isLast = shift + DIGIT_BITS >= bitsHere;
                DeviceMemory to = rows == numbers[0] ? numbers[1] : numbers[0];
                MemorySegment pass = SortBlock.pass(
                        arena,
                        rowCount,
                        words[from].address(),
                        address(rows),
                        isLast ? 0 : words[1 - from].address(),
                        to.address(),
                        counts.address(),
                        shift);
                launches += 2;
                queue.launch(
                        isNarrow ? Kernel.SORT_COUNT_32 : Kernel.SORT_COUNT_64,
                        blocks,
                        threads,
                        threads / 32 * DIGITS * 4,
                        pass);
                queue.launch(
                        isNarrow ? Kernel.SORT_SCATTER_32 : Kernel.SORT_SCATTER_64,
                        blocks,
                        threads,
                        sharedBytes(threads, wordBytes),
                        pass);
                passes++;
                from = 1 - from;
                rows = to;
            }
        }
        order = rows;
        scratch.remove(rows);
    }

    private static long address(DeviceMemory memory) {
        return memory == null ? 0 : memory.address();
    }

    private DeviceMemory scratch(long bytes) {
        DeviceMemory made = device.columns().allocate(bytes);
        scratch.add(made);
        return made;
    }

    /// As many as shared memory has room for.
    private int threads(long wordBytes) {
        Backend.Limits limits = device.limits();
        int threads = Integer.highestOneBit(Math.min(MAX_THREADS, limits.threadsPerBlock()));
        while (threads > 32 && sharedBytes(threads, wordBytes) > limits.sharedBytes()) {
            threads /= 2;
        }
        return threads;
    }

    /// Of the kernel that moves rows.
    private static int sharedBytes(int threads, long wordBytes) {
        return (int) (threads * ITEMS * (wordBytes + Integer.BYTES) + (threads / 32 + 3) * DIGITS * 4L);
    }

    private int blocks(int rowsABlock) {
        long most = (long) BLOCKS * device.limits().multiprocessors();
        return (int) Math.clamp(((long) rowCount + rowsABlock - 1) / rowsABlock, 1, most);
    }

    private void launch(CommandQueue queue, Kernel kernel, MemorySegment parameters) {
        launches++;
        int threads = Math.min(MAX_THREADS, device.limits().threadsPerBlock());
        queue.launch(kernel, blocks(threads), threads, 0, parameters);
    }

    // ---- rows in order

    /// Rows of the order, from number `begin` on, copied to the host.
    ///
    /// @param to where they are copied to, by the allocator's rules
    List<RowsLaunch.Leaving> gather(CommandQueue queue, int begin, int rows, Allocator to) {
        List<DeviceMemory> made = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            long bitBytes = (rows + 31L) / 32 * 4;
            List<SortBlock.Column> columns = new ArrayList<>();
            List<DeviceMemory> valuesTo = new ArrayList<>();
            List<DeviceMemory> validTo = new ArrayList<>();
            for (int index = 0; index < values.size(); index++) {
                EncodedRows.Written column = encoded.written().get(index);
                int width = column.isTruth() ? 0 : column.physical().width();
                valuesTo.add(allocate(width == 0 ? bitBytes : (long) rows * width, made));
                validTo.add(column.isNullable() ? allocate(bitBytes, made) : null);
                columns.add(new SortBlock.Column(
                        values.get(index).address(),
                        address(valid.get(index)),
                        valuesTo.getLast().address(),
                        address(validTo.getLast()),
                        width));
            }
            int threads = Math.min(MAX_THREADS, device.limits().threadsPerBlock());
            int blocks = (int) Math.min(blocks(threads), (rows + (long) threads - 1) / threads);
            queue.launch(
                    Kernel.SORT_GATHER,
                    blocks,
                    threads,
                    0,
                    SortBlock.gather(arena, rows, order.address() + begin * 4L, columns));
            List<RowsLaunch.Leaving> leaving = new ArrayList<>();
            for (int index = 0; index < values.size(); index++) {
                EncodedRows.Written column = encoded.written().get(index);
                leaving.add(new RowsLaunch.Leaving(
                        download(
                                queue,
                                valuesTo.get(index),
                                column.isTruth() ? Physical.BITS : column.physical(),
                                rows,
                                to),
                        validTo.get(index) == null
                                ? null
                                : download(queue, validTo.get(index), Physical.BITS, rows, to)));
            }
            queue.synchronize();
            return leaving;
        } catch (RuntimeException | Error problem) {
            queue.settle();
            throw problem;
        } finally {
            made.forEach(DeviceMemory::close);
        }
    }

    /// The numbers of the rows of the order, from number `begin` on, in the source's.
    int[] numbers(CommandQueue queue, int begin, int rows) {
        Arena arena = Arena.ofConfined();
        try {
            MemorySegment made = arena.allocate(rows * 4L, 8);
            queue.download(order, begin * 4L, made);
            queue.synchronize();
            return made.toArray(ValueLayout.JAVA_INT);
        } catch (RuntimeException | Error problem) {
            queue.settle();
            throw problem;
        } finally {
            arena.close();
        }
    }

    private DeviceMemory allocate(long bytes, List<DeviceMemory> owner) {
        DeviceMemory made = device.columns().allocate(bytes);
        owner.add(made);
        return made;
    }

    private static MemorySegment download(
            CommandQueue queue, DeviceMemory from, Physical physical, int rows, Allocator allocator) {
        MemorySegment to = allocator.allocate(physical.bytes(rows));
        queue.download(from, 0, to);
        return to;
    }

    /// No command that uses it may be under way.
    @Override
    public void close() {
        values.forEach(DeviceMemory::close);
        valid.stream().filter(present -> present != null).forEach(DeviceMemory::close);
        values.clear();
        valid.clear();
        if (order != null) {
            order.close();
            order = null;
        }
    }
}
