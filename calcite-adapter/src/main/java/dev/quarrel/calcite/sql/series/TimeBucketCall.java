package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.type.SqlTypeName;

/// Writes TimescaleDB's `time_bucket('5 minutes', ts [, origin])` in PostgreSQL's own syntax: `date_bin`, and
/// `date_trunc` for a month, a quarter and a year. Without an origin, buckets begin with Monday, 2000-01-03.
final class TimeBucketCall {
    private static final String MONDAY = "2000-01-03 00:00:00";
    private static final Pattern MONTHS =
            Pattern.compile("\\s*(\\d{1,4})\\s*(mons?|months?|years?)\\s*", Pattern.CASE_INSENSITIVE);

    private TimeBucketCall() {}

    /// Null for a step or a time that it does not take.
    static SqlNode written(SeriesCall call) {
        SeriesTree tree = call.tree();
        SeriesCall.Argument argument = call.argument(1);
        SqlType type = argument.type();
        if (!DesignatedTimestamp.isTime(type)) {
            return null;
        }
        SqlNode width = call.written(0);
        SqlNode step = interval(tree, width);
        SqlNode time = type == SqlType.DATE ? tree.cast(argument.node(), "timestamp") : argument.node();
        if (call.size() == 3) {
            return tree.call("date_bin", step, time, call.written(2));
        }
        String unit = unit(width);
        if (unit != null) {
            return unit.isEmpty() ? null : tree.call("date_trunc", tree.text(unit), time);
        }
        boolean hasZone = type == SqlType.TIMESTAMPTZ;
        return tree.call(
                "date_bin",
                step,
                time,
                hasZone ? tree.literal("timestamptz", MONDAY + "+00") : tree.literal("timestamp", MONDAY));
    }

    /// The bucket of a `timestamp`; null for a step of months that is neither one, three nor twelve.
    ///
    /// @param origin a `timestamp`; null for TimescaleDB's
    static SqlNode bucket(SeriesTree tree, SqlNode width, SqlNode time, SqlNode origin) {
        String unit = unit(width);
        if (unit == null) {
            SqlNode from = origin == null ? tree.literal("timestamp", MONDAY) : origin;
            return tree.call("date_bin", interval(tree, width), time, from);
        }
        return unit.isEmpty() || origin != null ? null : tree.call("date_trunc", tree.text(unit), time);
    }

    /// A step as an interval.
    static SqlNode interval(SeriesTree tree, SqlNode width) {
        return isText(width) ? tree.typed("interval", width) : width;
    }

    private static boolean isText(SqlNode node) {
        return node instanceof SqlLiteral text && SqlTypeName.CHAR_TYPES.contains(text.getTypeName());
    }

    /// The field of `date_trunc` that a step of months is; an empty text where there is none, null for another step.
    private static String unit(SqlNode width) {
        SqlNode text = width instanceof SqlCall call && call.getOperator() == PostgresOperators.TYPED_LITERAL
                ? call.operand(1)
                : width instanceof SqlCall call && call.getKind() == SqlKind.CAST ? call.operand(0) : width;
        if (!isText(text)) {
            return null;
        }
        Matcher months = MONTHS.matcher(((SqlLiteral) text).getValueAs(String.class));
        if (!months.matches()) {
            return null;
        }
        boolean isYears = months.group(2).toLowerCase(Locale.ROOT).startsWith("y");
        return switch (Integer.parseInt(months.group(1)) * (isYears ? 12 : 1)) {
            case 1 -> "month";
            case 3 -> "quarter";
            case 12 -> "year";
            default -> "";
        };
    }
}
