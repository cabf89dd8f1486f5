package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.sql.type.SqlType;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Writes `ts IN '2016-01'` in PostgreSQL's own syntax: `ts >= '2016-01-01' AND ts < '2016-02-01'`.
public final class TimeInterval {
    private TimeInterval() {}

    /// - Errors: 22007 for a text that stands for no times.
    ///
    /// @param type of the time
    public static SqlNode written(SqlNode time, SqlType type, String text) {
        SeriesTree tree = new SeriesTree(time.getParserPosition());
        SqlNode any = null;
        for (TimeRanges.Range range : TimeRanges.of(text)) {
            SqlNode within = tree.and(
                    tree.notLess(time, literal(tree, type, range.from())),
                    tree.less(time, literal(tree, type, range.to())));
            any = any == null ? within : SqlStdOperatorTable.OR.createCall(tree.pos(), any, within);
        }
        return any == null ? tree.less(time, time) : any;
    }

    private static SqlNode literal(SeriesTree tree, SqlType type, LocalDateTime time) {
        boolean isDay = time.toLocalTime().equals(LocalTime.MIDNIGHT);
        return switch (type) {
            case TIMESTAMPTZ -> tree.literal("timestamptz", time.toString());
            case DATE ->
                isDay
                        ? tree.literal("date", time.toLocalDate().toString())
                        : tree.literal("timestamp", time.toString());
            default -> tree.literal("timestamp", time.toString());
        };
    }
}
