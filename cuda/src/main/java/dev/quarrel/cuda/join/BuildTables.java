package dev.quarrel.cuda.join;

import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.Table;
import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.BusyTime;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.DeviceResource;
import dev.quarrel.cuda.backend.DeviceStamp;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.backend.LaunchClock;
import dev.quarrel.cuda.column.Chunk;
import dev.quarrel.cuda.column.ColumnCache;
import dev.quarrel.cuda.column.ResidentColumns.Resident;
import dev.quarrel.cuda.encode.BuildEncoder;
import dev.quarrel.cuda.encode.BuildEncoder.Places;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.facts.BuildSurvey;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.facts.SideTables;
import dev.quarrel.cuda.program.ChunkColumns;
import dev.quarrel.cuda.program.PipelineTables;
import dev.quarrel.cuda.program.ProgramCode;
import dev.quarrel.cuda.service.Admission;
import dev.quarrel.cuda.service.DeviceServices;
import dev.quarrel.cuda.service.KnownBuilds;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.DeviceColumn;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmProgram;
import dev.quarrel.cuda.vm.VmVerifier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Makes a build side's tables on the device: a scan of its table each, whose rows go to the places of their keys. What
/// is made stays for later queries, as columns do, and is found again by what it was made of.
final class BuildTables implements SideTables, AutoCloseable {
    private static final int MAX_THREADS = 1024;

    private final DeviceServices device;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final Table table;
    private final PipelineFacts facts;
    private final KnownBuilds.Known known;
    private final List<Integer> grouped;
    private final BusyTime kernelTime = new BusyTime();
    private final BusyTime moveTime = new BusyTime();

    /// @param pipeline scans a table
    BuildTables(DeviceServices device, Pipeline pipeline, PipelineContext context, List<Integer> grouped) {
        Source.TableScan scan = (Source.TableScan) pipeline.source();
        this.device = device;
        this.pipeline = pipeline;
        this.context = context;
        this.grouped = grouped;
        this.table = context.catalog().scanned(scan.schemaName(), scan.tableName());
        this.facts = new PipelineFacts(pipeline, scan, table, context);
        this.known = device.builds().find(device.columns().number(table), pipeline, grouped, context.slotValues());
    }

    Table table() {
        return table;
    }

    /// What is known of its rows, or null.
    BuildSurvey known() {
        return known.survey();
    }

    /// Scans the rows for what is to be known of them.
    ///
    /// - Errors: [NoKernel], [DeviceFault]
    BuildSurvey survey() {
        try (var _ = surveyed(null)) {
            long rows = table.stats().rowCount();
            context.counters().rowsIn.add(rows);
            context.counters().rowsOnDevice.add(rows);
            return known.survey();
        }
    }

    @Override
    public ColumnCache<Resident>.Pin keys(CommandQueue queue) {
        ColumnCache<Resident>.Pin kept = device.columns().findTable(known.number(), "keys");
        return kept != null ? kept : surveyed(queue);
    }

    @Override
    public ColumnCache<Resident>.Pin digits(
            CommandQueue queue, Map<Integer, int[]> numberings, Map<Integer, Long> strides, String name) {
        ColumnCache<Resident>.Pin kept = device.columns().findTable(known.number(), name);
        if (kept != null) {
            return kept;
        }
        Map<Integer, int[]> digits = new TreeMap<>();
        numberings.forEach((column, numbers) -> {
            int[] added = new int[numbers.length];
            for (int place = 0; place < added.length; place++) {
                added[place] = (int) (numbers[place] * strides.get(column));
            }
            digits.put(column, added);
        });
        BuildEncoder.Encoded encoded = BuildEncoder.digits(pipeline, facts, digits);
        long bytes = 4L * (encoded.places().getFirst().values() + 1L);
        DeviceMemory made = device.columns().allocate(bytes);
        try {
            queue.fill(made, 0, bytes, (byte) -1);
            DeviceColumn column = new DeviceColumn(Physical.I32, made.address(), 0);
            run(encoded, List.of(column), queue);
            return device.columns()
                    .keepTable(
                            known.number(),
                            name,
                            new Resident(ColumnForm.of(Physical.I32), column, made, null, List.of()));
        } catch (RuntimeException | Error problem) {
            queue.settle();
            made.close();
            throw problem;
        }
    }

    /// Learns of the rows.
    ///
    /// @param given or null
    /// @return the keys that there are, a bit each
    private ColumnCache<Resident>.Pin surveyed(CommandQueue given) {
        BuildEncoder.Encoded encoded = BuildEncoder.survey(pipeline, facts, grouped);
        long bytes = 0;
        for (Places places : encoded.places()) {
            bytes += padded(places);
        }
        Admission.Ticket ticket = device.admit(bytes + padded(encoded.places().getFirst()) / 8);
        CommandQueue queue = null;
        try (Arena arena = Arena.ofConfined()) {
            queue = given != null ? given : device.queues().borrow();
            return surveyed(encoded, queue, arena);
        } finally {
            ticket.close();
            if (queue != null && queue != given) {
                device.queues().release(queue);
            }
        }
    }

