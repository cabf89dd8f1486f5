package dev.quarrel.core.cpu;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.expr.ProgramOutputs;
import dev.quarrel.core.cpu.group.AggregateSink;
import dev.quarrel.core.cpu.group.GroupMerge;
import dev.quarrel.core.cpu.group.GroupSpill;
import dev.quarrel.core.cpu.join.BuildMatches;
import dev.quarrel.core.cpu.join.BuildSpill;
import dev.quarrel.core.cpu.join.HashBuildSink;
import dev.quarrel.core.cpu.join.JoinBuild;
import dev.quarrel.core.cpu.join.JoinStages;
import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.join.TileChain;
import dev.quarrel.core.cpu.loop.ClusteredGroups;
import dev.quarrel.core.cpu.loop.CpuWorker;
import dev.quarrel.core.cpu.loop.DenseGroups;
import dev.quarrel.core.cpu.loop.FusedPipeline;
import dev.quarrel.core.cpu.loop.GroupEnd;
import dev.quarrel.core.cpu.rows.RowSort;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.scan.BatchRanges;
import dev.quarrel.core.cpu.scan.RowSource;
import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.ResultSink;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.SpillingSink;
import dev.quarrel.core.cpu.sink.TileRunner;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.sort.LastRowsSink;
import dev.quarrel.core.cpu.sort.PrefixRows;
import dev.quarrel.core.cpu.sort.RunSpill;
import dev.quarrel.core.cpu.sort.SortBar;
import dev.quarrel.core.cpu.sort.SortMerge;
import dev.quarrel.core.cpu.sort.SortSink;
import dev.quarrel.core.cpu.sort.TopN;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.window.WindowMerge;
import dev.quarrel.core.cpu.window.WindowRunSpill;
import dev.quarrel.core.cpu.window.WindowSpill;
import dev.quarrel.core.cpu.window.WindowStream;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.device.SortBound;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.run.ColumnSlice;
import dev.quarrel.core.run.RowBounds;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// A pipeline ready to run on the CPU.
final class CpuPipeline implements PreparedPipeline {
    private static final int MAX_MORSEL_ROWS = 1 << 17;
    private static final int MIN_MORSEL_ROWS = 1 << 14;
    private static final int MORSELS_PER_THREAD = 4;
    /// What a value takes in a row that is kept and sorted, about.
    private static final long FEW_ROWS_BYTES = 32;

    private final QueryPlan plan;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final DeviceConfig config;
    private final int tileRows;
    private final List<JoinTable> tables = new ArrayList<>();
    private final List<JoinTable> ownTables = new ArrayList<>();
    private final List<BuildMatches> matches = new ArrayList<>(); // one a join, null where build rows do not follow
    private int nextBuild; // the join whose build rows follow next
    private RowSource source;
    private FusedPipeline fused;
    private GroupEnd dense;
    private JoinStages stages; // or null: all build sides are in memory
    private int morselCount;
    private long sourceRows;
    private SinkSpill spill;
    private boolean spilled; // whether the spill ends the pipeline
    private int[] identity;
    private long offset;
    private long limit = Sink.NO_LIMIT;
    private TopN top;
    private PrefixRows prefix;
    private SortMerge sorting;
    private WindowMerge windowing;
    private JoinBuild building;
    private GroupMerge grouping;

    private CpuPipeline(QueryPlan plan, Pipeline pipeline, PipelineContext context, DeviceConfig config) {
        this.plan = plan;
        this.pipeline = pipeline;
        this.context = context;
        this.config = config;
        this.tileRows = config.tileRows();
    }

    static CpuPipeline of(QueryPlan plan, Pipeline pipeline, PipelineContext context, DeviceConfig config) {
        CpuPipeline made = new CpuPipeline(plan, pipeline, context, config);
        try {
            made.prepare();
            return made;
        } catch (RuntimeException | Error problem) {
            made.close();
            throw problem;
        }
    }

