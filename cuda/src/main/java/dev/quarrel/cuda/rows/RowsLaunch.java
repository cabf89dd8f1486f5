package dev.quarrel.cuda.rows;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.device.SortBound;
import dev.quarrel.core.memory.PooledMemory;
import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.BusyTime;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.backend.LaunchClock;
import dev.quarrel.cuda.encode.EncodedRows;
import dev.quarrel.cuda.program.ChunkColumns;
import dev.quarrel.cuda.service.DeviceServices;
import dev.quarrel.cuda.vm.DeviceColumn;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// The rows of a part of a chunk on their way out of the device: marked, counted, and written window by window.
///
/// - Memory: it owns what the device needs for that, and waits for the device when it is closed.
public final class RowsLaunch implements AutoCloseable {
    private static final int MAX_THREADS = 1024;
    private static final int MAX_PAIRS = 16;
    /// Rows of a window at least.
    private static final long MIN_WINDOW_ROWS = 64;

    private final DeviceServices device;
    private final CommandQueue queue;
    private final RowsProgram program;
    private final EncodedRows encoded;
    private final List<DeviceColumn> columns; // null for those that the device writes
    private final RowsPart part;
    private final SortBound bound;
    private final LaunchClock clock;
    private final BusyTime kernelTime;
    private final int tiles;
    private final long windowRows;
    private final PooledMemory hostMemory = new PooledMemory();
    private final List<DeviceMemory> memory = new ArrayList<>();
    private DeviceMemory status;
    private DeviceMemory cells;
    private DeviceMemory marks;
    private MemorySegment hostMarks; // where several windows leave
    private long rowCount;
    private int launches;

    /// What the device has written of one column.
    ///
    /// @param values as `Physical` has them; bits for a truth
    /// @param valid a bit a row, or null
    public record Leaving(MemorySegment values, MemorySegment valid) {}

    /// Which rows of a part come through, once they are marked, and where each tile's go.
    ///
    /// - Memory: whoever holds it closes it.
    public record Marks(DeviceMemory cells, DeviceMemory bits, long rowCount) implements AutoCloseable {
        @Override
        public void close() {
            cells.close();
            bits.close();
        }
    }

    /// @param columns stay the caller's
    /// @param bound of the first key, or null
    /// @param kernelTime gets what its launches take
    public RowsLaunch(
            DeviceServices device,
            CommandQueue queue,
            RowsProgram program,
            ChunkColumns columns,
            RowsPart part,
            SortBound bound,
            BusyTime kernelTime) {
        this.device = device;
        this.queue = queue;
        this.program = program;
        this.encoded = program.encoded();
        this.columns = columns.from(part.start());
        this.part = part;
        this.bound = bound;
        this.clock = new LaunchClock(queue, program.origin());
        this.kernelTime = kernelTime;
        this.tiles = (part.rowCount() + ParameterBlock.PADDED_ROWS - 1) / ParameterBlock.PADDED_ROWS;
        long rowBytes = 1;
        for (EncodedRows.Written column : encoded.written()) {
            rowBytes += column.physical().width() + (column.isNullable() ? 1 : 0);
        }
        this.windowRows = Math.clamp(device.tuning().windowBytes() / rowBytes, MIN_WINDOW_ROWS, Integer.MAX_VALUE / 2);
    }

    /// Marks the rows that come through.
    ///
    /// @return false where a row failed, or is not as the device can have it: then the CPU must look at them all
    public boolean mark() {
        status = allocate(ParameterBlock.STATUS_BYTES);
        cells = allocate((tiles + 1L) * Long.BYTES);
        marks = allocate((long) tiles * ParameterBlock.PADDED_ROWS / 8);
        // Tiles that no row comes through are not written.
        for (DeviceMemory zeros : memory) {
            queue.fill(zeros, 0, zeros.byteSize(), (byte) 0);
        }
        List<DeviceColumn> places = places(program.mark());
        places.set(encoded.marks(), new DeviceColumn(Physical.BITS, marks.address(), 0));
        run(program.mark(), places, markConstants());
        int threads = Math.min(MAX_THREADS, device.limits().threadsPerBlock());
        MemorySegment parameters = hostMemory.allocate(ParameterBlock.BYTES);
        ParameterBlock.write(parameters, part.rowCount(), cells.address(), tiles, 0, List.of());
        launches++;
        queue.launch(Kernel.SCAN_CELLS, 1, threads, threads / 32 * Long.BYTES, parameters);
        clock.end();
        MemorySegment report = hostMemory.allocate(ParameterBlock.STATUS_BYTES);
        MemorySegment count = hostMemory.allocate(Long.BYTES);
        queue.download(status, 0, report);
        queue.download(cells, (long) tiles * Long.BYTES, count);
        queue.synchronize();
        clock.addTo(kernelTime);
        rowCount = count.get(ValueLayout.JAVA_LONG, 0);
        if (report.get(ValueLayout.JAVA_INT, ParameterBlock.ERROR) != 0) {
            return false;
        }
        return true;
    }

