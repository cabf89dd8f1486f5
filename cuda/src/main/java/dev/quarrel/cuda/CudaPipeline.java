package dev.quarrel.cuda;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.cuda.ResidentColumns.Resident;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.encode.ProgramEncoder;
import dev.quarrel.cuda.service.Admission;
import dev.quarrel.cuda.service.ColumnCache;
import dev.quarrel.cuda.vm.DeviceColumn;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmProgram;
import dev.quarrel.cuda.vm.VmVerifier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A pipeline ready to run on the device, with the same one on the CPU at its side.
///
/// A morsel is some batches, whose launches follow each other. All of them add to one table of cells on the device,
/// which at the end becomes partial aggregates of the CPU's first state. A batch without a form on the device runs on
/// the CPU; after an error on the device its cells count for nothing, and all batches run on the CPU.
final class CudaPipeline implements PreparedPipeline {
    private static final int BLOCKS_A_MULTIPROCESSOR = 1;
    /// Of one morsel at most, so that queries take turns.
    private static final int MORSEL_BATCHES = 32;

    private static final long MORSEL_ROWS = 1L << 26;
    /// A worker has so many turns at least, where there are batches enough.
    private static final int MORSELS_A_WORKER = 4;
    /// Of columns that do not stay on the device, what a worker has there at a time.
    private static final long PASSING_BYTES = 64L << 20;

    private final CudaDevice device;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final PreparedPipeline cpu;
    private final Table table;
    private final PipelineFacts facts;
    private final EncodedPipeline encoded;
    private final ParameterBlock block;
    private final Kernel kernel;
    private final PipelineTables tables;
    private final DeviceMemory cells;
    private final DeviceMemory code; // or null
    private final Admission.Ticket ticket;
    private final DeviceMemory status;
    private final DeviceStamp origin; // or null
    private final BusyTime kernelTime = new BusyTime();
    private final BusyTime moveTime = new BusyTime();
    private final Map<Morsel, List<BatchWork>> onDevice = new IdentityHashMap<>();
    private List<Morsel> onCpu = List.of();
    /// What has no part in the cells.
    private final Set<Morsel> ranOnCpu = ConcurrentHashMap.newKeySet();

    /// A batch.
    ///
    /// @param parts what the CPU would run instead
    private record BatchWork(int batch, int rows, List<Morsel> parts) {}

    private boolean isRetried;
    private volatile boolean hasFailed;
    private volatile boolean hasRun;
    /// The cells' content, once all batches have added to it.
    private Arena resultArena;
    private MemorySegment result;
    private MemorySegment groupKeys; // or null
    private final Map<Integer, MemorySegment> keyValues = new HashMap<>();

    private CudaPipeline(
            CudaDevice device,
            Pipeline pipeline,
            PipelineContext context,
            PreparedPipeline cpu,
            Table table,
            PipelineFacts facts,
            EncodedPipeline encoded) {
        this.device = device;
        this.pipeline = pipeline;
        this.context = context;
        this.cpu = cpu;
        this.table = table;
        this.facts = facts;
        this.encoded = encoded;
        VmProgram program = encoded.program();
        Backend.Limits limits = device.backend().limits();
        this.block = ParameterBlock.of(program, limits.threadsPerBlock(), limits.sharedBytes());
        if (block == null) {
            throw new NoKernel("the program needs more shared memory than the device has");
        }
        this.kernel = Kernel.vm(program);
        long cellBytes = encoded.groups() * program.words() * Long.BYTES;
        long codeBytes = program.isFar() ? (long) program.code().size() * ParameterBlock.INSTRUCTION_BYTES : 0;
        long otherBytes = cellBytes + codeBytes + PipelineTables.bytes(encoded, facts);
        device.checkWorthwhile(context, work(otherBytes));
        this.ticket = admit(device, otherBytes);
        CommandQueue queue = device.queue();
        DeviceMemory madeCells = null;
        DeviceMemory madeCode = null;
        DeviceMemory madeStatus = null;
        DeviceStamp madeOrigin = null;
        PipelineTables madeTables = null;
        try (Arena arena = Arena.ofConfined()) {
            madeTables = PipelineTables.of(device.columns(), queue, encoded, facts);
            madeCells = device.columns().allocate(cellBytes);
            queue.fill(madeCells, 0, cellBytes, (byte) 0);
            if (program.isFar()) {
                MemorySegment content = arena.allocate(codeBytes, 16);
                block.writeCode(content);
                madeCode = device.columns().allocate(codeBytes);
                queue.upload(content, madeCode, 0);
            }
            madeStatus = device.columns().allocate(ParameterBlock.STATUS_BYTES);
            queue.fill(madeStatus, 0, ParameterBlock.STATUS_BYTES, (byte) 0);
            try {
                madeOrigin = queue.stamp();
            } catch (DeviceFault _) {
                // Nothing is timed then; whether the device is lost the next call tells.
            }
            queue.synchronize();
        } catch (RuntimeException | Error problem) {
            queue.settle();
            closeAll(madeTables, madeCells, madeCode, madeStatus, madeOrigin);
            ticket.close();
            throw problem;
        } finally {
            device.release(queue);
        }
        this.tables = madeTables;
        this.cells = madeCells;
        this.code = madeCode;
        this.status = madeStatus;
        this.origin = madeOrigin;
    }

