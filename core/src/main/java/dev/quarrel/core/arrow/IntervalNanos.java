package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;

/// Intervals as Arrow's month_day_nano: months, days and nanoseconds, where we have microseconds.
///
/// The infinities keep their extreme values, which no number of microseconds becomes.
final class IntervalNanos {
    private static final long NANOS_PER_MICRO = 1_000;

    private IntervalNanos() {}

    static long micros(long calendar, long nanos) {
        return Interval.isFinite(calendar, nanos) ? Math.floorDiv(nanos, NANOS_PER_MICRO) : nanos;
    }

    /// - Errors: `QueryException` 0A000 for more than 292 years of hours and less, which Arrow cannot hold.
    static MemorySegment of(FixedColumn column, String name, Allocator memory) {
        MemorySegment nanos = memory.allocate(column.rowCount() * 16L);
        for (int row = 0; row < column.rowCount(); row++) {
            long calendar = column.values().get(INT64, row * 16L);
            long micros = column.values().get(INT64, row * 16L + 8);
            boolean isFinite = Interval.isFinite(calendar, micros);
            long value = isFinite ? micros * NANOS_PER_MICRO : micros;
            if (isFinite
                    && Math.multiplyHigh(micros, NANOS_PER_MICRO) != value >> 63
                    && column.validity().isPresent(row)) {
                throw new QueryException(
                                SqlState.FEATURE_NOT_SUPPORTED,
                                "column \"" + name
                                        + "\" has an interval of more than 2562047 hours, which an Arrow file"
                                        + " cannot hold")
                        .withHint("Turn its hours into days with justify_hours().");
            }
            nanos.set(INT64, row * 16L, calendar);
            nanos.set(INT64, row * 16L + 8, value);
        }
        return nanos;
    }
}