    /// @param arena stays until the queue is done
    private ColumnCache<Resident>.Pin surveyed(BuildEncoder.Encoded encoded, CommandQueue queue, Arena arena) {
        List<DeviceMemory> seen = new ArrayList<>();
        DeviceMemory bits = null;
        try {
            List<DeviceColumn> written = new ArrayList<>();
            for (Places places : encoded.places()) {
                seen.add(zeros(padded(places), queue));
                written.add(new DeviceColumn(Physical.U8, seen.getLast().address(), 0));
            }
            long rows = run(encoded, written, queue);
            long keyPlaces = padded(encoded.places().getFirst());
            bits = device.columns().allocate(keyPlaces / 8);
            DeviceColumn keys = new DeviceColumn(Physical.BITS, bits.address(), 0);
            pack(written.getFirst(), keys, keyPlaces, queue, arena);
            MemorySegment keyBits = arena.allocate(keyPlaces / 8, 8);
            queue.download(bits, 0, keyBits);
            List<MemorySegment> values = new ArrayList<>();
            for (int column = 1; column < seen.size(); column++) {
                values.add(arena.allocate(encoded.places().get(column).values() + 1L, 8));
                queue.download(seen.get(column), 0, values.getLast());
            }
            queue.synchronize();
            known.learn(survey(encoded.places(), rows, keyBits, values));
            return device.columns()
                    .keepTable(
                            known.number(),
                            "keys",
                            new Resident(ColumnForm.of(Physical.BITS), keys, bits, null, List.of()));
        } catch (RuntimeException | Error problem) {
            queue.settle();
            DeviceResource.closeAll(bits);
            throw problem;
        } finally {
            seen.forEach(DeviceMemory::close);
        }
    }

    private BuildSurvey survey(List<Places> places, long rows, MemorySegment keyBits, List<MemorySegment> values) {
        Places keys = places.getFirst();
        long distinct = 0;
        long first = -1;
        long last = -2;
        for (long word = 0; word < keyBits.byteSize() / Long.BYTES; word++) {
            long bits = keyBits.getAtIndex(ValueLayout.JAVA_LONG, word);
            if (bits != 0) {
                distinct += Long.bitCount(bits);
                first = first < 0 ? word * Long.SIZE + Long.numberOfTrailingZeros(bits) : first;
                last = word * Long.SIZE + Long.SIZE - 1 - Long.numberOfLeadingZeros(bits);
            }
        }
        Map<Integer, BuildSurvey.Values> columns = new HashMap<>();
        for (int index = 0; index < values.size(); index++) {
            BitSet seen = new BitSet();
            for (int place = 0; place < values.get(index).byteSize(); place++) {
                seen.set(place, values.get(index).get(ValueLayout.JAVA_BYTE, place) != 0);
            }
            columns.put(grouped.get(index), new BuildSurvey.Values(places.get(index + 1), seen));
        }
        return new BuildSurvey(
                Math.toIntExact(rows), keys, distinct == rows, keys.least() + first, keys.least() + last, columns);
    }

    /// Bytes that places take, NULL's and whole words of bits included.
    private static long padded(Places places) {
        return (places.values() + (long) ParameterBlock.PADDED_ROWS)
                / ParameterBlock.PADDED_ROWS
                * ParameterBlock.PADDED_ROWS;
    }

    private void pack(DeviceColumn bytes, DeviceColumn bits, long places, CommandQueue queue, Arena arena) {
        MemorySegment parameters = arena.allocate(ParameterBlock.BYTES, 16);
        ParameterBlock.write(parameters, places, 0, 0, 1, List.of(bytes, bits));
        Backend.Limits limits = device.limits();
        int threads = Math.min(MAX_THREADS, limits.threadsPerBlock());
        int blocks = (int) Math.clamp((places / 32 + threads - 1) / threads, 1, limits.multiprocessors());
        context.counters().launches.increment();
        queue.launch(Kernel.PACK_BITS, blocks, threads, 0, parameters);
    }