    /// Sees to it that `sourceRow` has an answer where rows leave by several windows.
    void fetchMarks() {
        if (rowCount > windowRows) {
            hostMarks = hostMemory.allocate(marks.byteSize());
            queue.download(marks, 0, hostMarks);
            queue.synchronize();
        }
    }

    /// What `mark` found, for another launch over the same rows.
    ///
    /// - Memory: the caller's from here on.
    public Marks takeMarks() {
        memory.remove(cells);
        memory.remove(marks);
        return new Marks(cells, marks, rowCount);
    }

    /// Takes what another launch over the same rows has marked, in place of `mark`.
    ///
    /// @param marked stays the caller's
    public void resume(Marks marked) {
        status = allocate(ParameterBlock.STATUS_BYTES);
        queue.fill(status, 0, status.byteSize(), (byte) 0);
        cells = marked.cells();
        marks = marked.bits();
        rowCount = marked.rowCount();
    }

    /// Writes all rows that come through, and waits for that.
    ///
    /// @param to where each written column goes
    /// @return false where a row failed
    public boolean write(List<DeviceColumn> to) {
        List<DeviceColumn> places = places(program.write());
        places.set(encoded.marks(), new DeviceColumn(Physical.BITS, marks.address(), 0));
        for (int index = 0; index < to.size(); index++) {
            places.set(encoded.written().get(index).column(), to.get(index));
        }
        List<Long> constants = new ArrayList<>(program.write().program().constants());
        constants.set(encoded.window().begin(), 0L);
        constants.set(encoded.window().size(), rowCount);
        run(program.write(), places, constants);
        clock.end();
        MemorySegment report = hostMemory.allocate(ParameterBlock.STATUS_BYTES);
        queue.download(status, 0, report);
        queue.synchronize();
        clock.addTo(kernelTime);
        return report.get(ValueLayout.JAVA_INT, ParameterBlock.ERROR) == 0;
    }

    /// Kernels started so far.
    public int launches() {
        return launches;
    }

    /// Rows that were marked.
    long rowCount() {
        return rowCount;
    }

    /// Rows that leave at a time.
    long windowRows() {
        return windowRows;
    }

    /// The chunk's row that comes through after `before` others.
    ///
    /// @param fault why it is asked for: the device's content may be lost
    int sourceRow(long before, DeviceFault fault) {
        if (before == 0) {
            return part.start();
        }
        if (hostMarks == null) {
            throw fault;
        }
        long left = before;
        for (int word = 0; ; word++) {
            long bits = hostMarks.getAtIndex(ValueLayout.JAVA_LONG, word);
            int here = Long.bitCount(bits);
            if (left >= here) {
                left -= here;
                continue;
            }
            for (; left > 0; left--) {
                bits &= bits - 1;
            }
            return part.start() + word * Long.SIZE + Long.numberOfTrailingZeros(bits);
        }
    }

    /// Writes the rows that come through as number `begin` to `end` - 1, and copies them to the host.
    ///
    /// @param to where they are copied to, by the allocator's rules
    List<Leaving> write(long begin, long end, Allocator to) {
        int rows = (int) (end - begin);
        List<DeviceMemory> ofWindow = new ArrayList<>();
        try {
            List<DeviceColumn> places = places(program.write());
            places.set(encoded.marks(), new DeviceColumn(Physical.BITS, marks.address(), 0));
            long padded = (long) (rows + ParameterBlock.PADDED_ROWS - 1)
                    / ParameterBlock.PADDED_ROWS
                    * ParameterBlock.PADDED_ROWS;
            List<DeviceMemory> values = new ArrayList<>();
            List<DeviceMemory> valid = new ArrayList<>();
            for (EncodedRows.Written column : encoded.written()) {
                values.add(allocate(column.physical().bytes(padded), ofWindow));
                valid.add(column.isNullable() ? allocate(padded, ofWindow) : null);
                places.set(
                        column.column(),
                        new DeviceColumn(
                                column.physical(),
                                values.getLast().address(),
                                column.isNullable() ? valid.getLast().address() : 0));
            }
            List<Long> constants = new ArrayList<>(program.write().program().constants());
            constants.set(encoded.window().begin(), begin);
            constants.set(encoded.window().size(), (long) rows);
            run(program.write(), places, constants);
            List<DeviceMemory> bytes = new ArrayList<>();
            for (int index = 0; index < values.size(); index++) {
                if (encoded.written().get(index).isTruth()) {
                    bytes.add(values.get(index));
                }
                if (valid.get(index) != null) {
                    bytes.add(valid.get(index));
                }
            }
            List<DeviceMemory> bits = pack(bytes, rows, padded, ofWindow);
            clock.end();
            List<Leaving> made = new ArrayList<>();
            for (int index = 0; index < values.size(); index++) {
                boolean isTruth = encoded.written().get(index).isTruth();
                made.add(new Leaving(
                        isTruth
                                ? download(bits.get(bytes.indexOf(values.get(index))), Physical.BITS, rows, to)
                                : download(
                                        values.get(index),
                                        encoded.written().get(index).physical(),
                                        rows,
                                        to),
                        valid.get(index) == null
                                ? null
                                : download(bits.get(bytes.indexOf(valid.get(index))), Physical.BITS, rows, to)));
            }
            queue.synchronize();
            clock.addTo(kernelTime);
            return made;
        } catch (RuntimeException | Error problem) {
            queue.settle();
            throw problem;
        } finally {
            ofWindow.forEach(DeviceMemory::close);
        }
    }