    private void prepare() {
        switch (pipeline.sink()) {
            case Sink.Result(List<String> _, Sink.Bound from, Sink.Bound rows) -> setBounds(from, rows);
            case Sink.Sort(var _, Sink.Bound from, Sink.Bound rows) -> setBounds(from, rows);
            case Sink.Last(Sink.Bound rows) -> setBounds(Sink.Bound.ZERO, rows);
            case Sink.HashBuild _, Sink.Aggregate _, Sink.Window _ -> {}
        }
        stages = JoinStages.of(pipeline, context, tileRows, config.threads());
        for (Join join : stages == null ? pipeline.joins() : stages.first().joins()) {
            JoinTable table = table(context.materialized(join.build()));
            tables.add(table);
            matches.add(
                    join.kind().emitsBuildRows() ? new BuildMatches((int) table.rowCount(), context.budget()) : null);
        }
        if (stages != null) {
            for (Join join : stages.later()) {
                stages.addTable(join, table(context.materialized(join.build())));
            }
        }
        fused = config.tier() == DeviceConfig.Tier.INTERPRETED
                ? null
                : FusedPipeline.of(head(), tables, config, context);
        source = RowSource.of(pipeline.source(), pipeline.id(), context);
        if (pipeline.sink() instanceof Sink.Sort(List<SortKey> keys, var _, var _)
                && !keys.isEmpty()
                && firstRowsFit(keys)) {
            top = TopN.of(
                    pipeline,
                    keys,
                    pipeline.source() instanceof Source.TableScan scan && everyRowStandsAlone()
                            ? RowSource.table(scan, context)
                            : null);
        }
        spill = context.spill().isEnabled() ? makeSpill() : null;
        // Rows of a file are copied, so that a fault shows here and not where the reader looks at them.
        if (pipeline.sink() instanceof Sink.Result
                && pipeline.joins().isEmpty()
                && !(pipeline.source() instanceof Source.TableScan)) {
            identity = ProgramOutputs.identity(pipeline.lastProgram());
        }
    }

    /// Whether the first rows of a sort, as many as workers keep at most, are sure to fit into memory: they do not
    /// spill.
    private boolean firstRowsFit(List<SortKey> keys) {
        if (lastRow() > Integer.MAX_VALUE / 4) {
            return false;
        }
        List<DataType> types = pipeline.rowTypes();
        long rows = SortSink.mostRows(lastRow()) * config.threads();
        long few = FEW_ROWS_BYTES * (1L + types.size());
        if (rows * few <= context.budget().limitBytes() / 4) {
            return true;
        }
        if (types.stream().anyMatch(type -> type.byteWidth() < 0 || type instanceof DataType.Numeric)) {
            return false;
        }
        // Arrays are twice as long as they need to be, at most.
        long stored = 2
                * types.stream()
                        .mapToLong(type -> Math.max(Integer.BYTES, type.byteWidth()) + 1)
                        .sum();
        long sorting = RowSort.rowBytes(
                keys.stream().map(key -> types.get(key.output())).toList());
        return rows * (stored + sorting) <= context.budget().availableBytes() / 4 * 3;
    }

    /// Whether a source's row that is left out makes no difference but its own.
    private boolean everyRowStandsAlone() {
        return pipeline.joins().stream().noneMatch(join -> join.kind().emitsBuildRows() || join.residual() != null);
    }

    /// What takes the rows or groups that memory does not hold, or null for a sink that keeps few.
    private SinkSpill makeSpill() {
        MemoryPressure pressure = new MemoryPressure(context.budget(), config.threads());
        return switch (pipeline.sink()) {
            case Sink.Aggregate(var keys, var _) ->
                keys.isEmpty() ? null : new GroupSpill(pipeline, context, tileRows, pressure);
            // The first few rows are few, and their workers take morsels in another order than the scan's.
            case Sink.Sort _ when top != null -> null;
            case Sink.Sort _ -> new RunSpill(pipeline, context, pressure, offset, lastRow());
            case Sink.HashBuild _ ->
                JoinStages.canSpill(plan, pipeline) ? new BuildSpill(pipeline, context, pressure) : null;
            case Sink.Window window
            when !window.partition().isEmpty() -> new WindowSpill(pipeline, context, tileRows, pressure);
            // Other functions need all rows in memory together.
            case Sink.Window window ->
                WindowStream.canStream(window) ? new WindowRunSpill(pipeline, context, pressure) : null;
            case Sink.Result _, Sink.Last _ -> null;
        };
    }

    /// The pipeline as far as it runs over the source: up to the first join whose build side is in files.
    private Pipeline head() {
        return stages == null ? pipeline : stages.first();
    }

    private void setBounds(Sink.Bound from, Sink.Bound rows) {
        offset = RowBounds.offset(from, context.slotValues());
        limit = RowBounds.limit(rows, context.slotValues());
    }

    private long lastRow() {
        return limit < 0 || limit > Long.MAX_VALUE - offset ? Long.MAX_VALUE : limit == 0 ? 0 : offset + limit;
    }

