package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.expr.ProgramOutputs;
import dev.quarrel.core.cpu.join.BuildMatches;
import dev.quarrel.core.cpu.join.JoinBuild;
import dev.quarrel.core.cpu.join.JoinStages;
import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.join.Sweep;
import dev.quarrel.core.cpu.join.TileChain;
import dev.quarrel.core.cpu.loop.ClusteredGroups;
import dev.quarrel.core.cpu.loop.CpuWorker;
import dev.quarrel.core.cpu.loop.DenseGroups;
import dev.quarrel.core.cpu.loop.FusedPipeline;
import dev.quarrel.core.cpu.loop.ScanFilters;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.scan.BatchRanges;
import dev.quarrel.core.cpu.scan.RowSource;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.SpillingSink;
import dev.quarrel.core.cpu.sink.TileRunner;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.sort.PrefixRows;
import dev.quarrel.core.cpu.sort.SortBar;
import dev.quarrel.core.cpu.sort.TopN;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.device.SortBound;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.run.ColumnSlice;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.List;

/// A pipeline ready to run on the CPU.
final class CpuPipeline implements Feeding {
    private static final int MAX_MORSEL_ROWS = 1 << 17;
    private static final int MIN_MORSEL_ROWS = 1 << 14;
    private static final int MORSELS_PER_THREAD = 4;
    private static final long TILE_TEXT_BYTES = 4 << 20;
    private static final int LEAST_TILE_ROWS = 64;

    /// Of shorter rows of a table no tile has too many texts.
    private static final long LONG_ROW_BYTES = 256;

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
    private ScanFilters filters;
    private FusedPipeline fused;
    private JoinStages stages; // or null: all build sides are in memory
    private int morselCount;
    private int fedMorsels; // those of feeding pipelines that need not wait
    private long sourceRows;
    private SinkSpill spill;
    private int[] identity;
    private CpuSink end;
    private TopN top;
    private Sweep sweep; // until a table owns it; or null
    private Ending ending; // null until the rows are over
    private PrefixRows prefix;

    private CpuPipeline(QueryPlan plan, Pipeline pipeline, PipelineContext context, DeviceConfig config) {
        this.plan = plan;
        this.pipeline = pipeline;
        this.context = context;
        this.config = config;
        this.tileRows = config.tileRows();
    }

    static CpuPipeline of(QueryPlan plan, Pipeline pipeline, PipelineContext context, DeviceConfig config) {
        CpuPipeline made = new CpuPipeline(plan, pipeline, context, config.forRows(mostRows(pipeline, context)));
        try {
            made.prepare();
            return made;
        } catch (RuntimeException | Error problem) {
            made.close();
            throw problem;
        }
    }

    /// How many rows one of its tiles has at most. A row of values is a pipeline of its own, of which there may be
    /// thousands. What is made of a tile's texts is in memory at once: of long ones a tile has fewer.
    private static int mostRows(Pipeline pipeline, PipelineContext context) {
        return switch (pipeline.source()) {
            case Source.Values values when pipeline.joins().isEmpty() -> values.rowCount();
            case Source.TableScan scan -> rowsOfTexts(scan, context);
            default -> Integer.MAX_VALUE;
        };
    }

    private static int rowsOfTexts(Source.TableScan scan, PipelineContext context) {
        Table table = RowSource.table(scan, context);
        long rowCount = Math.max(1, table.stats().rowCount());
        if (table.storedBytes() / rowCount < LONG_ROW_BYTES) {
            return Integer.MAX_VALUE;
        }
        long textBytes = 0;
        for (int column : RowSource.columns(scan, table)) {
            boolean isText = table.schema().type(column).byteWidth() < 0 && table.dictionary(column) == null;
            textBytes += isText ? Math.max(0, table.textBytes(column)) : 0;
        }
        long rows = TILE_TEXT_BYTES / Math.max(1, textBytes / rowCount);
        return (int) Math.clamp(rows / LEAST_TILE_ROWS * LEAST_TILE_ROWS, LEAST_TILE_ROWS, Integer.MAX_VALUE);
    }

