package dev.quarrel.core.arrow.stats;

import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The bounds of statistics as metadata for PG-Strom's Arrow_Fdw: `min_values` and `max_values` of a field, one
/// integer per batch, separated by commas, and `min_max_stats.<field>` of a batch.
///
/// Integers are the values as they lie in the file: days, microseconds, a decimal's digits without its point. Only
/// written: tools that change rows carry fields' metadata over.
///
/// - Source: PG-Strom's `arrow_fdw.c`, `buildArrowStatsBinary`.
public final class StromStats {
    private static final String MIN_VALUES = "min_values";
    private static final String MAX_VALUES = "max_values";
    private static final String OF_BATCH = "min_max_stats.";
    private static final String UNKNOWN = "null";

    private StromStats() {}

    /// The metadata of a field; empty where there is nothing to say.
    ///
    /// @param batches its statistics, one a batch
    public static Map<String, String> ofField(DataType type, List<ColumnStats> batches) {
        List<String> minimums = new ArrayList<>();
        List<String> maximums = new ArrayList<>();
        boolean isKnown = false;
        for (ColumnStats stats : batches) {
            String min = integer(type, stats.min());
            String max = integer(type, stats.max());
            boolean both = min != null && max != null;
            minimums.add(both ? min : UNKNOWN);
            maximums.add(both ? max : UNKNOWN);
            isKnown |= both;
        }
        return isKnown
                ? Map.of(MIN_VALUES, String.join(",", minimums), MAX_VALUES, String.join(",", maximums))
                : Map.of();
    }

    /// The metadata of a batch.
    public static Map<String, String> ofBatch(Schema schema, List<ColumnSummary> columns) {
        Map<String, String> metadata = new TreeMap<>();
        for (int column = 0; column < columns.size(); column++) {
            ColumnStats stats = columns.get(column).stats();
            String min = integer(schema.type(column), stats.min());
            String max = integer(schema.type(column), stats.max());
            if (min != null && max != null) {
                metadata.put(OF_BATCH + schema.field(column).name(), min + "," + max);
            }
        }
        return metadata;
    }

    /// The value as an integer, or null: Arrow_Fdw knows no other bounds, and infinite days overflow in it.
    private static String integer(DataType type, Object value) {
        if (value == null) {
            return null;
        }
        return switch (type) {
            case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _, DataType.Time _ -> value.toString();
            case DataType.Date _ -> {
                long days = (Long) value;
                yield days == Integer.MAX_VALUE || days == Integer.MIN_VALUE ? null : value.toString();
            }
            case DataType.Timestamp _ -> {
                long micros = (Long) value;
                yield micros == Long.MAX_VALUE || micros == Long.MIN_VALUE ? null : value.toString();
            }
            case DataType.Decimal(int _, int scale) ->
                ((BigDecimal) value).setScale(scale).unscaledValue().toString();
            case DataType.Bool _,
                    DataType.Float32 _,
                    DataType.Float64 _,
                    DataType.Numeric _,
                    DataType.Uuid _,
                    DataType.Interval _,
                    DataType.Utf8 _,
                    DataType.Binary _ -> null;
        };
    }
}
