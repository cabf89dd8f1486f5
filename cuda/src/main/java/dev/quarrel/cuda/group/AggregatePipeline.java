package dev.quarrel.cuda.group;

import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.memory.PooledMemory;
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
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.encode.ProgramEncoder;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.facts.SurveyedSide;
import dev.quarrel.cuda.join.BuildUse;
import dev.quarrel.cuda.program.ChunkColumns;
import dev.quarrel.cuda.program.PipelineTables;
import dev.quarrel.cuda.program.ProgramCode;
import dev.quarrel.cuda.service.Admission;
import dev.quarrel.cuda.service.CostModel;
import dev.quarrel.cuda.service.DeviceServices;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.DeviceColumn;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.VmProgram;
import dev.quarrel.cuda.vm.VmVerifier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// An aggregate that runs on the device, with the same pipeline on the CPU at its side.
///
/// A morsel is some chunks of batches, whose launches follow each other. All of them add to one table of cells on the
/// device, which at the end becomes partial aggregates of the CPU's first state. A chunk without a form on the device
/// runs on the CPU; after an error on the device its cells count for nothing, and all batches run on the CPU.
public final class AggregatePipeline implements PreparedPipeline {
    private static final int BLOCKS_A_MULTIPROCESSOR = 1;
    /// Of one morsel at most, so that queries take turns.
    private static final int MORSEL_CHUNKS = 8;
    /// A worker has so many turns at least, where there are chunks enough.
    private static final int MORSELS_A_WORKER = 4;
    /// Chunks that are there need no worker but to launch: some launch, so that the device has always one to go on
    /// with, and more would only wait for each other in the driver.
    private static final int LAUNCHING_WORKERS = 4;
    /// Of one morsel of such chunks, about the device's time for a turn.
    private static final int RESIDENT_MORSEL_CHUNKS = 64;
    /// Of columns that do not stay on the device, what a worker has there at a time.
    private static final long PASSING_BYTES = 64L << 20;

    private final DeviceServices device;
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
    private final ChunkColumns.Source source;
    private final Passes passes;
    private int pass;
    private int morselCount;
    /// First batches of chunks that the CPU does: they have no part in any pass.
    private final Set<Integer> refusedChunks = ConcurrentHashMap.newKeySet();
    private final Map<Morsel, List<ChunkWork>> onDevice = new IdentityHashMap<>();
    private List<Morsel> onCpu = List.of();
    /// What has no part in the cells.
    private final Set<Morsel> ranOnCpu = ConcurrentHashMap.newKeySet();

    /// A batch.
    ///
    /// @param parts what the CPU would run instead
    private record BatchWork(int batch, List<Morsel> parts) {}

    /// @param batches those of it that count, in order
    private record ChunkWork(Chunk chunk, List<BatchWork> batches) {}

    private boolean isRetried;
    private volatile boolean hasFailed;
    private volatile boolean hasRun;
    /// The cells' content, once all batches have added to it.
    private final PooledMemory resultMemory = new PooledMemory();
    private MemorySegment result;
    private MemorySegment groupKeys; // or null
    private final Map<Integer, MemorySegment> keyValues = new HashMap<>();

