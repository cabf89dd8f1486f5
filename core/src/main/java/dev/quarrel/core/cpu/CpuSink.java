package dev.quarrel.core.cpu;

import dev.quarrel.core.cpu.group.AggregateSink;
import dev.quarrel.core.cpu.group.GroupMerge;
import dev.quarrel.core.cpu.group.GroupSpill;
import dev.quarrel.core.cpu.group.SetsMerge;
import dev.quarrel.core.cpu.group.SetsSpill;
import dev.quarrel.core.cpu.join.BuildSpill;
import dev.quarrel.core.cpu.join.HashBuildSink;
import dev.quarrel.core.cpu.join.JoinBuild;
import dev.quarrel.core.cpu.join.JoinStages;
import dev.quarrel.core.cpu.join.Sweep;
import dev.quarrel.core.cpu.rows.RowSort;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.scan.RowSource;
import dev.quarrel.core.cpu.scan.SweptBuilds;
import dev.quarrel.core.cpu.sink.CollectEnding;
import dev.quarrel.core.cpu.sink.CollectSink;
import dev.quarrel.core.cpu.sink.CollectSpill;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.ResultEnding;
import dev.quarrel.core.cpu.sink.ResultSink;
import dev.quarrel.core.cpu.sink.RowSink;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.sort.FirstOfPartitions;
import dev.quarrel.core.cpu.sort.FirstSeen;
import dev.quarrel.core.cpu.sort.LastRowsSink;
import dev.quarrel.core.cpu.sort.RunSpill;
import dev.quarrel.core.cpu.sort.SortMerge;
import dev.quarrel.core.cpu.sort.SortSink;
import dev.quarrel.core.cpu.sort.TopN;
import dev.quarrel.core.cpu.window.WindowMerge;
import dev.quarrel.core.cpu.window.WindowRunSpill;
import dev.quarrel.core.cpu.window.WindowSpill;
import dev.quarrel.core.cpu.window.WindowStream;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.run.RowBounds;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// The end of one pipeline: its bounds, the sinks of its workers, the files that take over, and the merge in memory.
final class CpuSink {
    /// Rough bytes per value of a row that is kept for sorting.
    private static final long FEW_ROWS_BYTES = 32;

    private final QueryPlan plan;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final DeviceConfig config;
    private final int tileRows;
    private long offset;
    private long limit = Sink.NO_LIMIT;
    private final FirstSeen.Order scanOrder; // of a window whose first rows come first in the table; or null
    private final Sweep sweep; // of a build side whose rows need not be kept; or null
    private final TopN top; // or null: not the first rows of an order that fit into memory

    CpuSink(QueryPlan plan, Pipeline pipeline, PipelineContext context, DeviceConfig config) {
        this.plan = plan;
        this.pipeline = pipeline;
        this.context = context;
        this.config = config;
        this.tileRows = config.tileRows();
        switch (pipeline.sink()) {
            case Sink.Result(List<String> _, Sink.Bound from, Sink.Bound rows) -> setBounds(from, rows);
            case Sink.Sort(var _, Sink.Bound from, Sink.Bound rows) -> setBounds(from, rows);
            case Sink.Last(Sink.Bound rows) -> setBounds(Sink.Bound.ZERO, rows);
            case Sink.HashBuild _, Sink.Aggregate _, Sink.Window _, Sink.Collect _, Sink.Feed _ -> {}
        }
        this.scanOrder = pipeline.sink() instanceof Sink.Window window
                        && pipeline.source() instanceof Source.TableScan scan
                        && everyRowStandsAlone()
                ? FirstSeen.Order.of(pipeline, window, RowSource.table(scan, context))
                : null;
        this.sweep = SweptBuilds.of(plan, pipeline, context, config);
        this.top = pipeline.sink() instanceof Sink.Sort(List<SortKey> keys, var _, var _)
                        && !keys.isEmpty()
                        && firstRowsFit(keys)
                ? TopN.of(
                        pipeline,
                        keys,
                        pipeline.source() instanceof Source.TableScan scan && everyRowStandsAlone()
                                ? RowSource.table(scan, context)
                                : null)
                : null;
    }

    /// Whether a window's first rows come first in the table, or last; null for neither.
    FirstSeen.Order scanOrder() {
        return scanOrder;
    }

    /// How a build side is read whose rows need not be kept; null for any other sink.
    Sweep sweep() {
        return sweep;
    }

    TopN top() {
        return top;
    }

    long limit() {
        return limit;
    }

    private void setBounds(Sink.Bound from, Sink.Bound rows) {
        offset = RowBounds.offset(from, context.slotValues());
        limit = RowBounds.limit(rows, context.slotValues());
    }

    /// Where the rows wanted end, as the sink counts them.
    long lastRow() {
        return limit < 0 || limit > Long.MAX_VALUE - offset ? Long.MAX_VALUE : limit == 0 ? 0 : offset + limit;
    }

