package dev.quarrel.cuda.rows;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.device.SortBound;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.run.RowBounds;
import dev.quarrel.core.table.Table;
import dev.quarrel.cuda.backend.BusyTime;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.backend.LaunchClock;
import dev.quarrel.cuda.column.Chunk;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.EncodedRows;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.encode.RowsEncoder;
import dev.quarrel.cuda.encode.SortForm;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.program.ChunkColumns;
import dev.quarrel.cuda.service.Admission;
import dev.quarrel.cuda.service.CostModel;
import dev.quarrel.cuda.service.DeviceServices;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.ParameterBlock;
import dev.quarrel.cuda.vm.VmVerifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// A pipeline whose rows leave the device: it filters, joins and computes, and the CPU's sink takes the rows that come
/// through, in the source's order.
///
/// A morsel is some batches of a chunk, and stands by itself: what has no form on the device runs on the CPU, and so do
/// rows of which one fails; the CPU's sink takes either.
public final class RowsPipeline implements PreparedPipeline {
    /// What a chunk costs, in launches of a queue that nobody waits for: it has four, and two waits.
    public static final int LAUNCHES = 16;

    /// Rows of a top-N that the CPU looks at first, so that the device knows which rows are not wanted.
    private static final int SAMPLE_ROWS = 1 << 14;

    /// Where less of a chunk counts than this part, it is not brought as a whole.
    private static final int LEAST_SHARE = 4;

    /// So many first rows of an order are too many for a bound to be worth it: the device sorts all.
    private static final long MANY_ROWS = 1 << 20;

    private final DeviceServices device;
    private final PipelineContext context;
    private final PreparedPipeline cpu;
    private final Table table;
    private final PipelineFacts facts;
    private final EncodedRows encoded;
    private final SortForm form; // or null
    private final RowsProgram program;
    private final Admission.Ticket ticket;
    private final boolean isTopN;
    private final boolean isResult;
    private final long lastRow; // of a result's morsel that matters
    private final ChunkColumns.Source source; // of all that writing reads
    private final BusyTime moveTime = new BusyTime();
    private final BusyTime kernelTime = new BusyTime();
    private List<RowsWork> works = List.of(); // by morsel

    private RowsPipeline(
            DeviceServices device,
            Pipeline pipeline,
            PipelineContext context,
            PreparedPipeline cpu,
            Table table,
            PipelineFacts facts,
            EncodedRows encoded,
            SortForm form) {
        this.device = device;
        this.context = context;
        this.cpu = cpu;
        this.table = table;
        this.facts = facts;
        this.encoded = encoded;
        this.form = form;
        this.isTopN = encoded.first() != null
                && pipeline.sink() instanceof Sink.Sort(var _, Sink.Bound from, Sink.Bound rows)
                && lastRow(from, rows, context) < MANY_ROWS;
        this.isResult = pipeline.sink() instanceof Sink.Result;
        this.lastRow = lastRow(pipeline.sink(), context);
        this.source = source(encoded.write());
        long bytes = RowsProgram.bytes(encoded, facts);
        device.checkWorthwhile(context, work(pipeline.joins().size(), bytes, form));
        this.ticket = device.admit(bytes);
        try {
            this.program = new RowsProgram(device, encoded, facts);
        } catch (RuntimeException | Error problem) {
            ticket.close();
            throw problem;
        }
    }

    /// @param form of what the device sorts, or null
    private CostModel.Work work(int joins, long otherBytes, SortForm form) {
        long rows = table.stats().rowCount();
        long bytes = 0;
        long resident = 0;
        for (int index = 0; index < encoded.write().inputs().size(); index++) {
            int input = encoded.write().inputs().get(index);
            if (input >= 0) {
                ColumnForm column = encoded.write().forms().get(index);
                bytes += column.bytes(rows) + facts.textBytes(input);
                resident += device.columns().residentBytes(table, facts.column(input), column);
            }
        }
        return new CostModel.Work(
                form == null ? bytes : bytes + form.movedBytes(encoded, rows),
                Math.max(0, bytes - resident),
                bytes <= device.columns().limitBytes(),
                rows * joins,
                otherBytes,
                device.columns().chunks(table).size() * LAUNCHES,
                form == null ? 0 : SortForm.leavingBytes(encoded, rows));
    }

