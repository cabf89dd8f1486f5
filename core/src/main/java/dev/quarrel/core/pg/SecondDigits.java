package dev.quarrel.core.pg;

import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// Rounds times to the digits of a second that a type keeps, as in `timestamp(3)`.
///
/// - Source: PostgreSQL's `timestamp.c` (AdjustTimestampForTypmod) and `date.c` (AdjustTimeForTypmod).
public final class SecondDigits {
    /// Digits of a microsecond.
    public static final int MAX = 6;

    private static final long[] UNITS = {1_000_000, 100_000, 10_000, 1_000, 100, 10, 1};

    private SecondDigits() {}

    /// Half up.
    ///
    /// @param micros since midnight
    /// @param digits 0 to 6; others count as the nearer of these
    public static long roundTime(long micros, int digits) {
        long unit = UNITS[Math.clamp(digits, 0, MAX)];
        return (micros + unit / 2) / unit * unit;
    }

    /// Half away from 2000-01-01; infinities stay.
    ///
    /// - Errors: 22008 where that is too late.
    ///
    /// @param micros since 1970-01-01
    /// @param digits 0 to 6; others count as the nearer of these
    public static long roundTimestamp(long micros, int digits) {
        if (digits >= MAX || micros == PgText.TIMESTAMP_INFINITY || micros == PgText.TIMESTAMP_MINUS_INFINITY) {
            return micros;
        }
        long unit = UNITS[Math.clamp(digits, 0, MAX)];
        long value = micros - CivilDate.POSTGRES_EPOCH_MICROS;
        long rounded = value >= 0 ? (value + unit / 2) / unit * unit : -((-value + unit / 2) / unit * unit);
        long sum = rounded + CivilDate.POSTGRES_EPOCH_MICROS;
        if (sum < rounded) {
            throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range");
        }
        return sum;
    }
}