    private MemorySegment download(DeviceMemory from, Physical physical, int rows, Allocator allocator) {
        MemorySegment to = allocator.allocate(physical.bytes(rows));
        queue.download(from, 0, to);
        return to;
    }

    /// Bits of bytes, some columns a launch.
    private List<DeviceMemory> pack(List<DeviceMemory> bytes, int rows, long padded, List<DeviceMemory> ofWindow) {
        List<DeviceMemory> bits = new ArrayList<>();
        for (int first = 0; first < bytes.size(); first += MAX_PAIRS) {
            List<DeviceColumn> pairs = new ArrayList<>();
            for (DeviceMemory from : bytes.subList(first, Math.min(bytes.size(), first + MAX_PAIRS))) {
                bits.add(allocate(padded / 8, ofWindow));
                pairs.add(new DeviceColumn(Physical.U8, from.address(), 0));
                pairs.add(new DeviceColumn(Physical.BITS, bits.getLast().address(), 0));
            }
            MemorySegment parameters = hostMemory.allocate(ParameterBlock.BYTES);
            ParameterBlock.write(parameters, rows, 0, 0, pairs.size() / 2, pairs);
            Backend.Limits limits = device.limits();
            int threads = Math.min(MAX_THREADS, limits.threadsPerBlock());
            long words = (rows + 31L) / 32;
            int blocks = (int) Math.clamp((words + threads - 1) / threads, 1, limits.multiprocessors());
            launches++;
            queue.launch(Kernel.PACK_BITS, blocks, threads, 0, parameters);
        }
        return bits;
    }

    /// The columns that a pass reads; those that the device writes are yet to be set.
    private List<DeviceColumn> places(RowsProgram.Pass pass) {
        return new ArrayList<>(columns.subList(0, pass.encoded().inputs().size()));
    }

    private void run(RowsProgram.Pass pass, List<DeviceColumn> places, List<Long> constants) {
        MemorySegment parameters = hostMemory.allocate(ParameterBlock.BYTES);
        pass.block()
                .write(
                        parameters,
                        part.rowCount(),
                        pass.code() == null ? 0 : pass.code().address(),
                        cells.address(),
                        tiles,
                        status.address(),
                        places,
                        program.tables()
                                .tables()
                                .subList(0, pass.encoded().tables().size()),
                        constants);
        launches++;
        clock.begin();
        queue.launch(
                pass.kernel(),
                pass.block().blocks(part.rowCount(), device.limits().multiprocessors()),
                pass.block().threads(),
                pass.block().sharedBytes(),
                parameters);
    }

    private List<Long> markConstants() {
        List<Long> constants = new ArrayList<>(program.mark().program().constants());
        EncodedRows.First first = encoded.first();
        Long value = bound == null ? null : EncodedRows.ordered(bound.value());
        if (value == null) {
            return constants;
        }
        long absent = value;
        if (first.key().descending()) {
            constants.set(first.low(), value);
            absent -= !first.key().nullsFirst() && value > first.least() ? 1 : 0;
        } else {
            constants.set(first.high(), value);
            absent += !first.key().nullsFirst() && value < first.greatest() ? 1 : 0;
        }
        constants.set(first.absent(), absent);
        return constants;
    }

    private DeviceMemory allocate(long bytes) {
        return allocate(bytes, memory);
    }

    private DeviceMemory allocate(long bytes, List<DeviceMemory> owner) {
        DeviceMemory made = device.columns().allocate(bytes);
        owner.add(made);
        return made;
    }

    @Override
    public void close() {
        queue.settle();
        clock.close();
        memory.forEach(DeviceMemory::close);
        hostMemory.close();
    }
}
