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
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A pipeline ready to run on the device, with the same one on the CPU at its side.
///
/// A morsel is a batch. All of them add to one table of cells on the device, which at the end becomes partial
/// aggregates of the CPU's first state. A batch without a form on the device runs on the CPU; after an error
/// on the device its cells count for nothing, and all batches run on the CPU.
final class CudaPipeline implements PreparedPipeline {
    private static final int BLOCKS_A_MULTIPROCESSOR = 1;

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
    private final Map<Morsel, List<Morsel>> onDevice = new IdentityHashMap<>();
    private List<Morsel> onCpu = List.of();
    /// Batches that have no part in the cells.
    private final Set<Morsel> ranOnCpu = ConcurrentHashMap.newKeySet();

    private boolean isRetried;
    private volatile boolean hasFailed;
    private volatile boolean hasRun;
    /// The cells' content, once all batches have added to it.
    private Arena resultArena;
    private MemorySegment result;
    private MemorySegment groupKeys; // or null

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
        this.kernel = Kernel.vm(program.laneBytes());
        long cellBytes = encoded.groups() * program.words() * Long.BYTES;
        long codeBytes = program.isFar() ? (long) program.code().size() * ParameterBlock.INSTRUCTION_BYTES : 0;
        this.ticket = admit(device, cellBytes + codeBytes + PipelineTables.bytes(encoded, facts));
        CommandQueue queue = device.queue();
        DeviceMemory madeCells = null;
        DeviceMemory madeCode = null;
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
            queue.synchronize();
        } catch (RuntimeException | Error problem) {
            queue.settle();
            closeAll(madeTables, madeCells, madeCode);
            ticket.close();
            throw problem;
        } finally {
            device.release(queue);
        }
        this.tables = madeTables;
        this.cells = madeCells;
        this.code = madeCode;
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
                case null -> {}
                default -> throw new IllegalArgumentException("what is " + part);
            }
        }
    }

    @Override
    public List<Morsel> morsels() {
        onCpu = cpu.morsels();
        List<Morsel> batches = new ArrayList<>();
        List<Morsel> parts = new ArrayList<>();
        for (int index = 0; index <= onCpu.size(); index++) {
            Morsel next = index < onCpu.size() ? onCpu.get(index) : null;
            if (!parts.isEmpty()
                    && (next == null || next.batch() != parts.getFirst().batch())) {
                int batch = parts.getFirst().batch();
                Morsel whole = new Morsel(batches.size(), batch, 0, table.batchRows(batch));
                batches.add(whole);
                onDevice.put(whole, List.copyOf(parts));
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
            Set<Morsel> done = new HashSet<>();
            ranOnCpu.forEach(batch -> done.addAll(onDevice.get(batch)));
            return onCpu.stream().filter(part -> !done.contains(part)).toList();
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
        List<Morsel> parts = onDevice.get(morsel);
        if (parts == null) {
            cpu.run(morsel, state);
            return;
        }
        if (hasFailed) {
            return;
        }
        try {
            runOnDevice(morsel);
        } catch (NoKernel _) {
            runOnCpu(morsel, parts, state);
        } catch (DeviceFault fault) {
            if (fault.kind() == DeviceFault.Kind.LOST) {
                hasFailed = true;
                return;
            }
            runOnCpu(morsel, parts, state);
        }
    }

    private void runOnCpu(Morsel morsel, List<Morsel> parts, SinkState state) {
        ranOnCpu.add(morsel);
        for (Morsel part : parts) {
            context.cancellation().check();
            cpu.run(part, state);
        }
    }

    private void runOnDevice(Morsel morsel) {
        CommandQueue queue = device.queue();
        List<ColumnCache<Resident>.Pin> columns = new ArrayList<>();
        DeviceMemory status = null;
        try (Arena arena = Arena.ofConfined()) {
            findColumns(morsel, queue, columns);
            status = device.columns().allocate(ParameterBlock.STATUS_BYTES);
            queue.fill(status, 0, ParameterBlock.STATUS_BYTES, (byte) 0);
            MemorySegment parameters = arena.allocate(ParameterBlock.BYTES, 16);
            List<DeviceColumn> places =
                    columns.stream().map(pin -> pin.buffer().column()).toList();
            block.write(
                    parameters,
                    morsel.rowCount(),
                    code == null ? 0 : code.address(),
                    cells.address(),
                    encoded.groups(),
                    status.address(),
                    places,
                    tables.tables());
            int warpRows = 32 * VmProgram.LANE_ROWS;
            long warps = (morsel.rowCount() + (long) warpRows - 1) / warpRows;
            int wanted = (int) Math.min(Integer.MAX_VALUE, (warps * 32 + block.threads() - 1) / block.threads());
            int blocks = Math.clamp(wanted, 1, device.backend().limits().multiprocessors() * BLOCKS_A_MULTIPROCESSOR);
            hasRun = true;
            MemorySegment report = arena.allocate(ParameterBlock.STATUS_BYTES, 8);
            try {
                queue.launch(kernel, blocks, block.threads(), block.sharedBytes(), parameters);
                queue.download(status, 0, report);
                queue.synchronize();
            } catch (DeviceFault _) {
                // The batch may have a part in the cells, or half of one.
                hasFailed = true;
                queue.settle();
                return;
            }
            if (report.get(ValueLayout.JAVA_INT, ParameterBlock.ERROR) != 0) {
                hasFailed = true;
            }
            context.counters().rowsIn.add(morsel.rowCount());
            context.counters()
                    .bytesRead
                    .add(columns.stream().mapToLong(pin -> pin.buffer().bytes()).sum());
        } catch (RuntimeException | Error problem) {
            queue.settle();
            throw problem;
        } finally {
            columns.stream().filter(Objects::nonNull).forEach(ColumnCache.Pin::close);
            if (status != null) {
                status.close();
            }
            device.release(queue);
        }
    }

    /// The program's columns of a batch, pinned, from the cache or from the table.
    private void findColumns(Morsel morsel, CommandQueue queue, List<ColumnCache<Resident>.Pin> to) {
        List<Integer> inputs = encoded.inputs();
        List<Integer> missing = new ArrayList<>();
        for (int index = 0; index < inputs.size(); index++) {
            Physical physical = encoded.program().columns().get(index);
            to.add(device.columns().find(table, facts.column(inputs.get(index)), morsel.batch(), physical));
            if (to.getLast() == null) {
                missing.add(index);
            }
        }
        if (!missing.isEmpty()) {
            read(morsel, missing, queue, to);
        }
        for (int index = 0; index < inputs.size(); index++) {
            DeviceColumn column = to.get(index).buffer().column();
            if (column.valid() != 0 && !facts.isNullable(inputs.get(index))) {
                throw new NoKernel("the column is not as statistics have it");
            }
        }
    }

    private void read(Morsel morsel, List<Integer> missing, CommandQueue queue, List<ColumnCache<Resident>.Pin> to) {
        int[] columns = missing.stream()
                .mapToInt(index -> facts.column(encoded.inputs().get(index)))
                .toArray();
        long bytes = table.readBytes(morsel.batch(), columns);
        context.budget().reserve(bytes);
        List<Resident> made = new ArrayList<>();
        try (Batch batch = table.read(morsel.batch(), columns)) {
            context.counters().batchesRead.increment();
            ColumnUpload upload = new ColumnUpload(device.columns(), queue);
            for (int index = 0; index < columns.length; index++) {
                Column column = batch.column(index);
                Physical physical = encoded.program().columns().get(missing.get(index));
                made.add(upload.upload(column, physical));
            }
            table.checkIntact(morsel.batch());
            for (int index = 0; index < columns.length; index++) {
                to.set(
                        missing.get(index),
                        device.columns().keep(table, columns[index], morsel.batch(), made.removeFirst()));
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
            GroupCells groups = new GroupCells(pipeline, encoded, facts, result, groupKeys);
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
        return cpu.finish(states);
    }

    @Override
    public void close() {
        if (resultArena != null) {
            resultArena.close();
        }
        closeAll(tables, cells, code);
        ticket.close();
        facts.close();
        cpu.close();
    }
}
