package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.join.TileChain;
import dev.quarrel.core.cpu.loop.FlatPipeline.Origin;
import dev.quarrel.core.cpu.loop.FlatPipeline.Stage;
import dev.quarrel.core.cpu.number.Range;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.scan.RowSource;
import dev.quarrel.core.cpu.sink.TileRunner;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;

/// A flat pipeline bound to one execution: its build sides, its constants, and the ranges that build keys imply.
///
/// Workers share it.
public final class FusedPipeline {
    /// A range that lets more than this share of rows through is not worth its look at the column.
    private static final double USEFUL = 0.9;

    private final Pipeline pipeline;
    private final FlatPipeline flat;
    private final List<JoinTable> tables;
    private final ScanFilters filters;
    private final List<Literal> slotValues;
    private final int tileRows;
    private final Cancellation cancellation;
    private final MemoryBudget budget;
    private final List<Stage> stages = new ArrayList<>();
    private final int optionalStages;
    private final FusedGroups groups;
    private FusedPipeline withoutGroups;

    private FusedPipeline(
            Pipeline pipeline,
            FlatPipeline flat,
            List<JoinTable> tables,
            ScanFilters filters,
            List<Literal> slotValues,
            DeviceConfig config,
            PipelineContext context,
            Table table,
            int[] columns) {
        this.pipeline = pipeline;
        this.flat = flat;
        this.tables = tables;
        this.filters = filters;
        this.slotValues = slotValues;
        this.tileRows = config.tileRows();
        this.cancellation = context.cancellation();
        this.budget = context.budget();
        addKeyRanges();
        optionalStages = stages.size();
        stages.addAll(flat.stages());
        groups = FusedGroups.of(this, table, columns, config);
        if (groups != null && groups.replaced() != null) {
            stages.remove(groups.replaced());
        }
    }

    private FusedPipeline(FusedPipeline withGroups) {
        this.pipeline = withGroups.pipeline;
        this.flat = withGroups.flat;
        this.tables = withGroups.tables;
        this.filters = withGroups.filters;
        this.slotValues = withGroups.slotValues;
        this.tileRows = withGroups.tileRows;
        this.cancellation = withGroups.cancellation;
        this.budget = withGroups.budget;
        addKeyRanges();
        optionalStages = stages.size();
        stages.addAll(flat.stages());
        groups = null;
    }

    /// The bound pipeline, or null where its rows leave their tiles.
    public static FusedPipeline of(
            Pipeline pipeline,
            List<JoinTable> tables,
            ScanFilters filters,
            DeviceConfig config,
            PipelineContext context) {
        List<Literal> slotValues = context.slotValues();
        FlatPipeline flat = FlatPipeline.of(pipeline, tables, slotValues);
        if (flat == null) {
            return null;
        }
        Table table = pipeline.source() instanceof Source.TableScan scan ? RowSource.table(scan, context) : null;
        int[] columns = pipeline.source() instanceof Source.TableScan scan ? RowSource.columns(scan, table) : null;
        return new FusedPipeline(pipeline, flat, tables, filters, slotValues, config, context, table, columns);
    }

    /// Runtime filters, and build sides whose keys fill only a part of the probe column's range narrow the scan before
    /// anything else.
    private void addKeyRanges() {
        for (ScanFilters.Filter filter : filters.all()) {
            DataType type = pipeline.source().types().get(filter.column());
            stages.add(new Stage.OfKeys(new Origin.Input(filter.column(), type), filter));
        }
        boolean mayFailBefore = false;
        for (Stage stage : flat.stages()) {
            mayFailBefore |= stage instanceof Stage.Runs runs && runs.canFail();
            if (!mayFailBefore
                    && stage instanceof Stage.Matches(int join, JoinKind kind, List<Origin> keys)
                    && kind != JoinKind.ANTI
                    && keys.size() == 1
                    && keys.getFirst() instanceof Origin.Input column
                    && tables.get(join).isDenseInteger()) {
                KeyIndex index = tables.get(join).index();
                long low = index.denseBase();
                stages.add(new Stage.InRange(column, new Range.Integers(low, low + index.denseSpan() - 2, false)));
            }
        }
    }

    public TileRunner newRunner(TileSink sink) {
        return new FusedRunner(this, sink);
    }

    /// The same pipeline, all of whose rows go to the sink.
    synchronized FusedPipeline withoutGroups() {
        if (withoutGroups == null) {
            withoutGroups = new FusedPipeline(this);
        }
        return withoutGroups;
    }

    TileChain newChain(TileSink sink) {
        return new TileChain(pipeline, tables, slotValues, tileRows, cancellation, sink);
    }

    Pipeline pipeline() {
        return pipeline;
    }

    List<Stage> stages() {
        return stages;
    }

    /// How many of the first stages stem from build keys and may be left out.
    int optionalStages() {
        return optionalStages;
    }

    /// How the groups are fused, or null.
    public FusedGroups groups() {
        return groups;
    }

    MemoryBudget budget() {
        return budget;
    }

    List<Origin> outputs() {
        return flat.outputs();
    }

    List<DataType> outputTypes() {
        return pipeline.lastProgram().outputTypes();
    }

    JoinTable table(int join) {
        return tables.get(join);
    }

    List<Literal> slotValues() {
        return slotValues;
    }

    int tileRows() {
        return tileRows;
    }

    static boolean isUseful(long rowsIn, long rowsOut) {
        return rowsOut < rowsIn * USEFUL;
    }
}
