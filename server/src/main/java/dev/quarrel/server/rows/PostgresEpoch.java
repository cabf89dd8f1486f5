package dev.quarrel.server.rows;

import dev.quarrel.core.type.CivilDate;

/// PostgreSQL counts from 2000-01-01, we from 1970-01-01. The infinities are the ends of the range in both.
final class PostgresEpoch {
    static final long DAYS = CivilDate.POSTGRES_EPOCH_DAY;
    static final long MICROS = CivilDate.POSTGRES_EPOCH_MICROS;

    private PostgresEpoch() {}

    /// @param width bytes of the value: 4 for a date, 8 for a timestamp
    static boolean isInfinite(long value, int width) {
        return width == 4
                ? value == Integer.MAX_VALUE || value == Integer.MIN_VALUE
                : value == Long.MAX_VALUE || value == Long.MIN_VALUE;
    }
}