    private static long lastRow(Sink sink, PipelineContext context) {
        return sink instanceof Sink.Result(var _, Sink.Bound from, Sink.Bound rows)
                ? lastRow(from, rows, context)
                : Long.MAX_VALUE;
    }

    /// The first row behind those that a limit lets through.
    public static long lastRow(Sink.Bound from, Sink.Bound rows, PipelineContext context) {
        long limit = RowBounds.limit(rows, context.slotValues());
        long sum = RowBounds.offset(from, context.slotValues()) + limit;
        return limit < 0 || sum < 0 ? Long.MAX_VALUE : sum;
    }

    /// - Errors: [NoKernel] where the data have no form on the device, [DeviceFault]; `cpu` stays open then.
    public static RowsPipeline of(
            DeviceServices device, Pipeline pipeline, PipelineContext context, PreparedPipeline cpu) {
        Source.TableScan scan = (Source.TableScan) pipeline.source();
        Table table = context.catalog().scanned(scan.schemaName(), scan.tableName());
        PipelineFacts facts = new PipelineFacts(pipeline, scan, table, context);
        try {
            facts.takeRows();
            EncodedRows encoded = RowsEncoder.encode(pipeline, facts);
            VmVerifier.verify(encoded.mark().program());
            VmVerifier.verify(encoded.write().program());
            SortForm form = sortForm(pipeline, context, encoded, facts);
            return new RowsPipeline(device, pipeline, context, cpu, table, facts, encoded, form);
        } catch (RuntimeException | Error problem) {
            facts.close();
            throw problem;
        }
    }

    /// Whether a pipeline hands on its columns and all of their rows.
    public static boolean leavesAsItCame(Pipeline pipeline) {
        Program program = pipeline.lastProgram();
        return pipeline.joins().isEmpty()
                && program.selection() == ProgramBuilder.ALL_ROWS
                && program.code().stream().allMatch(instruction -> instruction.op() == Opcode.LOAD);
    }

    /// How the device sorts the pipeline's rows, or null where it does not.
    private static SortForm sortForm(
            Pipeline pipeline, PipelineContext context, EncodedRows encoded, PipelineFacts facts) {
        if (!(pipeline.sink() instanceof Sink.Sort(var keys, Sink.Bound from, Sink.Bound rows))
                || keys.isEmpty()
                || lastRow(from, rows, context) < MANY_ROWS) {
            return null;
        }
        try {
            return SortForm.of(pipeline, encoded, facts);
        } catch (NoKernel reason) {
            if (leavesAsItCame(pipeline)) {
                throw reason;
            }
            context.counters().note(reason.getMessage());
            return null;
        }
    }

    public DeviceServices device() {
        return device;
    }

    public PipelineContext context() {
        return context;
    }

    public Table table() {
        return table;
    }

    public PipelineFacts facts() {
        return facts;
    }

    /// How the device can sort the rows, or null where the CPU does.
    public SortForm form() {
        return form;
    }

    public RowsProgram program() {
        return program;
    }

    /// The CPU's batches, in the order that it wants them in as far as chunks have it; their numbers are those of the
    /// scan's order.
    @Override
    public List<Morsel> morsels() {
        Map<Integer, Integer> wanted = new LinkedHashMap<>(); // batches, and which comes first
        for (Morsel part : cpu.morsels()) {
            wanted.putIfAbsent(part.batch(), wanted.size());
        }
        List<RowsWork> made = new ArrayList<>();
        for (Chunk chunk : device.columns().chunks(table)) {
            List<Integer> batches = IntStream.range(chunk.first(), chunk.end())
                    .filter(wanted::containsKey)
                    .boxed()
                    .toList();
            if (batches.isEmpty()) {
                continue;
            }
            boolean isBackwards = wanted.get(batches.getLast()) < wanted.get(batches.getFirst());
            RowsWork whole = new RowsWork(chunk, batches, isBackwards);
            if (isWorthItsColumns(whole)) {
                made.add(whole);
            } else {
                batches.forEach(
                        batch -> made.add(new RowsWork(Chunk.ofBatch(table, batch), List.of(batch), isBackwards)));
            }
        }
        works = made;
        return IntStream.range(0, made.size())
                .boxed()
                .sorted(Comparator.comparing(index -> made.get(index).batches().stream()
                        .mapToInt(wanted::get)
                        .min()
                        .orElseThrow()))
                .map(this::morsel)
                .toList();
    }