    private JoinTable table(Materialized built) {
        if (built instanceof JoinTable own) {
            return own;
        }
        Sink.HashBuild sink = (Sink.HashBuild) built.pipeline().sink();
        RowStore rows = new RowStore(built.pipeline().rowTypes(), context.budget());
        try {
            for (int index = 0; index < built.batchCount(); index++) {
                try (Batch batch = built.batch(index)) {
                    rows.append(batch, tileRows);
                }
            }
        } catch (RuntimeException | Error problem) {
            rows.close();
            throw problem;
        }
        try (JoinBuild build =
                new JoinBuild(built.pipeline(), List.of(rows), sink.keys().size(), tileRows, context.budget(), true)) {
            JoinTable copy = build.finish();
            ownTables.add(copy);
            return copy;
        }
    }

    @Override
    public List<Morsel> morsels() {
        List<Morsel> morsels = new ArrayList<>();
        if (isEmpty()) {
            return morsels;
        }
        BatchRanges ranges = null;
        if (pipeline.source() instanceof Source.TableScan scan) {
            Table table = RowSource.table(scan, context);
            ranges = BatchRanges.of(pipeline, scan, table, tables, context.slotValues());
        }
        boolean[] admitted = new boolean[source.batchCount()];
        long rows = 0;
        for (int batch = 0; batch < admitted.length; batch++) {
            admitted[batch] = source.rowCount(batch) > 0 && (ranges == null || ranges.admits(batch));
            rows += admitted[batch] ? source.rowCount(batch) : 0;
            if (!admitted[batch]) {
                context.counters().batchesSkipped.increment();
            }
        }
        sourceRows = rows;
        // Where the first rows of the order come first, the first few rows set the bar for all others.
        int morselRows = morselRows(top != null && top.readsInOrder() ? 0 : rows);
        for (int batch = 0; batch < admitted.length; batch++) {
            for (int first = 0; admitted[batch] && first < source.rowCount(batch); first += morselRows) {
                int count = Math.min(morselRows, source.rowCount(batch) - first);
                morsels.add(new Morsel(morsels.size(), batch, first, count));
                source.addMorsel(batch);
            }
        }
        morselCount = morsels.size();
        if (pipeline.sink() instanceof Sink.Last
                || pipeline.sink() instanceof Sink.Sort(var keys, var _, var _) && keys.isEmpty()) {
            prefix = new PrefixRows(morselCount, lastRow());
        }
        return pipeline.sink() instanceof Sink.Last ? morsels.reversed() : top == null ? morsels : top.ordered(morsels);
    }

    /// Build rows that follow, join by join, since those of one may be matches of the next; then the partitions of
    /// build sides in files, stage by stage.
    @Override
    public List<Morsel> moreMorsels() {
        List<Morsel> morsels = new ArrayList<>();
        while (morsels.isEmpty() && nextBuild < tables.size() && limit != 0) {
            if (matches.get(nextBuild) != null) {
                int rows = (int) tables.get(nextBuild).rowCount();
                int morselRows = morselRows(rows);
                for (int first = 0; first < rows; first += morselRows) {
                    int count = Math.min(morselRows, rows - first);
                    morsels.add(new Morsel(morselCount++, -1 - nextBuild, first, count));
                }
            }
            nextBuild++;
        }
        if (morsels.isEmpty() && stages != null && limit != 0) {
            morsels.addAll(stages.next(morselCount));
            morselCount += morsels.size();
        }
        return morsels;
    }

    /// Whether no probe row can come through: a join without build rows, or LIMIT 0.
    private boolean isEmpty() {
        for (int index = 0; index < tables.size(); index++) {
            if (tables.get(index).rowCount() == 0
                    && pipeline.joins().get(index).kind().needsMatch()) {
                return true;
            }
        }
        return limit == 0;
    }

    /// So many that all threads have some to take, and so few that taking them costs nothing; whole tiles and bytes
    /// of bits.
    private int morselRows(long rows) {
        long share = rows / ((long) config.threads() * MORSELS_PER_THREAD);
        int wanted = (int) Math.max(MIN_MORSEL_ROWS, Math.min(MAX_MORSEL_ROWS, share));
        int unit = tileRows % 8 == 0 ? tileRows : tileRows * 8;
        return Math.max(unit, wanted / unit * unit);
    }

