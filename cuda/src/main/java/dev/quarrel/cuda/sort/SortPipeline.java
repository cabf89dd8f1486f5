package dev.quarrel.cuda.sort;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.run.RowBounds;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.encode.ColumnGather;
import dev.quarrel.cuda.encode.EncodedRows;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.encode.SortForm;
import dev.quarrel.cuda.program.ChunkColumns;
import dev.quarrel.cuda.rows.LeavingRows;
import dev.quarrel.cuda.rows.RowsLaunch;
import dev.quarrel.cuda.rows.RowsPart;
import dev.quarrel.cuda.rows.RowsPipeline;
import dev.quarrel.cuda.service.Admission;
import dev.quarrel.cuda.service.DeviceServices;
import dev.quarrel.cuda.vm.DeviceColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/// A pipeline whose rows the device sorts: they leave it in their order.
///
/// Its morsels come in three rounds. First the rows that come through are marked and counted, chunk by chunk; so
/// it is known how many there are, and whether the device has room for them. Then they are written, each at its
/// place among all rows. They are sorted between this round and the last, in which batches of the sorted rows
/// leave.
///
/// Where any of it is not to be had, the CPU sorts: the rows leave in the source's order, as those of
/// [RowsPipeline] do, from the first one on. The CPU has no rows until then, so nothing comes twice.
public final class SortPipeline implements PreparedPipeline {
    private static final int MIN_BATCH_ROWS = 64;
    private static final int MAX_BATCH_ROWS = 1 << 16;

    private final RowsPipeline rows;
    private final DeviceServices device;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final EncodedRows encoded;
    private final SortForm form;
    private final long firstRow;
    private final long endRow;
    private final int batchRows;
    private final List<EncodedRows.Output.OfSource> sourceOutputs;
    private final LongAdder launches = new LongAdder();
    private final LongAdder columnBytes = new LongAdder();
    private Round round = Round.MARKING;
    private List<Morsel> scanned = List.of();
    private RowsLaunch.Marks[] marks; // by morsel
    private int[] firstNumbers; // by morsel: of its rows among all
    private SourceRows[] sources; // by morsel, where columns have no form on the device
    private Admission.Ticket ticket;
    private DeviceSort sort;
    private Batch[] sorted = {};
    private volatile String trouble; // why the CPU sorts, or null

    private enum Round {
        MARKING,
        WRITING,
        GATHERING,
        SORTED,
        LEAVING
    }

    /// The columns of a morsel's rows that have no form on the device.
    ///
    /// @param arena holds them
    private record SourceRows(List<Column> columns, BudgetArena arena) {}

    /// @param rows owned from here on
    /// @param firstRow of the sorted ones that is wanted; `endRow` is behind the last
    private SortPipeline(RowsPipeline rows, Pipeline pipeline, SortForm form, long firstRow, long endRow) {
        this.rows = rows;
        this.device = rows.device();
        this.pipeline = pipeline;
        this.context = rows.context();
        this.encoded = rows.program().encoded();
        this.form = form;
        this.firstRow = firstRow;
        this.endRow = endRow;
        this.batchRows = (int) Math.clamp(
                device.tuning().windowBytes() / Math.max(1, SortForm.leavingBytes(encoded, 1)),
                MIN_BATCH_ROWS,
                MAX_BATCH_ROWS);
        this.sourceOutputs = LeavingRows.sourceOutputs(encoded);
    }

    /// A pipeline that the device sorts, or one whose rows the CPU sorts as they leave.
    ///
    /// - Errors: [NoKernel] where the data have no form on the device, [DeviceFault]; `cpu` stays open then.
    public static PreparedPipeline of(
            DeviceServices device, Pipeline pipeline, Sink.Sort sink, PipelineContext context, PreparedPipeline cpu) {
        RowsPipeline rows = RowsPipeline.of(device, pipeline, context, cpu);
        if (rows.form() == null) {
            return rows;
        }
        long first = RowBounds.offset(sink.offset(), context.slotValues());
        long end = RowsPipeline.lastRow(sink.offset(), sink.limit(), context);
        return new SortPipeline(rows, pipeline, rows.form(), first, end);
    }

    @Override
    public List<Morsel> morsels() {
        scanned = rows.morsels();
        marks = new RowsLaunch.Marks[scanned.size()];
        firstNumbers = new int[scanned.size() + 1];
        sources = new SourceRows[scanned.size()];
        return scanned;
    }

    @Override
    public List<Morsel> moreMorsels() {
        return switch (round) {
            case MARKING -> beginWriting();
            case WRITING -> beginGathering();
            case GATHERING -> trouble == null ? end() : leave();
            case SORTED -> List.of();
            case LEAVING -> rows.moreMorsels();
        };
    }

    @Override
    public SinkState newState() {
        return rows.newState();
    }