    private Morsel morsel(int index) {
        RowsWork work = works.get(index);
        long rows = work.rowCount(0, work.chunk().rows());
        return new Morsel(index, work.batches().getFirst(), 0, (int) rows);
    }

    /// Whether a chunk is to be brought as a whole: not where some rows of it will do.
    private boolean isWorthItsColumns(RowsWork work) {
        return lastRow == Long.MAX_VALUE && isWorthItsColumns(work, work.part()) || source.isResident(work.chunk());
    }

    private static boolean isWorthItsColumns(RowsWork work, RowsPart part) {
        return work.rowCount(part.start(), part.end()) * LEAST_SHARE
                >= part.chunk().rows();
    }

    /// The columns of a chunk that marking reads.
    ///
    /// - Errors: as [ChunkColumns#of].
    public ChunkColumns markColumns(RowsPart part, CommandQueue queue) {
        return columns(source(encoded.mark()), part, queue);
    }

    /// Those that writing reads, too.
    ///
    /// - Errors: as [ChunkColumns#of].
    public ChunkColumns columns(RowsPart part, CommandQueue queue) {
        return columns(source, part, queue);
    }

    private ChunkColumns.Source source(EncodedPipeline pass) {
        return new ChunkColumns.Source(device.columns(), table, facts, pass.inputs(), pass.forms(), context, moveTime);
    }

    private static ChunkColumns columns(ChunkColumns.Source source, RowsPart part, CommandQueue queue) {
        try (LaunchClock untimed = new LaunchClock(queue, null)) {
            return ChunkColumns.of(source, part.chunk(), queue, untimed);
        }
    }

    /// A launch over rows of the pipeline, that counts towards its times.
    public RowsLaunch launch(CommandQueue queue, ChunkColumns columns, RowsPart part) {
        return new RowsLaunch(device, queue, program, columns, part, null, kernelTime);
    }

    /// Tells the counters what copying and launches have taken.
    public void countTimes() {
        context.counters().moveNanos.add(moveTime.takeNanos());
        context.counters().deviceNanos.add(kernelTime.takeNanos());
    }

    /// What a launch over all of a morsel looks at.
    public RowsPart part(Morsel morsel) {
        return works.get(morsel.index()).part();
    }

    @Override
    public List<Morsel> moreMorsels() {
        return cpu.moreMorsels();
    }

    @Override
    public SinkState newState() {
        return cpu.newState();
    }

    @Override
    public void run(Morsel morsel, SinkState state) {
        run(morsel, state, null);
    }

    /// @param marked the rows that come through, where they are known and no first key bounds them, or null; stays the
    /// caller's
    public void run(Morsel morsel, SinkState state, RowsLaunch.Marks marked) {
        if (morsel.batch() < 0) {
            cpu.run(morsel, state);
            return;
        }
        RowsWork work = isTopN ? admitted(works.get(morsel.index()), morsel) : works.get(morsel.index());
        if (work.batches().isEmpty()) {
            return;
        }
        RowsPart part = work.part();
        SortBound bound = null;
        if (isTopN) {
            bound = cpu.sortBound();
            if (bound == null) {
                part = sampled(work, part, morsel, state);
                bound = cpu.sortBound();
                work = admitted(work, morsel);
                if (work.batches().isEmpty()) {
                    return;
                }
                part = part.within(work.part());
            }
            if (part.rowCount() <= 0) {
                return;
            }
            if (!isWorthItsColumns(work, part) && !source.isResident(work.chunk())) {
                runOnCpu(work.onCpu(morsel.index(), part.start(), part.end()), state);
                return;
            }
        }
        int done = part.start(); // rows of the chunk whose results are with the sink
        try {
            done = runOnDevice(work, part, morsel, bound, state, marked);
        } catch (NoKernel | DeviceFault reason) {
            device.fallBack(context, reason.getMessage());
        }
        runOnCpu(work.onCpu(morsel.index(), done, part.end()), state);
    }