    @Override
    public SinkState newState() {
        List<DataType> types = pipeline.rowTypes();
        TileSink sink =
                switch (pipeline.sink()) {
                    case Sink.Result _ -> new ResultSink(types, context.results(), lastRow(), context.budget());
                    case Sink.HashBuild build -> new HashBuildSink(build, types, tileRows, context.budget());
                    case Sink.Aggregate _ -> new AggregateSink(pipeline, tileRows, context.budget());
                    case Sink.Sort(var keys, var _, var _) ->
                        new SortSink(keys, types, lastRow(), top, tileRows, context.budget());
                    case Sink.Window _ ->
                        new SortSink(
                                List.of(),
                                pipeline.lastProgram().outputTypes(),
                                Long.MAX_VALUE,
                                null,
                                tileRows,
                                context.budget());
                    case Sink.Last _ -> new LastRowsSink(types, lastRow(), tileRows, context.budget());
                };
        if (sink instanceof RowSink rows && keepsAllRows()) {
            rows.foresee(() -> sourceRows / config.threads());
        }
        TileSink last = stages != null ? stages.newProbe(sink) : spill == null ? sink : new SpillingSink(sink, spill);
        TileRunner runner = fused == null
                ? new TileChain(head(), tables, matches, context.slotValues(), tileRows, context.cancellation(), last)
                : fused.newRunner(last);
        return new CpuWorker(
                sink,
                runner,
                new BatchInput(pipeline.source().types(), tileRows),
                new BatchInput(pipeline.lastProgram().outputTypes(), tileRows),
                new Mask(tileRows));
    }

    @Override
    public void run(Morsel morsel, SinkState state) {
        if (JoinStages.isPartition(morsel)) {
            TileSink sink = ((CpuWorker) state).sink();
            stages.run(morsel, sink, spill);
            context.counters().rowsOut.add(sink.takeRowsOut());
            return;
        }
        if (morsel.batch() < 0) {
            runBuild(morsel, (CpuWorker) state);
            return;
        }
        if (top != null && top.rulesOut(morsel)) {
            source.skip(morsel.batch());
            return;
        }
        try {
            Batch batch = source.open(morsel.batch());
            if (identity != null) {
                handOn(morsel, batch);
            } else {
                run(morsel, batch, (CpuWorker) state);
                source.release(morsel.batch());
            }
            context.counters().rowsIn.add(morsel.rowCount());
        } catch (InternalError error) {
            QueryException fault = source.faultOf(error);
            if (fault == null) {
                throw error;
            }
            throw fault;
        }
    }

    @Override
    public void transferRows(Morsel morsel, Batch rows, SinkState state) {
        if (pipeline.sink() instanceof Sink.Result) {
            context.counters().rowsOut.add(rows.rowCount());
            context.results().transfer(morsel, rows);
            return;
        }
        try (rows) {
            take(morsel, rows, (CpuWorker) state);
        }
    }

    private void take(Morsel morsel, Batch rows, CpuWorker worker) {
        TileSink sink = spill == null ? worker.target() : new SpillingSink(worker.target(), spill);
        sink.startMorsel(morsel);
        for (int first = 0; first < rows.rowCount() && !sink.isMorselDone(); first += tileRows) {
            int count = Math.min(tileRows, rows.rowCount() - first);
            context.cancellation().checkpoint();
            sink.startTile(first);
            worker.all().setAll(count);
            worker.rows().moveTo(rows, first, count);
            sink.consume(worker.rows()::load, worker.all());
        }
        sink.endMorsel(morsel);
        context.counters().rowsOut.add(sink.takeRowsOut());
    }

    @Override
    public SortBound sortBound() {
        SortBar bar = top == null ? null : top.bar();
        return bar == null ? null : bar.bound();
    }

    @Override
    public boolean rulesOut(Morsel morsel) {
        return top != null && top.rulesOut(morsel);
    }

    private void runBuild(Morsel morsel, CpuWorker worker) {
        int join = -1 - morsel.batch();
        int flag = pipeline.joins().get(join).kind() == JoinKind.RIGHT_SEMI ? 1 : 0;
        byte[] flags = matches.get(join).flags();
        TileSink sink = worker.target();
        TileChain chain = (TileChain) worker.runner(); // such joins never run flat
        sink.startMorsel(morsel);
        int end = morsel.firstRow() + morsel.rowCount();
        for (int first = morsel.firstRow(); first < end && !sink.isMorselDone(); first += tileRows) {
            sink.startTile(first);
            chain.runBuild(join, first, Math.min(tileRows, end - first), flags, flag);
        }
        sink.endMorsel(morsel);
        context.counters().rowsOut.add(sink.takeRowsOut());
    }