    private AggregatePipeline(
            DeviceServices device,
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
        this.block = ProgramCode.block(device.limits(), program);
        this.kernel = Kernel.vm(program);
        long cellBytes = encoded.groups() * program.words() * Long.BYTES;
        long codeBytes = ProgramCode.bytes(program);
        this.passes = Passes.of(pipeline, encoded, facts, device.admission().capacityBytes() - cellBytes - codeBytes);
        long otherBytes = cellBytes + codeBytes + passes.bytes();
        device.checkWorthwhile(context, work(otherBytes - PipelineTables.madeThere(encoded, facts)));
        Admission.Ticket admitted = device.admit(otherBytes);
        CommandQueue queue;
        try {
            queue = device.queues().borrow();
        } catch (RuntimeException | Error problem) {
            admitted.close();
            throw problem;
        }
        this.ticket = admitted;
        DeviceMemory madeCells = null;
        DeviceMemory madeCode = null;
        DeviceMemory madeStatus = null;
        DeviceStamp madeOrigin = null;
        PipelineTables madeTables = null;
        try (Arena arena = Arena.ofConfined()) {
            if (passes.count() > 1) {
                facts.part(passes.join(), 0, passes.count());
            }
            madeTables = PipelineTables.of(device.columns(), queue, encoded, facts);
            madeCells = device.columns().allocate(cellBytes);
            queue.fill(madeCells, 0, cellBytes, (byte) 0);
            madeCode = ProgramCode.upload(device.columns(), queue, program, block, arena);
            madeStatus = device.columns().allocate(ParameterBlock.STATUS_BYTES);
            queue.fill(madeStatus, 0, ParameterBlock.STATUS_BYTES, (byte) 0);
            madeOrigin = LaunchClock.origin(queue);
            queue.synchronize();
        } catch (RuntimeException | Error problem) {
            queue.settle();
            DeviceResource.closeAll(madeTables, madeCells, madeCode, madeStatus, madeOrigin);
            ticket.close();
            throw problem;
        } finally {
            device.queues().release(queue);
        }
        this.tables = madeTables;
        this.cells = madeCells;
        this.code = madeCode;
        this.source = new ChunkColumns.Source(
                device.columns(), table, facts, encoded.inputs(), encoded.forms(), context, moveTime);
        this.status = madeStatus;
        this.origin = madeOrigin;
    }

    /// - Errors: [NoKernel] where the data have no form on the device, [DeviceFault]; `cpu` stays open then.
    public static AggregatePipeline of(
            DeviceServices device, Pipeline pipeline, PipelineContext context, PreparedPipeline cpu) {
        Source.TableScan scan = (Source.TableScan) pipeline.source();
        Table table = context.catalog().scanned(scan.schemaName(), scan.tableName());
        PipelineFacts facts = new PipelineFacts(pipeline, scan, table, context);
        try {
            EncodedPipeline encoded = encode(device, pipeline, facts);
            VmVerifier.verify(encoded.program());
            return new AggregatePipeline(device, pipeline, context, cpu, table, facts, encoded);
        } catch (RuntimeException | Error problem) {
            facts.close();
            throw problem;
        }
    }

    /// The program, with the rows of build sides only where it takes them.
    private static EncodedPipeline encode(DeviceServices device, Pipeline pipeline, PipelineFacts facts) {
        if (!facts.isSurveyed()) {
            return encode(pipeline, facts, device.limits());
        }
        try {
            EncodedPipeline encoded = encode(pipeline, facts, device.limits());
            boolean takesRows = false;
            for (int join = 0; join < pipeline.joins().size(); join++) {
                takesRows |= facts.build(join) instanceof SurveyedSide && BuildUse.wantsRows(encoded, join);
            }
            long bytes = cellBytes(encoded) + PipelineTables.bytes(encoded, facts);
            if (!takesRows && bytes <= device.admission().capacityBytes()) {
                return encoded;
            }
        } catch (NoKernel _) {
            // Rows may know more.
        }
        facts.takeRows();
        return encode(pipeline, facts, device.limits());
    }

    /// Bytes of the groups, and of code that is far.
    private static long cellBytes(EncodedPipeline encoded) {
        VmProgram program = encoded.program();
        return encoded.groups() * program.words() * Long.BYTES + ProgramCode.bytes(program);
    }

    /// Blocks have cells of groups where that leaves them threads enough.
    private static EncodedPipeline encode(Pipeline pipeline, PipelineFacts facts, Backend.Limits limits) {
        facts.allowBlock(Math.min(VmProgram.MAX_BLOCK_BYTES, limits.sharedBytes() / 2));
        EncodedPipeline encoded = ProgramEncoder.encode(pipeline, facts);
        int threads = threads(encoded, limits);
        if (encoded.program().block().words() == 0 || threads >= limits.threadsPerBlock() / 2) {
            return encoded;
        }
        facts.allowBlock(0);
        EncodedPipeline other = ProgramEncoder.encode(pipeline, facts);
        return threads(other, limits) > threads ? other : encoded;
    }