    private void runOnCpu(List<Morsel> parts, SinkState state) {
        for (Morsel part : parts) {
            context.cancellation().check();
            cpu.run(part, state);
        }
    }

    /// Without batches of which no row can be among the first.
    private RowsWork admitted(RowsWork work, Morsel morsel) {
        List<Integer> batches = work.batches().stream()
                .filter(batch -> !cpu.rulesOut(new Morsel(morsel.index(), batch, 0, table.batchRows(batch))))
                .toList();
        return new RowsWork(work.chunk(), batches, work.isBackwards());
    }

    /// Has the CPU look at some rows first, at the end that promises more.
    ///
    /// @return what is left
    private RowsPart sampled(RowsWork work, RowsPart part, Morsel morsel, SinkState state) {
        int start = part.start();
        int end = part.end();
        if (work.isBackwards()) {
            end = Math.max(start, end - SAMPLE_ROWS);
            runOnCpu(work.onCpu(morsel.index(), end, part.end()), state);
        } else {
            // Rows of a batch before stand there, too.
            start += Math.min(SAMPLE_ROWS, RowsPart.tileStart(end - start + ParameterBlock.PADDED_ROWS - 1));
            runOnCpu(work.onCpu(morsel.index(), part.start(), start), state);
        }
        return new RowsPart(part.chunk(), start, end);
    }

    /// @return the first row of the chunk that is yet to be done
    private int runOnDevice(
            RowsWork work, RowsPart part, Morsel morsel, SortBound bound, SinkState state, RowsLaunch.Marks marked) {
        CommandQueue queue = device.queues().borrow();
        try (ChunkColumns columns = columns(part, queue);
                RowsLaunch launch = new RowsLaunch(device, queue, program, columns, part, bound, kernelTime)) {
            if (marked != null) {
                launch.resume(marked);
            } else if (!launch.mark()) {
                return part.start();
            }
            launch.fetchMarks();
            long bytes =
                    columns.bytes() * part.rowCount() / Math.max(1, part.chunk().rows());
            long wanted = work.rowCount(part.start(), part.end());
            context.counters().rowsIn.add(wanted);
            context.counters().rowsOnDevice.add(wanted);
            context.counters().bytesRead.add(bytes);
            context.counters().deviceBytesRead.add(bytes);
            LeavingRows leaving = new LeavingRows(encoded, facts, table, part, context);
            long rows = Math.min(launch.rowCount(), lastRow);
            for (long begin = 0; begin < rows; begin += launch.windowRows()) {
                context.cancellation().check();
                if (isResult) {
                    context.results().awaitRoom(morsel);
                }
                long end = Math.min(rows, begin + launch.windowRows());
                Batch batch;
                try {
                    batch = leaving.batch(launch, begin, end);
                } catch (DeviceFault fault) {
                    return launch.sourceRow(begin, fault);
                }
                cpu.transferRows(morsel, batch, state);
            }
            context.counters().launches.add(launch.launches());
            return part.end();
        } finally {
            device.queues().release(queue);
        }
    }

    @Override
    public boolean isSatisfied() {
        return cpu.isSatisfied();
    }

    @Override
    public int mergeParts(int round, List<SinkState> states) {
        return cpu.mergeParts(round, states);
    }

    @Override
    public void merge(int round, int part, List<SinkState> states) {
        cpu.merge(round, part, states);
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        countTimes();
        return cpu.finish(states);
    }

    @Override
    public void close() {
        program.close();
        ticket.close();
        facts.close();
        cpu.close();
    }
}
