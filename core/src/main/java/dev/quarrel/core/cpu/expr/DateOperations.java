package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.number.DateMath;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.ir.DateField;
import dev.quarrel.core.type.CivilDate;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// Dates and timestamps: arithmetic, parts, truncation. All in UTC.
final class DateOperations {
    private DateOperations() {}

    /// @param sign 1 to add the days, -1 to subtract them
    static void addDays(int sign, IntVector date, IntVector days, IntVector result, Mask rows) {
        result.intersectValidity(date, days, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (result.isPresent(row)) {
                result.values()[row] = DateMath.addDays(date.values()[row], (long) sign * days.values()[row]);
            }
        }
    }

    static void daysBetween(IntVector a, IntVector b, IntVector result, Mask rows) {
        result.intersectValidity(a, b, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            int one = a.values()[row];
            int other = b.values()[row];
            if ((CivilDate.isInfinite(one) || CivilDate.isInfinite(other)) && result.isPresent(row)) {
                // Seconds since the epoch are such a difference, and are infinite themselves.
                throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "cannot subtract infinite dates")
                        .ofNarrowNumerics();
            }
            result.values()[row] = one - other;
        }
    }

    static void extractDate(DateField field, IntVector date, IntVector result, Mask rows) {
        result.copyValidity(date, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (result.isPresent(row)) {
                int day = date.values()[row];
                if (CivilDate.isInfinite(day)) {
                    throw infinite("date");
                }
                result.values()[row] = (int) DateMath.field(field, day);
            }
        }
    }

    static void extractTimestamp(DateField field, LongVector time, DecimalVector result, Mask rows) {
        result.copyValidity(time, rows.wordCount());
        int scale =
                switch (field) {
                    case SECOND, EPOCH -> 6;
                    case MILLISECONDS -> 3;
                    default -> 0;
                };
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (result.isPresent(row)) {
                long micros = time.values()[row];
                if (CivilDate.isInfinite(micros)) {
                    throw infinite("timestamp");
                }
                long value = field(field, micros);
                result.low()[row] = value;
                result.high()[row] = value >> 63;
                result.scale()[row] = scale;
            }
        }
        result.setNarrow(true);
    }

    /// PostgreSQL answers NULL or a numeric infinity, by field: a program can say neither, and the function of a row,
    /// which statements of wide numerics call, can.
    static QueryException infinite(String type) {
        return new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED, "extract from an infinite " + type + " is not supported")
                .ofNarrowNumerics();
    }

    private static long field(DateField field, long micros) {
        long day = CivilDate.dayOf(micros);
        long time = micros - day * CivilDate.MICROS_PER_DAY;
        return switch (field) {
            case HOUR -> time / (3_600 * CivilDate.MICROS_PER_SECOND);
            case MINUTE -> time / (60 * CivilDate.MICROS_PER_SECOND) % 60;
            case SECOND, MILLISECONDS, MICROSECONDS -> time % (60 * CivilDate.MICROS_PER_SECOND);
            case EPOCH -> micros;
            case YEAR, QUARTER, MONTH, DAY, DOW, ISODOW, DOY, WEEK, ISOYEAR, DECADE, CENTURY, MILLENNIUM ->
                DateMath.field(field, day);
        };
    }

    static void truncate(DateField field, LongVector time, LongVector result, Mask rows) {
        result.copyValidity(time, rows.wordCount());
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (result.isPresent(row)) {
                result.values()[row] = DateMath.truncate(field, time.values()[row]);
            }
        }
    }
}