    private static int threads(EncodedPipeline encoded, Backend.Limits limits) {
        ParameterBlock block = ParameterBlock.of(encoded.program(), limits.threadsPerBlock(), limits.sharedBytes());
        return block == null ? 0 : block.threads();
    }

    private CostModel.Work work(long otherBytes) {
        long rows = table.stats().rowCount();
        long bytes = 0;
        long resident = 0;
        for (int index = 0; index < encoded.inputs().size(); index++) {
            ColumnForm form = encoded.forms().get(index);
            bytes += form.bytes(rows) + facts.textBytes(encoded.inputs().get(index));
            resident += device.columns()
                    .residentBytes(table, facts.column(encoded.inputs().get(index)), form);
        }
        boolean stays = bytes <= device.columns().limitBytes();
        long absent = Math.max(0, bytes - resident);
        return new CostModel.Work(
                passes.count() * bytes,
                stays ? absent : passes.count() * absent,
                stays,
                rows * pipeline.joins().size() * passes.count(),
                otherBytes,
                passes.count() * device.columns().chunks(table).size(),
                0);
    }

    @Override
    public List<Morsel> morsels() {
        onCpu = cpu.morsels();
        return onDevice();
    }

    /// All that a pass runs over: first the chunks that are there, in few morsels, then those to bring, for all
    /// workers.
    private List<Morsel> onDevice() {
        List<ChunkWork> there = new ArrayList<>();
        List<ChunkWork> absent = new ArrayList<>();
        for (ChunkWork work : chunks()) {
            (source.isResident(work.chunk()) ? there : absent).add(work);
        }
        List<Morsel> morsels = new ArrayList<>();
        addMorsels(
                there, Math.clamp(Math.ceilDiv(there.size(), LAUNCHING_WORKERS), 1, RESIDENT_MORSEL_CHUNKS), morsels);
        long turns = MORSELS_A_WORKER * (long) device.tuning().threads();
        addMorsels(absent, Math.clamp(absent.size() / turns, 1, MORSEL_CHUNKS), morsels);
        return morsels;
    }

    private void addMorsels(List<ChunkWork> chunks, int most, List<Morsel> morsels) {
        for (int from = 0; from < chunks.size(); from += most) {
            List<ChunkWork> some = chunks.subList(from, Math.min(from + most, chunks.size()));
            long rows = some.stream().mapToLong(work -> work.chunk().rows()).sum();
            Morsel morsel = new Morsel(
                    morselCount++, some.getFirst().batches().getFirst().batch(), 0, (int)
                            Math.min(rows, Integer.MAX_VALUE));
            onDevice.put(morsel, List.copyOf(some));
            morsels.add(morsel);
        }
    }

    /// Those that the CPU would read any part of, with the batches that it would read.
    private List<ChunkWork> chunks() {
        List<List<Morsel>> parts = new ArrayList<>(Collections.nCopies(table.batchCount(), null)); // by batch
        for (Morsel part : onCpu) {
            if (parts.get(part.batch()) == null) {
                parts.set(part.batch(), new ArrayList<>(1));
            }
            parts.get(part.batch()).add(part);
        }
        List<ChunkWork> chunks = new ArrayList<>();
        for (Chunk chunk : device.columns().chunks(table)) {
            List<BatchWork> batches = new ArrayList<>();
            for (int batch = chunk.first(); batch < chunk.end(); batch++) {
                if (parts.get(batch) != null) {
                    batches.add(new BatchWork(batch, parts.get(batch)));
                }
            }
            if (!batches.isEmpty() && !refusedChunks.contains(chunk.first())) {
                chunks.add(new ChunkWork(chunk, batches));
            }
        }
        return chunks;
    }