    boolean keepsAllRows() {
        return top == null && lastRow() == Long.MAX_VALUE;
    }

    /// One worker's sink.
    TileSink newSink() {
        List<DataType> types = pipeline.rowTypes();
        return switch (pipeline.sink()) {
            case Sink.Result _ -> new ResultSink(types, context.results(), lastRow(), context.budget());
            case Sink.HashBuild _ when sweep != null -> sweep.newSink();
            case Sink.HashBuild build -> new HashBuildSink(build, types, tileRows, context.budget());
            // Rows that wait may need more memory than their groups: files must be there to take them.
            case Sink.Aggregate _
            when context.spill().isEnabled() -> AggregateSink.ofRows(pipeline, tileRows, context.budget());
            case Sink.Aggregate _ -> new AggregateSink(pipeline, tileRows, context.budget());
            case Sink.Sort(var keys, var _, var _) ->
                new SortSink(keys, types, lastRow(), top, null, tileRows, context.budget());
            case Sink.Window window ->
                new SortSink(
                        List.of(),
                        pipeline.lastProgram().outputTypes(),
                        Long.MAX_VALUE,
                        null,
                        FirstOfPartitions.of(
                                window, scanOrder, pipeline.lastProgram().outputTypes(), config.threads()),
                        tileRows,
                        context.budget());
            case Sink.Last _ -> new LastRowsSink(types, lastRow(), tileRows, context.budget());
            case Sink.Collect _ -> new CollectSink(types, tileRows, context.budget());
            case Sink.Feed _ -> throw new IllegalStateException("the pipeline that is fed has the sink");
        };
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
        return pipeline.joins().stream()
                .noneMatch(join ->
                        join.kind().emitsBuildRows() || !join.conditions().isEmpty());
    }

    /// What takes the rows or groups that memory does not hold, or null for a sink that keeps few.
    SinkSpill newSpill() {
        MemoryPressure pressure = new MemoryPressure(context.budget(), config.threads());
        return switch (pipeline.sink()) {
            case Sink.Aggregate(var keys, var calls, var sets) ->
                keys.isEmpty() || calls.stream().anyMatch(AggregateCall::staysInMemory)
                        ? null
                        : !sets.isEmpty()
                                ? new SetsSpill(pipeline, context, tileRows, pressure)
                                : new GroupSpill(pipeline, context, tileRows, pressure);
            // The first few rows are few, and their workers take morsels in another order than the scan's.
            case Sink.Sort _ when top != null -> null;
            case Sink.Sort _ -> new RunSpill(pipeline, context, pressure, offset, lastRow());
            case Sink.HashBuild _ when sweep != null -> null;
            case Sink.HashBuild _ ->
                JoinStages.canSpill(plan, pipeline) ? new BuildSpill(pipeline, context, pressure) : null;
            case Sink.Window window
            when !window.partition().isEmpty() -> new WindowSpill(pipeline, context, tileRows, pressure);
            // Other functions need all rows in memory together.
            case Sink.Window window ->
                WindowStream.canStream(window) ? new WindowRunSpill(pipeline, context, pressure) : null;
            case Sink.Collect _ -> new CollectSpill(pipeline, context, pressure);
            case Sink.Result _, Sink.Last _, Sink.Feed _ -> null;
        };
    }

    /// The end in memory of what workers have kept.
    ///
    /// @param sinks one at least
    Ending inMemory(List<TileSink> sinks) {
        return switch (pipeline.sink()) {
            case Sink.Result _ -> new ResultEnding();
            case Sink.Aggregate aggregate
            when !aggregate.sets().isEmpty() ->
                new SetsMerge(
                        pipeline,
                        context,
                        tileRows,
                        sinks.stream().map(AggregateSink.class::cast).toList());
            case Sink.Aggregate _ ->
                GroupMerge.of(
                        pipeline,
                        context,
                        tileRows,
                        sinks.stream().map(AggregateSink.class::cast).toList());
            case Sink.HashBuild _ when sweep != null -> sweep.newBuild(takeRows(sinks));
            case Sink.HashBuild build ->
                new JoinBuild(pipeline, takeRows(sinks), build.keys().size(), tileRows, context.budget(), true);
            case Sink.Sort(var keys, var _, var _) ->
                new SortMerge(pipeline, takeRows(sinks), keys, offset, lastRow(), context.budget());
            case Sink.Last _ -> {
                long rows = RowSink.rowCount(sinks);
                yield new SortMerge(
                        pipeline, takeRows(sinks), List.of(), Math.max(0, rows - lastRow()), rows, context.budget());
            }
            case Sink.Collect _ -> new CollectEnding(pipeline, takeRows(sinks), context.budget());
            case Sink.Feed _ -> new ResultEnding();
            case Sink.Window window -> new WindowMerge(pipeline, window, takeRows(sinks), context);
        };
    }

    private static List<RowStore> takeRows(List<TileSink> sinks) {
        return sinks.stream().map(sink -> ((RowSink) sink).takeRows()).toList();
    }
}