    /// - Errors: [NoKernel] where the data have no form on the device, [DeviceFault]; `cpu` stays open then.
    static CudaPipeline of(CudaDevice device, Pipeline pipeline, PipelineContext context, PreparedPipeline cpu) {
        Source.TableScan scan = (Source.TableScan) pipeline.source();
        Table table = context.catalog().table(scan.schemaName(), scan.tableName());
        PipelineFacts facts = new PipelineFacts(pipeline, scan, table, context);
        try {
            EncodedPipeline encoded = ProgramEncoder.encode(pipeline, facts);
            VmVerifier.verify(encoded.program());
            return new CudaPipeline(device, pipeline, context, cpu, table, facts, encoded);
        } catch (RuntimeException | Error problem) {
            facts.close();
            throw problem;
        }
    }

    private CostModel.Work work(long otherBytes) {
        long rows = table.stats().rowCount();
        long bytes = 0;
        long resident = 0;
        for (int index = 0; index < encoded.inputs().size(); index++) {
            Physical physical = encoded.program().columns().get(index);
            bytes += physical.bytes(rows);
            resident += device.columns()
                    .residentBytes(table, facts.column(encoded.inputs().get(index)), physical);
        }
        return new CostModel.Work(
                bytes,
                Math.max(0, bytes - resident),
                bytes <= device.columns().limitBytes(),
                rows * pipeline.joins().size(),
                otherBytes,
                table.batchCount());
    }

    private static Admission.Ticket admit(CudaDevice device, long bytes) {
        return switch (device.admission().request(bytes)) {
            case Admission.Answer.Admitted(Admission.Ticket ticket) -> ticket;
            case Admission.Answer.Refused(String reason) -> throw new NoKernel(reason);
        };
    }

    private static void closeAll(AutoCloseable... parts) {
        for (AutoCloseable part : parts) {
            switch (part) {
                case DeviceMemory memory -> memory.close();
                case PipelineTables made -> made.close();
                case DeviceStamp stamp -> stamp.close();
                case null -> {}
                default -> throw new IllegalArgumentException("what is " + part);
            }
        }
    }

    @Override
    public List<Morsel> morsels() {
        onCpu = cpu.morsels();
        List<BatchWork> batches = batches();
        int most = Math.clamp(batches.size() / (MORSELS_A_WORKER * (long) device.threads()), 1, MORSEL_BATCHES);
        List<Morsel> morsels = new ArrayList<>();
        for (int from = 0; from < batches.size(); ) {
            int to = from + 1;
            long rows = batches.get(from).rows();
            while (to < batches.size()
                    && to - from < most
                    && rows + batches.get(to).rows() <= MORSEL_ROWS) {
                rows += batches.get(to++).rows();
            }
            Morsel some = new Morsel(morsels.size(), batches.get(from).batch(), 0, (int) rows);
            onDevice.put(some, List.copyOf(batches.subList(from, to)));
            morsels.add(some);
            from = to;
        }
        return morsels;
    }

    /// Those that the CPU would read any part of.
    private List<BatchWork> batches() {
        List<BatchWork> batches = new ArrayList<>();
        List<Morsel> parts = new ArrayList<>();
        for (int index = 0; index <= onCpu.size(); index++) {
            Morsel next = index < onCpu.size() ? onCpu.get(index) : null;
            if (!parts.isEmpty()
                    && (next == null || next.batch() != parts.getFirst().batch())) {
                int batch = parts.getFirst().batch();
                batches.add(new BatchWork(batch, table.batchRows(batch), List.copyOf(parts)));
                parts.clear();
            }
            if (next != null) {
                parts.add(next);
            }
        }
        return batches;
    }

    @Override
    public List<Morsel> moreMorsels() {
        readCells();
        if (hasFailed && !isRetried) {
            isRetried = true;
            context.counters().note("a row failed on the device, or the device did: the CPU ran it again");
            return onCpu.stream().filter(part -> !ranOnCpu.contains(part)).toList();
        }
        return cpu.moreMorsels();
    }