    @Override
    public List<Morsel> moreMorsels() {
        if (!hasFailed && nextPass()) {
            List<Morsel> again = onDevice();
            if (!again.isEmpty()) {
                return again;
            }
        }
        readCells();
        if (hasFailed && !isRetried) {
            isRetried = true;
            context.counters().note("a row failed on the device, or the device did: the CPU ran it again");
            if (cpu instanceof DeferredCpu deferred) {
                return deferred.restart();
            }
            return onCpu.stream().filter(part -> !ranOnCpu.contains(part)).toList();
        }
        return cpu.moreMorsels();
    }

    /// Gets the tables of the next pass ready, if there is one. Where that fails, every batch is yet to run on the CPU.
    private boolean nextPass() {
        if (pass + 1 >= passes.count()) {
            return false;
        }
        pass++;
        facts.part(passes.join(), pass, passes.count());
        try {
            tables.remakeKeys(passes.join());
            context.counters().passes.increment();
            return true;
        } catch (DeviceFault _) {
            hasFailed = true;
            return false;
        } finally {
            if (pass + 1 == passes.count()) {
                facts.whole();
            }
        }
    }

    /// Copies the cells from the device. Where that fails, every batch is yet to run on the CPU.
    private void readCells() {
        if (!hasRun || hasFailed || result != null) {
            return;
        }
        MemorySegment words = resultMemory.allocate(cells.byteSize());
        try {
            CommandQueue queue = device.queues().borrow();
            try {
                queue.download(cells, 0, words);
                if (tables.groups() != null) {
                    groupKeys = resultMemory.allocate(tables.groups().byteSize());
                    queue.download(tables.groups(), 0, groupKeys);
                }
                tables.keys().forEach((column, memory) -> {
                    MemorySegment values = resultMemory.allocate(memory.byteSize());
                    queue.download(memory, 0, values);
                    keyValues.put(column, values);
                });
                queue.synchronize();
                result = words;
            } finally {
                queue.settle();
                device.queues().release(queue);
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
        List<ChunkWork> chunks = onDevice.get(morsel);
        if (chunks == null) {
            cpu.run(morsel, state);
            return;
        }
        if (hasFailed) {
            return;
        }
        List<ChunkWork> refused = runOnDevice(chunks);
        if ((pass > 0 || cpu instanceof DeferredCpu) && !refused.isEmpty()) {
            hasFailed = true; // they have a part in the cells, of earlier passes; or the CPU runs all or nothing
            return;
        }
        refused.forEach(chunk -> refusedChunks.add(chunk.chunk().first()));
        for (ChunkWork chunk : refused) {
            for (BatchWork batch : chunk.batches()) {
                for (Morsel part : batch.parts()) {
                    context.cancellation().check();
                    ranOnCpu.add(part);
                    cpu.run(part, state);
                }
            }
        }
    }

    /// Runs chunks, as long as nothing fails.
    ///
    /// @return those without a form on the device, which have no part in the cells
    private List<ChunkWork> runOnDevice(List<ChunkWork> chunks) {
        CommandQueue queue;
        try {
            queue = device.queues().borrow();
        } catch (DeviceFault fault) {
            hasFailed |= fault.kind() == DeviceFault.Kind.LOST;
            return hasFailed ? List.of() : chunks;
        }
        List<ChunkWork> refused = new ArrayList<>();
        List<ChunkColumns> columns = new ArrayList<>();
        try (Arena arena = Arena.ofConfined();
                LaunchClock clock = new LaunchClock(queue, origin)) {
            try {
                run(chunks, queue, clock, arena, columns, refused);
            } catch (DeviceFault _) {
                // A chunk may have a part in the cells, or half of one.
                hasFailed = true;
                queue.settle();
            } catch (RuntimeException | Error problem) {
                queue.settle();
                throw problem;
            }
        } finally {
            columns.forEach(ChunkColumns::close);
            device.queues().release(queue);
        }
        return refused;
    }

    private void run(
            List<ChunkWork> chunks,
            CommandQueue queue,
            LaunchClock clock,
            Arena arena,
            List<ChunkColumns> columns,
            List<ChunkWork> refused) {
        MemorySegment parameters = arena.allocate(ParameterBlock.BYTES, 16);
        long passing = 0;
        for (ChunkWork work : chunks) {
            context.cancellation().check();
            try {
                columns.add(ChunkColumns.of(source, work.chunk(), queue, clock));
            } catch (NoKernel reason) {
                device.fallBack(context, reason.getMessage());
                refused.add(work);
                continue;
            } catch (DeviceFault fault) {
                if (fault.kind() == DeviceFault.Kind.LOST) {
                    throw fault;
                }
                device.fallBack(context, fault.getMessage());
                refused.add(work);
                continue;
            }
            launch(work, columns.getLast(), queue, clock, parameters);
            passing += columns.getLast().passingBytes();
            if (passing > PASSING_BYTES) {
                settle(queue, clock, columns, arena);
                passing = 0;
            }
        }
        settle(queue, clock, columns, arena);
    }

    /// A launch for each run of batches that follow each other. It begins on a whole tile: what it takes in of a batch
    /// before, that the CPU would not read, are rows that do not come through.
    private void launch(
            ChunkWork work, ChunkColumns columns, CommandQueue queue, LaunchClock clock, MemorySegment parameters) {
        List<BatchWork> batches = work.batches();
        Chunk chunk = work.chunk();
        for (int from = 0; from < batches.size(); ) {
            int start = tileStart(chunk, batches.get(from));
            int rows = 0;
            int end = 0;
            int to = from;
            // A tile that two runs have in common is gone through once.
            while (to < batches.size() && (to == from || tileStart(chunk, batches.get(to)) <= end)) {
                int batch = batches.get(to).batch();
                end = chunk.start(batch + 1);
                rows += end - chunk.start(batch);
                to++;
            }
            launch(end - start, columns.from(start), queue, clock, parameters);
            context.counters().rowsIn.add(rows);
            context.counters().rowsOnDevice.add(rows);
            context.counters().deviceBytesRead.add(columns.bytes() * (end - start) / Math.max(1, chunk.rows()));
            from = to;
        }
    }

    private static int tileStart(Chunk chunk, BatchWork work) {
        return chunk.start(work.batch()) / ParameterBlock.PADDED_ROWS * ParameterBlock.PADDED_ROWS;
    }

    private void launch(
            int rows, List<DeviceColumn> columns, CommandQueue queue, LaunchClock clock, MemorySegment parameters) {
        block.write(
                parameters,
                rows,
                code == null ? 0 : code.address(),
                cells.address(),
                encoded.groups(),
                status.address(),
                columns,
                tables.tables());
        int warpRows = 32 * VmProgram.LANE_ROWS;
        long warps = (rows + (long) warpRows - 1) / warpRows;
        int wanted = (int) Math.min(Integer.MAX_VALUE, (warps * 32 + block.threads() - 1) / block.threads());
        int blocks = Math.clamp(wanted, 1, device.limits().multiprocessors() * BLOCKS_A_MULTIPROCESSOR);
        clock.begin();
        hasRun = true;
        queue.launch(kernel, blocks, block.threads(), block.sharedBytes(), parameters);
        context.counters().launches.increment();
    }

    /// Waits for what was launched, looks whether a row has failed, and lets the columns go.
    private void settle(CommandQueue queue, LaunchClock clock, List<ChunkColumns> columns, Arena arena) {
        clock.end();
        MemorySegment report = arena.allocate(ParameterBlock.STATUS_BYTES, 8);
        queue.download(status, 0, report);
        queue.synchronize();
        clock.addTo(kernelTime);
        if (report.get(ValueLayout.JAVA_INT, ParameterBlock.ERROR) != 0) {
            hasFailed = true;
        }
        columns.forEach(column -> context.counters().bytesRead.add(column.bytes()));
        columns.forEach(ChunkColumns::close);
        columns.clear();
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
        resultMemory.close();
        DeviceResource.closeAll(tables, cells, code, status, origin);
        ticket.close();
        facts.close();
        cpu.close();
    }
}
