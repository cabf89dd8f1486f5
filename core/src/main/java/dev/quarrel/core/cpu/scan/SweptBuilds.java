package dev.quarrel.core.cpu.scan;

import dev.quarrel.core.cpu.join.Sweep;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;

/// Sees which build sides of ASOF joins need not be kept ([Sweep]).
public final class SweptBuilds {
    private static final int MIN_ROWS = 1 << 18;
    private static final int MIN_PIECE_ROWS = 1 << 16;
    private static final int MAX_PIECE_ROWS = 1 << 20;
    /// A piece has so many times the rows of what is kept of it, at least.
    private static final int MIN_THINNING = 4;

    private static final int ROW_BYTES = 24; // about
    private static final int BUDGET_SHARE = 8;

    private SweptBuilds() {}

    /// null where the rows are to be kept: some side's order is unknown, others than one join read them, or they are
    /// few, or have many keys.
    public static Sweep of(QueryPlan plan, Pipeline build, PipelineContext context, DeviceConfig config) {
        if (!(build.sink() instanceof Sink.HashBuild sink)
                || sink.nullKeys()
                || !(build.source() instanceof Source.TableScan scan)
                || !build.joins().isEmpty()
                || !build.filters().isEmpty()
                || !isRepeatable(build.lastProgram())) {
            return null;
        }
        Join join = onlyReader(plan, build, context);
        if (join == null) {
            return null;
        }
        Table table = RowSource.table(scan, context);
        int order = join.nearest().payload();
        int column = order(build, 0, sink.payload().get(order), table, scan);
        if (column < 0 || table.mayHaveNulls(column)) {
            return null;
        }
        boolean isTest = config.tier() != DeviceConfig.Tier.AUTO;
        long keys = 1;
        boolean isExact = true;
        for (int key : sink.keys()) {
            Keys some = keys(build, key, table, scan);
            // More than the JVM's arrays are as good as unknown; the product must not wrap round to a few.
            keys = some.count < 0 || keys < 0 || some.count > Integer.MAX_VALUE / Math.max(1, keys)
                    ? -1
                    : keys * some.count;
            isExact &= some.isLimit;
        }
        int limit = keys >= 0 && isExact ? (int) keys : -1;
        if (isTest) {
            return sweep(build, table, order, column, limit, 2 * config.tileRows(), context, config);
        }
        if (keys < 0 || keys > MAX_PIECE_ROWS / MIN_THINNING || table.stats().rowCount() < MIN_ROWS) {
            return null;
        }
        int pieceRows = Math.max(MIN_PIECE_ROWS, Integer.highestOneBit((int) keys * MIN_THINNING * 2 - 1));
        long kept = 0;
        for (int batch = 0; batch < table.batchCount(); batch++) {
            long rows = table.batchRows(batch);
            kept += Math.min(rows, (rows + pieceRows - 1) / pieceRows * keys);
        }
        boolean isThin = kept <= table.stats().rowCount() / MIN_THINNING
                && kept * ROW_BYTES <= context.budget().limitBytes() / BUDGET_SHARE;
        return isThin ? sweep(build, table, order, column, limit, pieceRows, context, config) : null;
    }

    private static Sweep sweep(
            Pipeline build,
            Table table,
            int order,
            int column,
            int keyLimit,
            int pieceRows,
            PipelineContext context,
            DeviceConfig config) {
        return new Sweep(
                build,
                order,
                "\"" + table.schema().field(column).name() + "\" of table \"" + table.name() + "\"",
                keyLimit,
                pieceRows,
                context,
                config.tileRows(),
                RowSource.of(build.source(), build.id(), context));
    }

    /// Whether a program gives the same rows each time it runs.
    private static boolean isRepeatable(Program program) {
        return program.code().stream().noneMatch(instruction -> instruction.op() == Opcode.CALL);
    }

    /// The one join that reads a build side, if it takes the nearest row before in the order of its own scan.
    private static Join onlyReader(QueryPlan plan, Pipeline build, PipelineContext context) {
        Join only = null;
        for (Pipeline pipeline : plan.pipelines()) {
            if (pipeline.source() instanceof Source.Rows(int maker, var _) && maker == build.id()) {
                return null;
            }
            for (int index = 0; index < pipeline.joins().size(); index++) {
                Join join = pipeline.joins().get(index);
                if (join.build() != build.id()) {
                    continue;
                }
                Join.Nearest nearest = join.nearest();
                boolean isBefore =
                        nearest != null && (nearest.relation() == Relation.GE || nearest.relation() == Relation.GT);
                if (only != null
                        || !isBefore
                        || !(pipeline.source() instanceof Source.TableScan scan)
                        || order(pipeline, index, nearest.probe(), RowSource.table(scan, context), scan) < 0) {
                    return null;
                }
                only = join;
            }
        }
        return only;
    }

    /// The table's column that an output is, if the rows ascend in it; or -1.
    private static int order(Pipeline pipeline, int program, int output, Table table, Source.TableScan scan) {
        int input = pipeline.sourceColumn(program, output);
        int column = input < 0 ? -1 : RowSource.columns(scan, table)[input];
        return table.sortedBy().contains(column) ? column : -1;
    }

    /// How many keys a column has.
    ///
    /// @param count about; -1 where that is unknown
    /// @param isLimit whether there are no more
    private record Keys(long count, boolean isLimit) {}

    private static Keys keys(Pipeline build, int output, Table table, Source.TableScan scan) {
        int input = build.sourceColumn(0, output);
        if (input < 0) {
            return build.lastProgram().isConstant(output) ? new Keys(1, true) : new Keys(-1, false);
        }
        int column = RowSource.columns(scan, table)[input];
        if (table.dictionary(column) != null) {
            return new Keys(table.dictionary(column).size(), true);
        }
        ColumnStats stats = table.stats().columns().get(column);
        long distinct = stats.distinctCount();
        if (stats.min() instanceof Long min && stats.max() instanceof Long max) {
            long span = max - min + 1;
            if (span > 0 && (distinct < 0 || span <= 2 * distinct)) {
                return new Keys(span, true);
            }
        }
        return new Keys(distinct, false);
    }
}