    private void run(Morsel morsel, Batch batch, CpuWorker worker) {
        TileSink sink = worker.target();
        if (top != null && isBelowBar(morsel, batch, worker)) {
            return;
        }
        sink.startMorsel(morsel);
        int tiles = (morsel.rowCount() + tileRows - 1) / tileRows;
        for (int tile = 0; tile < tiles && !sink.isMorselDone(); tile++) {
            int first = morsel.firstRow() + (sink.readsBackwards() ? tiles - 1 - tile : tile) * tileRows;
            int count = Math.min(tileRows, morsel.firstRow() + morsel.rowCount() - first);
            context.cancellation().checkpoint();
            sink.startTile(first);
            worker.all().setAll(count);
            worker.input().moveTo(batch, first, count);
            worker.runner().run(worker.input(), worker.all());
        }
        sink.endMorsel(morsel);
        long rows = sink.takeRowsOut();
        context.counters().bytesRead.add(worker.input().takeLoadedBytes());
        context.counters().rowsOut.add(rows);
        context.counters().rowsCompiled.add(worker.runner().takeCompiledRows());
        if (prefix != null) {
            prefix.ended(sink.readsBackwards() ? morselCount - 1 - morsel.index() : morsel.index(), rows);
        }
    }

    private boolean keepsAllRows() {
        return top == null && lastRow() == Long.MAX_VALUE;
    }

    /// Whether even the morsel's best row cannot be among the first N.
    private boolean isBelowBar(Morsel morsel, Batch batch, CpuWorker worker) {
        int best = top.bestRow(morsel);
        if (best < 0) {
            return false;
        }
        worker.all().setAll(1);
        worker.input().moveTo(batch, best, 1);
        return !top.bar().admits(worker.input().load(top.input(), worker.all()), 0, morsel.index(), null);
    }

    /// Rows that leave as they came are views of the source's batch, which stays until the reader has closed them.
    private void handOn(Morsel morsel, Batch batch) {
        int count = (int) Math.min(morsel.rowCount(), lastRow());
        List<Column> columns = new ArrayList<>(identity.length);
        for (int input : identity) {
            columns.add(ColumnSlice.of(batch.column(input), morsel.firstRow(), count));
        }
        Schema schema = RowStore.schema(pipeline.rowTypes());
        context.results().transfer(morsel, Batch.owning(schema, columns, count, () -> source.release(morsel.batch())));
        context.counters().rowsOut.add(count);
    }

    @Override
    public boolean isSatisfied() {
        return prefix != null && prefix.isReached();
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        List<SinkState> all = states.isEmpty() ? List.of(newState()) : states;
        try {
            if (dense != null) {
                return dense.finish();
            }
            if (spilled) {
                return spill.finish();
            }
            return switch (pipeline.sink()) {
                case Sink.Result _ -> null;
                case Sink.HashBuild build -> table(build, all);
                case Sink.Aggregate _ -> groups(all);
                case Sink.Sort _, Sink.Last _ -> sorted(all);
                case Sink.Window window -> windows(window, all);
            };
        } finally {
            all.forEach(SinkState::close);
        }
    }

    private static List<AggregateSink> groupSinks(List<SinkState> states) {
        return states.stream()
                .map(state -> (AggregateSink) ((CpuWorker) state).sink())
                .toList();
    }