    private void prepare() {
        end = new CpuSink(plan, pipeline, context, config);
        top = end.top();
        sweep = end.sweep();
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
        filters = ScanFilters.of(pipeline, context);
        fused = config.tier() == DeviceConfig.Tier.INTERPRETED || pipeline.source() instanceof Source.Union
                ? null
                : FusedPipeline.of(head(), tables, filters, config, context);
        if (fused == null) {
            filters = filters.withJoins(head(), tables);
        }
        source = RowSource.of(pipeline.source(), pipeline.id(), context);
        spill = context.spill().isEnabled() ? end.newSpill() : null;
        // Rows of a file are copied, so that a fault shows here and not where the reader looks at them.
        if (pipeline.sink() instanceof Sink.Result
                && pipeline.joins().isEmpty()
                && !(pipeline.source() instanceof Source.TableScan)) {
            identity = ProgramOutputs.identity(pipeline.lastProgram());
        }
    }

    /// The pipeline as far as it runs over the source: up to the first join whose build side is in files.
    private Pipeline head() {
        return stages == null ? pipeline : stages.first();
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
            List<BatchRanges.KeyRange> keys = filters.all().stream()
                    .map(filter -> new BatchRanges.KeyRange(filter.column(), filter.keys()))
                    .toList();
            ranges = BatchRanges.of(pipeline, scan, table, tables, keys, context.slotValues());
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
        int morselRows = sweep != null
                ? sweep.pieceRows()
                : morselRows(top != null && top.readsInOrder() || end.scanOrder() != null ? 0 : rows);
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
            prefix = new PrefixRows(morselCount, end.lastRow());
        }
        boolean isBackwards = pipeline.sink() instanceof Sink.Last
                || end.scanOrder() != null && end.scanOrder().isBackwards();
        return isBackwards ? morsels.reversed() : top == null ? morsels : top.ordered(morsels);
    }

    /// Says that other pipelines feed this one: so many morsels of theirs come, of so many rows.
    void startFed(int morsels, long rows) {
        fedMorsels = morsels;
        sourceRows = rows;
        if (pipeline.sink() instanceof Sink.Sort(var keys, var _, var _) && keys.isEmpty()) {
            prefix = new PrefixRows(morsels, end.lastRow());
        }
    }

    /// Says how many morsels there were, so that the indexes of its own go on from there.
    void countMorsels(int morsels) {
        morselCount = morsels;
    }

    /// A morsel of a feeding pipeline has ended.
    void endFed(int morsel, CpuWorker worker, long rowsIn) {
        long rows = worker.target().takeRowsOut();
        context.counters().rowsIn.add(rowsIn);
        context.counters().rowsOut.add(rows);
        if (prefix != null && morsel < fedMorsels) {
            prefix.ended(morsel, rows);
        }
    }

    /// Build rows that follow, join by join, since those of one may be matches of the next; then the partitions of
    /// build sides in files, stage by stage.
    @Override
    public List<Morsel> moreMorsels() {
        List<Morsel> morsels = new ArrayList<>();
        while (morsels.isEmpty() && nextBuild < tables.size() && end.limit() != 0) {
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
        if (morsels.isEmpty() && stages != null && end.limit() != 0) {
            morsels.addAll(stages.next(morselCount));
            morselCount += morsels.size();
        }
        return morsels;
    }

    /// Whether no probe row can come through: a join without build rows, a filter without keys, or LIMIT 0.
    boolean isEmpty() {
        for (int index = 0; index < tables.size(); index++) {
            if (tables.get(index).rowCount() == 0
                    && pipeline.joins().get(index).kind().needsMatch()) {
                return true;
            }
        }
        return end.limit() == 0 || filters.dropAll();
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
    public CpuWorker newState() {
        return newState(end.newSink());
    }

    /// A state for one worker, of a pipeline that feeds another one.
    ///
    /// @param sink what takes the rows
    @Override
    public CpuWorker newState(TileSink sink) {
        if (sink instanceof RowSink rows && end.keepsAllRows()) {
            rows.foresee(() -> sourceRows / config.threads());
        }
        TileSink last = stages != null ? stages.newProbe(sink) : spill == null ? sink : new SpillingSink(sink, spill);
        TileRunner runner = fused == null
                ? new TileChain(head(), tables, matches, context.slotValues(), tileRows, context.cancellation(), last)
                : fused.newRunner(last);
        return new CpuWorker(
                sink,
                runner,
                fused == null ? filters.newWorker(tileRows) : null,
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
        if (top != null && top.rulesOut(morsel) || ((CpuWorker) state).target().isSpent()) {
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
        countSteps(worker);
    }

    /// Compiled loops and partitions in files take steps in an order of their own, so there is nothing to count.
    private void countSteps(CpuWorker worker) {
        if (stages == null && worker.runner() instanceof TileChain chain) {
            chain.countInto(context.counters());
        }
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
            Mask rows =
                    worker.filters() == null ? worker.all() : worker.filters().narrow(worker.input(), worker.all());
            if (!rows.isEmpty()) {
                worker.runner().run(worker.input(), rows);
            }
        }
        sink.endMorsel(morsel);
        long rows = sink.takeRowsOut();
        context.counters().bytesRead.add(worker.input().takeLoadedBytes());
        context.counters().rowsOut.add(rows);
        context.counters().rowsCompiled.add(worker.runner().takeCompiledRows());
        countSteps(worker);
        if (prefix != null) {
            prefix.ended(sink.readsBackwards() ? morselCount - 1 - morsel.index() : morsel.index(), rows);
        }
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
        int count = (int) Math.min(morsel.rowCount(), end.lastRow());
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
    public int mergeParts(int round, List<SinkState> states) {
        if (states.isEmpty()) {
            return 0;
        }
        if (round == 0) {
            ending = ending(states);
        }
        return ending.beginRound(round);
    }

    /// How it ends: the compiled loops have an end of their own, and so have rows in files.
    private Ending ending(List<SinkState> states) {
        boolean isOneSet = !(pipeline.sink() instanceof Sink.Aggregate(var _, var _, var sets) && !sets.isEmpty());
        if (isOneSet && fused != null && fused.groups() != null) {
            Ending own = fused.groups().window() == null
                    ? DenseGroups.of(pipeline, context, states)
                    : ClusteredGroups.of(fused.groups(), pipeline, context, tileRows, states);
            if (own != null) {
                return own;
            }
        }
        List<TileSink> sinks = sinks(states);
        sinks.forEach(TileSink::endRows);
        return spill != null && spill.takesOver(sinks) ? spill : end.inMemory(sinks);
    }

    private static List<TileSink> sinks(List<SinkState> states) {
        return states.stream().map(state -> ((CpuWorker) state).sink()).toList();
    }

    @Override
    public void merge(int round, int part, List<SinkState> states) {
        ending.run(part);
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        List<SinkState> all = states.isEmpty() ? List.of(newState()) : states;
        try {
            if (ending == null) { // without a row
                ending = end.inMemory(sinks(all));
            }
            Materialized made = ending.finish();
            sweep = null;
            if (ending != spill) {
                ending.close();
                ending = null;
            }
            return made;
        } finally {
            all.forEach(SinkState::close);
        }
    }

    @Override
    public void close() {
        ownTables.forEach(JoinTable::close);
        ownTables.clear();
        if (ending != null && ending != spill) {
            ending.close();
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
        if (sweep != null) {
            sweep.close();
        }
        if (source != null) {
            source.close();
        }
    }
}
