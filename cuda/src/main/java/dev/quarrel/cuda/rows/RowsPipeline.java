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
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.encode.EncodedRows;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.encode.RowsEncoder;
import dev.quarrel.cuda.encode.SortForm;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.program.BatchColumns;
import dev.quarrel.cuda.service.Admission;
import dev.quarrel.cuda.service.CostModel;
import dev.quarrel.cuda.service.DeviceServices;
import dev.quarrel.cuda.vm.VmVerifier;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// A pipeline whose rows leave the device: it filters, joins and computes, and the CPU's sink takes the rows that come
/// through, in the source's order.
///
/// A morsel is a batch, and stands by itself: one that has no form on the device, or in which a row fails, runs on the
/// CPU, whose sink takes either.
public final class RowsPipeline implements PreparedPipeline {
    /// What a batch costs, in launches of a queue that nobody waits for: it has four, and two waits.
    public static final int LAUNCHES = 16;

    /// Rows of a top-N that the CPU looks at first, so that the device knows which rows are not wanted.
    private static final int SAMPLE_ROWS = 1 << 14;

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
    private final long lastRow; // of a result's morsel that matters

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
        this.lastRow = lastRow(pipeline.sink(), context);
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
        for (int index = 0; index < encoded.write().inputs().size(); index++) {
            int input = encoded.write().inputs().get(index);
            bytes += input < 0
                    ? 0
                    : encoded.write().program().columns().get(index).bytes(rows) + facts.textBytes(input);
        }
        // What is there is not counted: batches are kept one by one, and of aggregates together.
        return new CostModel.Work(
                form == null ? bytes : bytes + form.movedBytes(encoded, rows),
                bytes,
                bytes <= device.columns().limitBytes(),
                rows * joins,
                otherBytes,
                table.batchCount() * LAUNCHES,
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

    /// The CPU's batches in the order that it wants them in; their numbers are those of the scan's order.
    @Override
    public List<Morsel> morsels() {
        List<Integer> batches = new ArrayList<>();
        TreeMap<Integer, Integer> places = new TreeMap<>();
        for (Morsel part : cpu.morsels()) {
            if (places.put(part.batch(), 0) == null) {
                batches.add(part.batch());
            }
        }
        int next = 0;
        for (var place : places.entrySet()) {
            place.setValue(next++);
        }
        return batches.stream()
                .map(batch -> new Morsel(places.get(batch), batch, 0, table.batchRows(batch)))
                .toList();
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
        if (morsel.batch() < 0 || cpu.rulesOut(morsel)) {
            cpu.run(morsel, state);
            return;
        }
        Morsel rest = morsel;
        SortBound bound = isTopN ? cpu.sortBound() : null;
        if (isTopN && bound == null) {
            cpu.run(part(morsel, 0, Math.min(SAMPLE_ROWS, morsel.rowCount())), state);
            if (morsel.rowCount() <= SAMPLE_ROWS) {
                return;
            }
            rest = part(morsel, SAMPLE_ROWS, morsel.rowCount());
            bound = cpu.sortBound();
        }
        int done = rest.firstRow(); // rows of the batch whose results are with the sink
        try {
            done = runOnDevice(rest, bound, state, marked);
        } catch (NoKernel | DeviceFault reason) {
            device.fallBack(context, reason.getMessage());
        }
        if (done < morsel.rowCount()) {
            cpu.run(part(morsel, done, morsel.rowCount()), state);
        }
    }

    private static Morsel part(Morsel morsel, int begin, int end) {
        return new Morsel(morsel.index(), morsel.batch(), begin, end - begin);
    }

    /// @return the first row that is yet to be done
    private int runOnDevice(Morsel morsel, SortBound bound, SinkState state, RowsLaunch.Marks marked) {
        CommandQueue queue = device.queues().borrow();
        try (BatchColumns columns =
                BatchColumns.of(device.columns(), queue, table, morsel.batch(), facts, encoded.write(), context)) {
            try (RowsLaunch launch = new RowsLaunch(device, queue, program, columns, morsel, bound)) {
                if (marked != null) {
                    launch.resume(marked);
                } else if (!launch.mark()) {
                    return morsel.firstRow();
                }
                launch.fetchMarks();
                context.counters().rowsIn.add(morsel.rowCount());
                context.counters().rowsOnDevice.add(morsel.rowCount());
                context.counters().bytesRead.add(columns.bytes());
                context.counters().deviceBytesRead.add(columns.bytes());
                LeavingRows leaving = new LeavingRows(encoded, facts, table, morsel, context);
                long rows = Math.min(launch.rowCount(), lastRow);
                for (long begin = 0; begin < rows; begin += launch.windowRows()) {
                    context.cancellation().check();
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
                return morsel.firstRow() + morsel.rowCount();
            }
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