    @Override
    public void run(Morsel morsel, SinkState state) {
        if (round == Round.LEAVING) {
            leave(morsel, state);
            return;
        }
        if (trouble != null) {
            return;
        }
        try {
            CommandQueue queue = device.queues().borrow();
            try {
                switch (round) {
                    case MARKING -> mark(morsel, queue);
                    case WRITING -> write(morsel, queue);
                    case GATHERING -> gather(morsel, queue);
                    case SORTED, LEAVING -> throw new IllegalStateException("no morsels in round " + round);
                }
            } finally {
                device.queues().release(queue);
            }
        } catch (NoKernel | DeviceFault reason) {
            giveUp(reason.getMessage());
        } catch (QueryException problem) {
            if (problem.state() != SqlState.OUT_OF_MEMORY) {
                throw problem;
            }
            giveUp("the sorted rows do not fit the query's memory");
        }
    }

    private void giveUp(String reason) {
        trouble = reason;
    }

    /// Lets the CPU sort.
    private List<Morsel> leave() {
        if (!trouble.isEmpty()) {
            context.counters().note("the CPU sorts: " + trouble);
        }
        context.counters().launches.add(launches.sum());
        releaseSort();
        closeSorted();
        round = Round.LEAVING;
        return scanned;
    }

    private void leave(Morsel morsel, SinkState state) {
        RowsLaunch.Marks marked = marks[morsel.index()];
        if (marked == null || marked.rowCount() > 0) {
            rows.run(morsel, state, marked);
        } else {
            context.counters().rowsIn.add(morsel.rowCount());
            context.counters().rowsOnDevice.add(morsel.rowCount());
        }
    }

    // ---- the first round

    private void mark(Morsel morsel, CommandQueue queue) {
        RowsPart part = rows.part(morsel);
        try (ChunkColumns columns = rows.markColumns(part, queue);
                RowsLaunch launch = rows.launch(queue, columns, part)) {
            columnBytes.add(columns.bytes());
            if (!launch.mark()) {
                giveUp("a row fails, or is not as statistics have it");
                return;
            }
            marks[morsel.index()] = launch.takeMarks();
            launches.add(launch.launches());
        }
    }

    private List<Morsel> beginWriting() {
        if (trouble != null) {
            return leave();
        }
        long total = 0;
        for (int index = 0; index < marks.length; index++) {
            firstNumbers[index] = (int) total;
            total += marks[index].rowCount();
            firstNumbers[index + 1] = (int) total;
            if (total > DeviceSort.MAX_ROWS) {
                break;
            }
        }
        if (total == 0) {
            return end();
        }
        String refusal = refusal(total);
        if (refusal == null) {
            try {
                sort = new DeviceSort(device, encoded, form, (int) total);
            } catch (DeviceFault fault) {
                refusal = fault.getMessage();
            }
        }
        if (refusal != null) {
            giveUp(refusal);
            return leave();
        }
        round = Round.WRITING;
        return scanned.stream()
                .filter(morsel -> marks[morsel.index()].rowCount() > 0)
                .toList();
    }

    /// Why the device does not sort so many rows, or null: "" for few, which leave sooner than they are sorted there.
    private String refusal(long total) {
        if (total < device.tuning().minSortRows()) {
            return "";
        }
        if (total > DeviceSort.MAX_ROWS) {
            return total + " rows are more than one sort of the device has numbers for";
        }
        long wanted = Math.max(0, Math.min(endRow, total) - firstRow);
        if (SortForm.leavingBytes(encoded, wanted) > context.budget().availableBytes() / 2) {
            return "the sorted rows do not fit the query's memory";
        }
        long leaving =
                SortForm.leavingBytes(encoded, batchRows) * device.tuning().threads();
        return switch (device.admission().request(DeviceSort.bytes(encoded, total) + leaving)) {
            case Admission.Answer.Admitted(Admission.Ticket admitted) -> {
                ticket = admitted;
                yield null;
            }
            case Admission.Answer.Refused(String reason) -> reason;
        };
    }

    // ---- the second round

    private void write(Morsel morsel, CommandQueue queue) {
        int index = morsel.index();
        int first = firstNumbers[index];
        RowsPart part = rows.part(morsel);
        try (ChunkColumns columns = rows.columns(part, queue);
                RowsLaunch launch = rows.launch(queue, columns, part)) {
            columnBytes.add(columns.bytes());
            List<DeviceColumn> places = new ArrayList<>();
            for (int number = 0; number < encoded.written().size(); number++) {
                places.add(sort.place(number, first));
            }
            launch.resume(marks[index]);
            if (!launch.write(places)) {
                giveUp("a row fails, or is not as statistics have it");
                return;
            }
            launches.add(launch.launches());
        }
        if (!sourceOutputs.isEmpty()) {
            readSource(morsel, queue);
        }
    }