    /// Copies the cells from the device. Where that fails, every batch is yet to run on the CPU.
    private void readCells() {
        if (!hasRun || hasFailed || result != null) {
            return;
        }
        resultArena = Arena.ofShared();
        MemorySegment words = resultArena.allocate(cells.byteSize(), 8);
        try {
            CommandQueue queue = device.queue();
            try {
                queue.download(cells, 0, words);
                if (tables.groups() != null) {
                    groupKeys = resultArena.allocate(tables.groups().byteSize(), 8);
                    queue.download(tables.groups(), 0, groupKeys);
                }
                tables.keys().forEach((column, memory) -> {
                    MemorySegment values = resultArena.allocate(memory.byteSize(), 8);
                    queue.download(memory, 0, values);
                    keyValues.put(column, values);
                });
                queue.synchronize();
                result = words;
            } finally {
                queue.settle();
                device.release(queue);
            }
        } catch (DeviceFault _) {
            hasFailed = true;
        }
    }

    @Override
    public SinkState newState() {
        return cpu.newState();
    }

    @Override
    public void run(Morsel morsel, SinkState state) {
        List<BatchWork> batches = onDevice.get(morsel);
        if (batches == null) {
            cpu.run(morsel, state);
            return;
        }
        if (hasFailed) {
            return;
        }
        for (BatchWork batch : runOnDevice(batches)) {
            for (Morsel part : batch.parts()) {
                context.cancellation().check();
                ranOnCpu.add(part);
                cpu.run(part, state);
            }
        }
    }

    /// Runs batches, as long as nothing fails.
    ///
    /// @return those without a form on the device, which have no part in the cells
    private List<BatchWork> runOnDevice(List<BatchWork> batches) {
        CommandQueue queue;
        try {
            queue = device.queue();
        } catch (DeviceFault fault) {
            hasFailed |= fault.kind() == DeviceFault.Kind.LOST;
            return hasFailed ? List.of() : batches;
        }
        List<BatchWork> refused = new ArrayList<>();
        List<ColumnCache<Resident>.Pin> pins = new ArrayList<>();
        try (Arena arena = Arena.ofConfined();
                LaunchClock clock = new LaunchClock(queue, origin)) {
            try {
                run(batches, queue, clock, arena, pins, refused);
            } catch (DeviceFault _) {
                // A batch may have a part in the cells, or half of one.
                hasFailed = true;
                queue.settle();
            } catch (RuntimeException | Error problem) {
                queue.settle();
                throw problem;
            }
        } finally {
            pins.forEach(ColumnCache.Pin::close);
            device.release(queue);
        }
        return refused;
    }

    private void run(
            List<BatchWork> batches,
            CommandQueue queue,
            LaunchClock clock,
            Arena arena,
            List<ColumnCache<Resident>.Pin> pins,
            List<BatchWork> refused) {
        MemorySegment parameters = arena.allocate(ParameterBlock.BYTES, 16);
        long passing = 0;
        for (BatchWork batch : batches) {
            context.cancellation().check();
            int first = pins.size();
            try {
                findColumns(batch, queue, clock, pins);
            } catch (NoKernel reason) {
                refuse(batch, reason.getMessage(), pins, first, refused);
                continue;
            } catch (DeviceFault fault) {
                if (fault.kind() == DeviceFault.Kind.LOST) {
                    throw fault;
                }
                refuse(batch, fault.getMessage(), pins, first, refused);
                continue;
            }
            List<ColumnCache<Resident>.Pin> columns = pins.subList(first, pins.size());
            launch(batch, queue, clock, columns, parameters);
            for (ColumnCache<Resident>.Pin pin : columns) {
                passing += pin.isKept() ? 0 : pin.buffer().bytes();
            }
            if (passing > PASSING_BYTES) {
                settle(queue, clock, pins, arena);
                passing = 0;
            }
        }
        settle(queue, clock, pins, arena);
    }

    private void refuse(
            BatchWork batch, String reason, List<ColumnCache<Resident>.Pin> pins, int first, List<BatchWork> refused) {
        List<ColumnCache<Resident>.Pin> its = pins.subList(first, pins.size());
        its.forEach(ColumnCache.Pin::close);
        its.clear();
        device.fallBack(context, reason);
        refused.add(batch);
    }

    private void launch(
            BatchWork batch,
            CommandQueue queue,
            LaunchClock clock,
            List<ColumnCache<Resident>.Pin> columns,
            MemorySegment parameters) {
        List<DeviceColumn> places =
                columns.stream().map(pin -> pin.buffer().column()).toList();
        block.write(
                parameters,
                batch.rows(),
                code == null ? 0 : code.address(),
                cells.address(),
                encoded.groups(),
                status.address(),
                places,
                tables.tables());
        int warpRows = 32 * VmProgram.LANE_ROWS;
        long warps = (batch.rows() + (long) warpRows - 1) / warpRows;
        int wanted = (int) Math.min(Integer.MAX_VALUE, (warps * 32 + block.threads() - 1) / block.threads());
        int blocks = Math.clamp(wanted, 1, device.backend().limits().multiprocessors() * BLOCKS_A_MULTIPROCESSOR);
        clock.begin();
        hasRun = true;
        queue.launch(kernel, blocks, block.threads(), block.sharedBytes(), parameters);
        long bytes = columns.stream().mapToLong(pin -> pin.buffer().bytes()).sum();
        context.counters().launches.increment();
        context.counters().rowsIn.add(batch.rows());
        context.counters().rowsOnDevice.add(batch.rows());
        context.counters().bytesRead.add(bytes);
        context.counters().deviceBytesRead.add(bytes);
    }

