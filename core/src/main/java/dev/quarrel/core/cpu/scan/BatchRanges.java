package dev.quarrel.core.cpu.scan;

import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.number.FloatBits;
import dev.quarrel.core.ir.ColumnRange;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.UuidWords;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/// Decides by the statistics of a table's batches (its zone maps) which of them can hold a row that survives the
/// scan's ranges and the keys that the build sides of inner and semi joins have.
public final class BatchRanges {
    private final Table table;
    private final List<ValueRange> ranges;

    /// @param low null for no bound
    private record ValueRange(int column, Object low, Object high) {}

    private BatchRanges(Table table, List<ValueRange> ranges) {
        this.table = table;
        this.ranges = ranges;
    }

    /// What a column's values lie between in every row that matters.
    ///
    /// @param column of the scan
    public record KeyRange(int column, long low, long high) {}

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
            ranges.add(isNever ? new ValueRange(-1, null, null) : new ValueRange(columns[range.column()], low, high));
        }
        addJoins(pipeline, columns, tables, ranges);
        for (KeyRange filter : filters) {
            ranges.add(new ValueRange(columns[filter.column], filter.low, filter.high));
        }
        return new BatchRanges(table, ranges);
    }

    private static void addJoins(Pipeline pipeline, int[] columns, List<JoinTable> tables, List<ValueRange> ranges) {
        for (int index = 0; index < tables.size(); index++) {
            Join join = pipeline.joins().get(index);
            JoinTable build = tables.get(index);
            boolean excludes = join.kind().needsMatch() && build.hasRanges();
            for (int key = 0; excludes && key < join.keys().size(); key++) {
                int input = pipeline.sourceColumn(index, join.keys().get(key));
                if (input >= 0) {
                    ranges.add(new ValueRange(columns[input], build.minKey(key), build.maxKey(key)));
                }
            }
        }
    }

    /// Whether the batch may hold a surviving row.
    public boolean admits(int batch) {
        for (ValueRange range : ranges) {
            if (range.column < 0) {
                return false;
            }
            ColumnStats stats = table.batchStats(batch, range.column);
            if (stats.nullCount() >= 0 && stats.nullCount() == table.batchRows(batch)
                    || range.low != null && stats.max() != null && compare(stats.max(), range.low) < 0
                    || range.high != null && stats.min() != null && compare(stats.min(), range.high) > 0) {
                return false;
            }
        }
        return true;
    }

    /// As PostgreSQL orders them; both are canonical values of one type.
    public static int compare(Object one, Object other) {
        return switch (one) {
            case Long number -> Long.compare(number, (Long) other);
            case Boolean bool -> Boolean.compare(bool, (Boolean) other);
            case Float number -> Long.compare(FloatBits.ordered(number), FloatBits.ordered((Float) other));
            case Double number -> Long.compare(FloatBits.ordered(number), FloatBits.ordered((Double) other));
            case BigDecimal _, SpecialNumeric _ -> SpecialNumeric.compare(one, other);
            case String text ->
                Arrays.compareUnsigned(
                        text.getBytes(StandardCharsets.UTF_8), ((String) other).getBytes(StandardCharsets.UTF_8));
            case UUID uuid -> UuidWords.compare(uuid, (UUID) other);
            case Bytes bytes -> bytes.compareTo((Bytes) other);
            default -> throw new IllegalArgumentException(one.getClass() + " is no value of a column");
        };
    }
}