    private void readSource(Morsel morsel, CommandQueue queue) {
        int index = morsel.index();
        int count = firstNumbers[index + 1] - firstNumbers[index];
        LeavingRows leaving = new LeavingRows(encoded, rows.facts(), rows.table(), rows.part(morsel), context);
        BudgetArena arena = new BudgetArena(context.budget());
        try {
            var numbers = sort.values(queue, sourceOutputs.getFirst().written(), firstNumbers[index], count, arena);
            sources[index] = new SourceRows(leaving.sourceColumns(numbers, count, arena), arena);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    private List<Morsel> beginGathering() {
        if (trouble == null) {
            try {
                CommandQueue queue = device.queues().borrow();
                try {
                    sort.sort(queue, context.cancellation());
                } finally {
                    device.queues().release(queue);
                }
            } catch (NoKernel | DeviceFault reason) {
                giveUp(reason.getMessage());
            }
        }
        if (trouble != null) {
            return leave();
        }
        int begin = (int) Math.min(firstRow, sort.rowCount());
        int end = (int) Math.max(begin, Math.min(endRow, sort.rowCount()));
        List<Morsel> parts = new ArrayList<>();
        for (int from = begin; from < end; from += Math.min(batchRows, end - from)) {
            parts.add(new Morsel(parts.size(), parts.size(), from, Math.min(batchRows, end - from)));
        }
        sorted = new Batch[parts.size()];
        round = Round.GATHERING;
        return parts.isEmpty() ? end() : parts;
    }

    // ---- the last round

    private void gather(Morsel part, CommandQueue queue) {
        int count = part.rowCount();
        BudgetArena arena = new BudgetArena(context.budget());
        try {
            List<RowsLaunch.Leaving> leaving = sort.gather(queue, part.firstRow(), count, arena);
            List<Column> columns = LeavingRows.columns(encoded, rows.facts(), leaving, count, arena);
            if (!sourceOutputs.isEmpty()) {
                int[] numbers = sort.numbers(queue, part.firstRow(), count);
                int next = 0;
                for (int index = 0; index < columns.size(); index++) {
                    if (columns.get(index) == null) {
                        columns.set(index, sourceColumn(next++, numbers, arena));
                    }
                }
            }
            sorted[part.index()] = LeavingRows.batch(columns, count, arena);
            launches.increment();
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    /// @param numbers of rows among all
    private Column sourceColumn(int place, int[] numbers, Allocator allocator) {
        Column some = Arrays.stream(sources)
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow()
                .columns()
                .get(place);
        ColumnWriter writer = new ColumnWriter(some.type(), allocator, numbers.length);
        for (int number : numbers) {
            int morsel = morselOf(number);
            ColumnGather.append(writer, sources[morsel].columns().get(place), number - firstNumbers[morsel]);
        }
        return writer.finish();
    }

    /// The last morsel whose first number is at most this one: those before it that begin there too are empty.
    private int morselOf(int number) {
        int low = 0;
        int high = scanned.size() - 1;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (firstNumbers[middle] <= number) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private List<Morsel> end() {
        long rowCount =
                scanned.stream().mapToLong(morsel -> (long) morsel.rowCount()).sum();
        context.counters().rowsIn.add(rowCount);
        context.counters().rowsOnDevice.add(rowCount);
        context.counters().bytesRead.add(columnBytes.sum());
        context.counters().deviceBytesRead.add(columnBytes.sum());
        if (sort != null) {
            launches.add(sort.launches());
            context.counters().rowsSorted.add(sort.rowCount());
            context.counters().sortPasses.add(sort.passes());
            context.counters().sortNanos.add(sort.nanos());
        }
        context.counters().launches.add(launches.sum());
        context.counters()
                .rowsOut
                .add(Arrays.stream(sorted).mapToLong(Batch::rowCount).sum());
        closeMarks();
        releaseSort();
        round = Round.SORTED;
        return List.of();
    }

    @Override
    public boolean isSatisfied() {
        return rows.isSatisfied();
    }

    @Override
    public int mergeParts(int mergeRound, List<SinkState> states) {
        return round == Round.SORTED ? 0 : rows.mergeParts(mergeRound, states);
    }

    @Override
    public void merge(int mergeRound, int part, List<SinkState> states) {
        rows.merge(mergeRound, part, states);
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        if (round != Round.SORTED) {
            return rows.finish(states);
        }
        rows.countTimes();
        states.forEach(SinkState::close);
        List<Batch> batches = List.of(sorted);
        sorted = new Batch[0];
        return new RowBatches(pipeline, batches, () -> batches.forEach(Batch::close));
    }

    private void closeMarks() {
        for (int index = 0; marks != null && index < marks.length; index++) {
            if (marks[index] != null) {
                marks[index].close();
                marks[index] = null;
            }
        }
    }

    private void closeSorted() {
        for (Batch batch : sorted) {
            if (batch != null) {
                batch.close();
            }
        }
        sorted = new Batch[0];
    }

    private void releaseSort() {
        if (sort != null) {
            sort.close();
            sort = null;
        }
        if (ticket != null) {
            ticket.close();
            ticket = null;
        }
        for (int index = 0; sources != null && index < sources.length; index++) {
            if (sources[index] != null) {
                sources[index].arena().close();
                sources[index] = null;
            }
        }
    }

    @Override
    public void close() {
        closeSorted();
        closeMarks();
        releaseSort();
        rows.close();
    }
}