    /// Runs a program over the table, and returns when it has ended.
    ///
    /// - Errors: [NoKernel] where a row fails, too.
    ///
    /// @param written where it writes
    /// @return its word
    private long run(BuildEncoder.Encoded encoded, List<DeviceColumn> written, CommandQueue queue) {
        EncodedPipeline program = encoded.program();
        VmVerifier.verify(program.program());
        ParameterBlock block = ProgramCode.block(device.limits(), program.program());
        List<Integer> read = new ArrayList<>();
        List<ColumnForm> forms = new ArrayList<>();
        for (int column = 0; column < program.inputs().size(); column++) {
            if (program.inputs().get(column) >= 0) {
                read.add(program.inputs().get(column));
                forms.add(program.forms().get(column));
            }
        }
        ChunkColumns.Source source =
                new ChunkColumns.Source(device.columns(), table, facts, read, forms, context, moveTime);
        try (Arena arena = Arena.ofConfined()) {
            return run(encoded, block, source, written, queue, arena);
        }
    }

    /// @param arena stays until the queue is done
    private long run(
            BuildEncoder.Encoded encoded,
            ParameterBlock block,
            ChunkColumns.Source source,
            List<DeviceColumn> written,
            CommandQueue queue,
            Arena arena) {
        EncodedPipeline program = encoded.program();
        PipelineTables tables = null;
        DeviceMemory cells = null;
        DeviceMemory status = null;
        DeviceMemory code = null;
        DeviceStamp origin = null;
        try {
            tables = PipelineTables.of(device.columns(), queue, program, facts);
            cells = zeros(Long.BYTES, queue);
            status = zeros(ParameterBlock.STATUS_BYTES, queue);
            code = ProgramCode.upload(device.columns(), queue, program.program(), block, arena);
            origin = stamp(queue);
            try (LaunchClock clock = new LaunchClock(queue, origin)) {
                for (Chunk chunk : device.columns().chunks(table)) {
                    context.cancellation().check();
                    try (ChunkColumns columns = ChunkColumns.of(source, chunk, queue, clock)) {
                        MemorySegment parameters = arena.allocate(ParameterBlock.BYTES, 16);
                        block.write(
                                parameters,
                                chunk.rows(),
                                code == null ? 0 : code.address(),
                                cells.address(),
                                1,
                                status.address(),
                                places(encoded, columns.from(0), written),
                                tables.tables());
                        launch(program.program(), block, chunk.rows(), parameters, queue, clock);
                        context.counters().deviceBytesRead.add(columns.bytes());
                        context.counters().bytesRead.add(columns.bytes());
                    }
                }
            }
            MemorySegment report = arena.allocate(ParameterBlock.STATUS_BYTES, 8);
            MemorySegment word = arena.allocate(Long.BYTES, 8);
            queue.download(status, 0, report);
            queue.download(cells, 0, word);
            queue.synchronize();
            if (report.get(ValueLayout.JAVA_INT, ParameterBlock.ERROR) != 0) {
                throw new NoKernel("a row of a join table failed on the device");
            }
            context.counters().deviceNanos.add(kernelTime.takeNanos());
            context.counters().moveNanos.add(moveTime.takeNanos());
            return word.get(ValueLayout.JAVA_LONG, 0);
        } catch (RuntimeException | Error problem) {
            queue.settle();
            throw problem;
        } finally {
            DeviceResource.closeAll(tables, cells, status, code, origin);
        }
    }

    private void launch(
            VmProgram program,
            ParameterBlock block,
            int rows,
            MemorySegment parameters,
            CommandQueue queue,
            LaunchClock clock) {
        try {
            clock.begin();
            queue.launch(
                    Kernel.vm(program),
                    block.blocks(rows, device.limits().multiprocessors()),
                    block.threads(),
                    block.sharedBytes(),
                    parameters);
            clock.end();
            queue.synchronize();
        } catch (RuntimeException | Error problem) {
            queue.settle(); // before the columns go
            throw problem;
        }
        clock.addTo(kernelTime);
        context.counters().launches.increment();
    }

    /// Where the program's columns are, in its order.
    private static List<DeviceColumn> places(
            BuildEncoder.Encoded encoded, List<DeviceColumn> read, List<DeviceColumn> written) {
        List<DeviceColumn> places =
                new ArrayList<>(Collections.nCopies(encoded.program().inputs().size(), null));
        int next = 0;
        for (int column = 0; column < places.size(); column++) {
            if (encoded.program().inputs().get(column) >= 0) {
                places.set(column, read.get(next++));
            }
        }
        for (int index = 0; index < written.size(); index++) {
            places.set(encoded.written().get(index), written.get(index));
        }
        return places;
    }

    private DeviceMemory zeros(long bytes, CommandQueue queue) {
        DeviceMemory made = device.columns().allocate(bytes);
        try {
            queue.fill(made, 0, bytes, (byte) 0);
            return made;
        } catch (RuntimeException | Error problem) {
            queue.settle();
            made.close();
            throw problem;
        }
    }

    private static DeviceStamp stamp(CommandQueue queue) {
        try {
            return queue.stamp();
        } catch (DeviceFault _) {
            return null; // nothing is timed then
        }
    }

    @Override
    public void close() {
        facts.close();
    }
}
