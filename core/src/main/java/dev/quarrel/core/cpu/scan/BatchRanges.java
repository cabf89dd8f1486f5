package dev.quarrel.core.cpu.scan;

import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.join.KeySet;
import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import java.util.ArrayList;
import java.util.List;

/// Decides by the statistics of a table's batches (its zone maps) which of them can hold a row that survives the
/// scan's ranges and the keys that the build sides of inner and semi joins have.
public final class BatchRanges {
    private final Table table;
    private final List<ValueRange> ranges;

    /// Rows of a build side of which a set is made to see what lies between its least and its greatest key.
    private static final int MAX_SET_ROWS = 1 << 16;
    /// Batches from which on that may pay.
    private static final int MIN_SET_BATCHES = 8;

    /// @param low null for no bound
    /// @param keys the values that there are between the bounds; null where that is unknown
    private record ValueRange(int column, Object low, Object high, KeySet keys) {
        boolean excludes(ColumnStats stats, long rows) {
            return stats.excludes(low, high, rows)
                    || keys != null
                            && stats.min() instanceof Long least
                            && stats.max() instanceof Long greatest
                            && !keys.mayHaveBetween(least, greatest);
        }
    }

    private BatchRanges(Table table, List<ValueRange> ranges) {
        this.table = table;
        this.ranges = ranges;
    }

    /// The values of a column in every row that matters.
    ///
    /// @param column of the scan
    public record KeyRange(int column, KeySet keys) {}

    public static BatchRanges of(
            Pipeline pipeline, Source.TableScan scan, Table table, List<JoinTable> tables, List<Literal> slotValues) {
        return of(pipeline, scan, table, tables, List.of(), slotValues);
    }

    /// @param filters those of the pipeline's runtime filters
    public static BatchRanges of(
            Pipeline pipeline,
            Source.TableScan scan,
            Table table,
            List<JoinTable> tables,
            List<KeyRange> filters,
            List<Literal> slotValues) {
        int[] columns = RowSource.columns(scan, table);
        List<ValueRange> ranges = new ArrayList<>();
        for (ColumnRange range : scan.ranges()) {
            Object low = range.low() < 0 ? null : slotValues.get(range.low()).value();
            Object high = range.high() < 0 ? null : slotValues.get(range.high()).value();
            boolean isNever = range.low() >= 0 && low == null || range.high() >= 0 && high == null;
            ranges.add(
                    isNever
                            ? new ValueRange(-1, null, null, null)
                            : new ValueRange(columns[range.column()], low, high, null));
        }
        addJoins(pipeline, columns, tables, table.batchCount() >= MIN_SET_BATCHES, ranges);
        for (KeyRange filter : filters) {
            ranges.add(
                    new ValueRange(columns[filter.column], filter.keys.least(), filter.keys.greatest(), filter.keys));
        }
        return new BatchRanges(table, ranges);
    }

    private static void addJoins(
            Pipeline pipeline, int[] columns, List<JoinTable> tables, boolean wantsSets, List<ValueRange> ranges) {
        for (int index = 0; index < tables.size(); index++) {
            Join join = pipeline.joins().get(index);
            JoinTable build = tables.get(index);
            boolean excludes = join.kind().needsMatch() && build.hasRanges();
            for (int key = 0; excludes && key < join.keys().size(); key++) {
                int input = pipeline.sourceColumn(index, join.keys().get(key));
                if (input >= 0) {
                    KeySet keys = wantsSets && build.rowCount() <= MAX_SET_ROWS ? build.keySet(key) : null;
                    ranges.add(new ValueRange(columns[input], build.minKey(key), build.maxKey(key), keys));
                }
            }
        }
    }

    /// Whether the batch may hold a surviving row.
    public boolean admits(int batch) {
        for (ValueRange range : ranges) {
            if (range.column < 0 || range.excludes(table.batchStats(batch, range.column), table.batchRows(batch))) {
                return false;
            }
        }
        return true;
    }
}