    /// Waits for what was launched, looks whether a row has failed, and lets the columns go.
    private void settle(CommandQueue queue, LaunchClock clock, List<ColumnCache<Resident>.Pin> pins, Arena arena) {
        clock.end();
        MemorySegment report = arena.allocate(ParameterBlock.STATUS_BYTES, 8);
        queue.download(status, 0, report);
        queue.synchronize();
        clock.addTo(kernelTime);
        if (report.get(ValueLayout.JAVA_INT, ParameterBlock.ERROR) != 0) {
            hasFailed = true;
        }
        pins.forEach(ColumnCache.Pin::close);
        pins.clear();
    }

    /// Adds the pins of a batch's columns, from the cache or from the table, in the program's order; or, where it
    // fails,
    /// those of some.
    private void findColumns(
            BatchWork batch, CommandQueue queue, LaunchClock clock, List<ColumnCache<Resident>.Pin> to) {
        List<Integer> inputs = encoded.inputs();
        List<Integer> missing = new ArrayList<>();
        List<ColumnCache<Resident>.Pin> found = new ArrayList<>();
        try {
            for (int index = 0; index < inputs.size(); index++) {
                Physical physical = encoded.program().columns().get(index);
                found.add(device.columns().find(table, facts.column(inputs.get(index)), batch.batch(), physical));
                if (found.getLast() == null) {
                    missing.add(index);
                }
            }
            if (!missing.isEmpty()) {
                clock.end();
                double from = System.nanoTime() / 1e9;
                read(batch.batch(), missing, queue, found);
                moveTime.add(from, System.nanoTime() / 1e9);
            }
        } finally {
            found.stream().filter(Objects::nonNull).forEach(to::add);
        }
        for (int index = 0; index < inputs.size(); index++) {
            DeviceColumn column = found.get(index).buffer().column();
            if (column.valid() != 0 && !facts.isNullable(inputs.get(index))) {
                throw new NoKernel("the column is not as statistics have it");
            }
        }
    }

    private void read(int number, List<Integer> missing, CommandQueue queue, List<ColumnCache<Resident>.Pin> to) {
        int[] columns = missing.stream()
                .mapToInt(index -> facts.column(encoded.inputs().get(index)))
                .toArray();
        long bytes = table.readBytes(number, columns);
        context.budget().reserve(bytes);
        List<Resident> made = new ArrayList<>();
        try (Batch batch = table.read(number, columns)) {
            context.counters().batchesRead.increment();
            ColumnUpload upload = new ColumnUpload(device.columns(), queue);
            for (int index = 0; index < columns.length; index++) {
                Column column = batch.column(index);
                Physical physical = encoded.program().columns().get(missing.get(index));
                made.add(upload.upload(column, physical));
            }
            table.checkIntact(number);
            context.counters()
                    .bytesMoved
                    .add(made.stream().mapToLong(Resident::bytes).sum());
            for (int index = 0; index < columns.length; index++) {
                to.set(missing.get(index), device.columns().keep(table, columns[index], number, made.removeFirst()));
            }
        } catch (InternalError error) {
            QueryException fault = table.faultOf(error);
            fault = fault == null ? context.catalog().faultOf(error) : fault;
            if (fault == null) {
                throw error;
            }
            throw fault;
        } finally {
            made.forEach(Resident::close);
            context.budget().release(bytes);
        }
    }

    @Override
    public boolean isSatisfied() {
        return cpu.isSatisfied();
    }

    @Override
    public int mergeParts(int round, List<SinkState> states) {
        if (round == 0 && result != null && !states.isEmpty()) {
            GroupCells groups = new GroupCells(pipeline, encoded, facts, result, groupKeys, keyValues);
            groups.forEachBatch(context.budget(), states.getFirst()::transferIn);
        }
        return cpu.mergeParts(round, states);
    }

    @Override
    public void merge(int round, int part, List<SinkState> states) {
        cpu.merge(round, part, states);
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        context.counters().deviceNanos.add(kernelTime.takeNanos());
        context.counters().moveNanos.add(moveTime.takeNanos());
        return cpu.finish(states);
    }

    @Override
    public void close() {
        if (resultArena != null) {
            resultArena.close();
        }
        closeAll(tables, cells, code, status, origin);
        ticket.close();
        facts.close();
        cpu.close();
    }
}
