package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.SeriesClauses;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// A step of time: some months, or some microseconds.
///
/// @param text as an interval's text
public record TimeSteps(long months, long micros, boolean isWeeks, String text) {
    private static final long MICROS_A_DAY = 86_400_000_000L;
    private static final long MAX_COUNT = 1_000_000_000L;

    /// - Errors: 22023 for no unit, or for none of it; 22008 for more than a billion.
    ///
    /// @param text the statement's
    public static TimeSteps of(SeriesClauses.Step step, String text) {
        if (step.count() < 1 || step.count() > MAX_COUNT) {
            throw new QueryException(
                            SqlState.INVALID_PARAMETER_VALUE, "a step must be of 1 to " + MAX_COUNT + " units of time")
                    .withPosition(Positions.of(text, step.pos().getColumnNum() - 1));
        }
        long count = step.count();
        return switch (step.unit()) {
            case "u", "U", "us" -> new TimeSteps(0, count, false, count + " microseconds");
            case "T", "ms" -> new TimeSteps(0, count * 1_000, false, count + " milliseconds");
            case "s" -> new TimeSteps(0, count * 1_000_000, false, count + " seconds");
            case "m" -> new TimeSteps(0, count * 60_000_000, false, count + " minutes");
            case "h" -> new TimeSteps(0, Math.multiplyExact(count, 3_600_000_000L), false, count + " hours");
            case "d" -> days(count, false, step, text);
            case "w" -> days(count * 7, true, step, text);
            case "M" -> new TimeSteps(count, 0, false, count + " months");
            case "y" -> new TimeSteps(count * 12, 0, false, count + " years");
            default ->
                throw new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "a step in the unit \"" + step.unit() + "\" is not supported")
                        .withPosition(Positions.of(text, step.pos().getColumnNum() - 1))
                        .withHint("Units are U (microseconds), T (milliseconds), s, m, h, d, w, M (months) and y.");
        };
    }

    private static TimeSteps days(long days, boolean isWeeks, SeriesClauses.Step step, String text) {
        if (days > 100_000_000L) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "a step of " + days + " days is too long")
                    .withPosition(Positions.of(text, step.pos().getColumnNum() - 1));
        }
        return new TimeSteps(0, days * MICROS_A_DAY, isWeeks, days + " days");
    }

    public boolean isMonths() {
        return months > 0;
    }
}
