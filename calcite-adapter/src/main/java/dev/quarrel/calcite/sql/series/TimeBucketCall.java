package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.sql.type.SqlType;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.type.SqlTypeName;

/// Writes TimescaleDB's `time_bucket('5 minutes', ts [, origin])` in PostgreSQL's own syntax: `date_bin`, and
// `date_trunc`
/// for a month, a quarter and a year. Without an origin, buckets begin with Monday, 2000-01-03.
public final class TimeBucketCall {
    private static final String MONDAY = "2000-01-03 00:00:00";
    private static final Pattern MONTHS =
            Pattern.compile("\\s*(\\d{1,4})\\s*(mons?|months?|years?)\\s*", Pattern.CASE_INSENSITIVE);

    private TimeBucketCall() {}

    /// Whether a call may be one.
    public static boolean is(SqlCall call) {
        return call.getOperator().getName().equals("time_bucket")
                && (call.operandCount() == 2 || call.operandCount() == 3);
    }

    /// The call, or null for a step or a time that it does not take.
    ///
    /// @param type of the time
    public static SqlNode written(SqlCall call, SqlType type) {
        SeriesTree tree = new SeriesTree(call.getParserPosition());
        if (!DesignatedTimestamp.isTime(type)) {
            return null;
        }
        boolean isText =
                call.operand(0) instanceof SqlLiteral text && SqlTypeName.CHAR_TYPES.contains(text.getTypeName());
        SqlNode step = isText ? tree.typed("interval", call.operand(0)) : call.operand(0);
        SqlNode time = type == SqlType.DATE ? tree.cast(call.operand(1), "timestamp") : call.operand(1);
        if (call.operandCount() == 3) {
            return tree.call("date_bin", step, time, call.operand(2));
        }
        if (isText) {
            Matcher months = MONTHS.matcher(((SqlLiteral) call.operand(0)).getValueAs(String.class));
            if (months.matches()) {
                boolean isYears =
                        months.group(2).toLowerCase(java.util.Locale.ROOT).startsWith("y");
                int count = Integer.parseInt(months.group(1)) * (isYears ? 12 : 1);
                String unit = count == 1 ? "month" : count == 3 ? "quarter" : count == 12 ? "year" : null;
                return unit == null ? null : tree.call("date_trunc", tree.text(unit), time);
            }
        }
        boolean hasZone = type == SqlType.TIMESTAMPTZ;
        return tree.call(
                "date_bin",
                step,
                time,
                hasZone ? tree.literal("timestamptz", MONDAY + "+00") : tree.literal("timestamp", MONDAY));
    }
}
