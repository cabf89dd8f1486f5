package dev.quarrel.core.cpu.window;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.RowGather;
import dev.quarrel.core.cpu.rows.RowSort;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.WindowCall;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// The end of a window sink: it brings rows into the windows' order, finds where partitions and groups of peers
/// start, computes the functions, for some partitions in each part, and makes batches.
///
/// - Memory: owns the stores.
public final class WindowMerge implements Ending {
    private static final int FEW_ROWS = 1 << 13;
    private static final int PART_ROWS = 1 << 16;

    private enum Round {
        SORT,
        STARTS,
        FUNCTIONS,
        BATCHES,
        DONE
    }

    private final Pipeline pipeline;
    private final PipelineContext context;
    private final Sink.Window sink;
    private final List<RowStore> stores;
    private final RowSort sort;
    private final RowGather gather;
    private final Reservation reservation;
    private final BudgetArena arena;
    private final List<DataType> outputs;
    private Round round = Round.SORT;
    private long[] partitions; // a bit a row in order
    private long[] peers;
    private final List<Part> parts = new ArrayList<>();
    private final List<Slice> slices = new ArrayList<>();
    private Batch[] batches;
    private boolean isHandedOver;

    /// Rows of whole partitions, and their functions' answers.
    private static final class Part {
        private final int first;
        private final int rowCount;
        private final ValueStore[] results;

        Part(int first, int rowCount, int calls) {
            this.first = first;
            this.rowCount = rowCount;
            this.results = new ValueStore[calls];
        }
    }

    /// What one batch holds.
    private record Slice(Part part, int from, int count) {}

    /// @param stores at least one; owned from here on, also when this fails
    public WindowMerge(Pipeline pipeline, Sink.Window sink, List<RowStore> stores, PipelineContext context) {
        this.pipeline = pipeline;
        this.context = context;
        this.sink = sink;
        this.stores = stores;
        this.outputs = pipeline.lastProgram().outputTypes();
        try {
            this.sort = new RowSort(stores, sink.keys(), 0, Long.MAX_VALUE, context.budget());
        } catch (RuntimeException | Error problem) {
            stores.forEach(RowStore::close);
            throw problem;
        }
        this.gather = new RowGather(stores, sort.rowIds());
        this.reservation = new Reservation(context.budget());
        this.arena = new BudgetArena(context.budget());
    }

    /// So few rows that other threads would come too late to help.
    private boolean isSmall() {
        return sort.rowCount() <= FEW_ROWS;
    }

    @Override
    public int beginRound(int number) {
        return isSmall() ? 0 : nextRound();
    }

    private int nextRound() {
        if (round == Round.SORT) {
            int sortParts = sort.beginRound();
            if (sortParts > 0) {
                return sortParts;
            }
        }
        round = Round.values()[round.ordinal() + 1];
        return switch (round) {
            case SORT -> throw new IllegalStateException("the sort is over");
            case STARTS -> {
                reservation.grow(Bits.words(sort.rowCount()) * 16L);
                partitions = new long[Bits.words(sort.rowCount())];
                peers = new long[Bits.words(sort.rowCount())];
                yield Math.max(1, (sort.rowCount() + PART_ROWS - 1) / PART_ROWS);
            }
            case FUNCTIONS -> {
                cut();
                sort.releaseWords();
                yield Math.max(1, parts.size() * sink.calls().size());
            }
            case BATCHES -> {
                batches = new Batch[slices.size()];
                yield Math.max(1, slices.size());
            }
            case DONE -> 0;
        };
    }

    @Override
    public void run(int part) {
        switch (round) {
            case SORT -> sort.run(part);
            case STARTS -> markStarts(part * PART_ROWS, Math.min((part + 1) * PART_ROWS, sort.rowCount()));
            case FUNCTIONS -> {
                if (part < parts.size() * sink.calls().size()) {
                    compute(
                            parts.get(part / sink.calls().size()),
                            part % sink.calls().size());
                }
            }
            case BATCHES -> {
                if (part < slices.size()) {
                    batches[part] = batch(slices.get(part));
                }
            }
            case DONE -> throw new IllegalStateException("no round");
        }
    }

    private void markStarts(int from, int to) {
        int[] ids = sort.ids();
        int partitionKeys = sink.partition().size();
        int allKeys = partitionKeys + sink.order().size();
        for (int row = from; row < to; row++) {
            boolean isFirst = row == 0 || !sort.keys().isEqual(0, partitionKeys, ids[row - 1], ids[row]);
            if (isFirst || !sort.keys().isEqual(partitionKeys, allKeys, ids[row - 1], ids[row])) {
                Bits.set(peers, row, true);
            }
            if (isFirst) {
                Bits.set(partitions, row, true);
            }
        }
    }

    /// Cuts the rows into parts of whole partitions, and those into batches.
    private void cut() {
        int rowCount = sort.rowCount();
        int first = 0;
        for (int row = 1; row <= rowCount; row++) {
            if ((row & PART_ROWS - 1) == 0) {
                context.cancellation().check();
            }
            if (row == rowCount || row - first >= PART_ROWS && Bits.get(partitions, row)) {
                Part part = new Part(first, row - first, sink.calls().size());
                parts.add(part);
                for (int from = 0; from < part.rowCount; from += RowStore.BATCH_ROWS) {
                    slices.add(new Slice(part, from, Math.min(RowStore.BATCH_ROWS, part.rowCount - from)));
                }
                first = row;
            }
        }
    }

    private void compute(Part part, int number) {
        WindowCall call = sink.calls().get(number);
        ValueStore result = ValueStore.of(call.resultType(outputs), reservation);
        try (WindowPart rows = new WindowPart(
                sink,
                outputs,
                gather,
                sort.ids(),
                part.first,
                part.rowCount,
                partitions,
                peers,
                new Reservation(context.budget()),
                context.cancellation())) {
            rows.compute(call, result);
        }
        part.results[number] = result;
    }

    private Batch batch(Slice slice) {
        Schema schema = RowStore.schema(pipeline.rowTypes());
        int first = slice.part.first + slice.from;
        List<Column> columns = new ArrayList<>(gather.columns(sort.ids(), first, slice.count, arena));
        for (ValueStore result : slice.part.results) {
            columns.add(result.toColumn(null, slice.from, slice.count, arena));
        }
        return Batch.view(schema, columns, slice.count);
    }

    /// The rows in order; what is left of the rounds is done here.
    @Override
    public Materialized finish() {
        while (round != Round.DONE) {
            int count = nextRound();
            for (int part = 0; part < count; part++) {
                run(part);
            }
        }
        isHandedOver = true;
        return new RowBatches(pipeline, List.of(batches), arena::close);
    }

    @Override
    public void close() {
        sort.close();
        stores.forEach(RowStore::close);
        parts.clear();
        reservation.close();
        if (!isHandedOver) {
            arena.close();
        }
    }
}