    private Materialized groups(List<SinkState> states) {
        if (grouping != null) {
            try (GroupMerge merge = grouping) {
                return merge.finish();
            }
        }
        AggregateSink first = (AggregateSink) ((CpuWorker) states.getFirst()).sink();
        for (SinkState other : states.subList(1, states.size())) {
            context.cancellation().check();
            first.merge((AggregateSink) ((CpuWorker) other).sink());
        }
        BudgetArena arena = new BudgetArena(context.budget());
        try {
            List<Batch> batches = first.results(pipeline.rowTypes(), arena);
            context.counters().rowsOut.add(first.groupCount());
            return new RowBatches(pipeline, batches, arena::close);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    private SortMerge sorting(List<SinkState> states) {
        if (sorting != null) {
            return sorting;
        }
        List<RowStore> stores = new ArrayList<>();
        List<SortKey> keys = List.of();
        long first = offset;
        long rows = 0;
        for (SinkState state : states) {
            RowStore store =
                    switch (((CpuWorker) state).sink()) {
                        case RowSink sink -> sink.takeRows();
                        case TileSink other -> throw new IllegalStateException("no rows in order in " + other);
                    };
            stores.add(store);
            rows += store.rowCount();
        }
        if (pipeline.sink() instanceof Sink.Sort sort) {
            keys = sort.keys();
        }
        long end = lastRow();
        if (pipeline.sink() instanceof Sink.Last) {
            first = Math.max(0, rows - end);
            end = rows;
        }
        sorting = new SortMerge(pipeline, stores, keys, first, end, context.budget());
        return sorting;
    }

    @Override
    public int mergeParts(int round, List<SinkState> states) {
        if (round == 0 && fused != null && fused.groups() != null) {
            dense = fused.groups().window() == null
                    ? DenseGroups.of(pipeline, context, states)
                    : ClusteredGroups.of(fused.groups(), pipeline, context, tileRows, states);
        }
        if (dense != null) {
            return round == 0 ? dense.parts() : 0;
        }
        if (round == 0 && spill != null) {
            spilled = spill.takesOver(
                    states.stream().map(state -> ((CpuWorker) state).sink()).toList());
        }
        if (spilled) {
            return round == 0 ? spill.mergeParts() : 0;
        }
        if (pipeline.sink() instanceof Sink.Window window && !states.isEmpty()) {
            WindowMerge merge = windowing(window, states);
            return merge.isSmall() ? 0 : merge.beginRound();
        }
        if (pipeline.sink() instanceof Sink.Aggregate) {
            if (round == 0) {
                grouping = GroupMerge.of(pipeline, context, tileRows, groupSinks(states));
            }
            return grouping == null ? 0 : grouping.beginRound();
        }
        if (pipeline.sink() instanceof Sink.HashBuild build && !states.isEmpty()) {
            JoinBuild table = building(build, states);
            return table.isSmall() ? 0 : table.beginRound();
        }
        boolean isOrdered = pipeline.sink() instanceof Sink.Sort || pipeline.sink() instanceof Sink.Last;
        if (!isOrdered || states.isEmpty()) {
            return PreparedPipeline.super.mergeParts(round, states);
        }
        SortMerge merge = sorting(states);
        return merge.isSmall() ? 0 : merge.beginRound();
    }

    @Override
    public void merge(int round, int part, List<SinkState> states) {
        if (dense != null) {
            dense.merge(part);
        } else if (spilled) {
            spill.merge(part);
        } else if (sorting != null) {
            sorting.run(part);
        } else if (windowing != null) {
            windowing.run(part);
        } else if (building != null) {
            building.run(part);
        } else if (grouping != null) {
            grouping.run(part);
        } else {
            PreparedPipeline.super.merge(round, part, states);
        }
    }

    private JoinBuild building(Sink.HashBuild sink, List<SinkState> states) {
        if (building == null) {
            building = new JoinBuild(
                    pipeline,
                    states.stream()
                            .map(state -> ((HashBuildSink) ((CpuWorker) state).sink()).takeRows())
                            .toList(),
                    sink.keys().size(),
                    tileRows,
                    context.budget(),
                    true);
        }
        return building;
    }

    private Materialized table(Sink.HashBuild sink, List<SinkState> states) {
        try (JoinBuild build = building(sink, states)) {
            building = null;
            return build.finish();
        }
    }

    private WindowMerge windowing(Sink.Window window, List<SinkState> states) {
        if (windowing == null) {
            List<RowStore> stores = new ArrayList<>();
            for (SinkState state : states) {
                stores.add(((SortSink) ((CpuWorker) state).sink()).takeRows());
            }
            windowing = new WindowMerge(pipeline, window, stores, context);
        }
        return windowing;
    }

    private Materialized windows(Sink.Window window, List<SinkState> states) {
        try (WindowMerge merge = windowing(window, states)) {
            windowing = null;
            return merge.finish();
        }
    }

    private Materialized sorted(List<SinkState> states) {
        try (SortMerge merge = sorting(states)) {
            sorting = null;
            return merge.finish();
        }
    }

    @Override
    public void close() {
        ownTables.forEach(JoinTable::close);
        ownTables.clear();
        if (dense != null) {
            dense.close();
        }
        if (sorting != null) {
            sorting.close();
            sorting = null;
        }
        if (windowing != null) {
            windowing.close();
            windowing = null;
        }
        if (building != null) {
            building.close();
            building = null;
        }
        if (grouping != null) {
            grouping.close();
        }
        if (spill != null) {
            spill.close();
        }
        if (stages != null) {
            stages.close();
        }
        for (BuildMatches flags : matches) {
            if (flags != null) {
                flags.close();
            }
        }
        matches.clear();
        if (source != null) {
            source.close();
        }
    }
}
