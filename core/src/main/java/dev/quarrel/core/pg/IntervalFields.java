package dev.quarrel.core.pg;

import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Map;

/// The modifier of type interval: the fields that it keeps, as in `interval day to second(3)`, and the number of
/// digits of a second.
///
/// - Source: PostgreSQL's `timestamp.c` (intervaltypmodin, intervaltypmodout, AdjustIntervalForTypmod) and
/// `timestamp.h`.
public final class IntervalFields {
    static final int MONTH = 1 << 1;
    static final int YEAR = 1 << 2;
    static final int DAY = 1 << 3;
    static final int HOUR = 1 << 10;
    static final int MINUTE = 1 << 11;
    static final int SECOND = 1 << 12;
    static final int ALL = 0x7FFF;

    private static final int ALL_DIGITS = 0xFFFF;
    private static final int MAX_DIGITS = 6;
    private static final long[] UNITS = {1_000_000, 100_000, 10_000, 1_000, 100, 10, 1};
    private static final long MICROS_PER_MINUTE = 60_000_000;
    private static final long MICROS_PER_HOUR = 60 * MICROS_PER_MINUTE;

    private static final Map<String, Integer> BY_TEXT = Map.ofEntries(
            Map.entry("year", YEAR),
            Map.entry("month", MONTH),
            Map.entry("day", DAY),
            Map.entry("hour", HOUR),
            Map.entry("minute", MINUTE),
            Map.entry("second", SECOND),
            Map.entry("year to month", YEAR | MONTH),
            Map.entry("day to hour", DAY | HOUR),
            Map.entry("day to minute", DAY | HOUR | MINUTE),
            Map.entry("day to second", DAY | HOUR | MINUTE | SECOND),
            Map.entry("hour to minute", HOUR | MINUTE),
            Map.entry("hour to second", HOUR | MINUTE | SECOND),
            Map.entry("minute to second", MINUTE | SECOND));

    private IntervalFields() {}

    /// @param fields such as `day to second`, or empty for all
    /// @param digits of a second's fraction, or -1 for all
    /// @return -1 for fields that SQL does not have
    public static int typmod(String fields, int digits) {
        Integer mask = fields.isEmpty() ? Integer.valueOf(ALL) : BY_TEXT.get(fields);
        if (mask == null) {
            return -1;
        }
        if (mask == ALL && digits < 0) {
            return PgType.NO_TYPMOD;
        }
        return mask << 16 | (digits < 0 ? ALL_DIGITS : Math.min(digits, MAX_DIGITS));
    }

    /// Whether `text` names fields, such as `day to second`.
    public static boolean isKnown(String text) {
        return BY_TEXT.containsKey(text);
    }

    /// The fields that [#typmod] takes as a list of one or two names.
    public static String text(List<String> names) {
        return String.join(" to ", names);
    }

    /// What stands behind `interval` in a type's name: ` day to second(3)`.
    static String suffix(int typmod) {
        StringBuilder text = new StringBuilder();
        int mask = mask(typmod);
        BY_TEXT.forEach((name, fields) -> {
            if (fields == mask) {
                text.append(' ').append(name);
            }
        });
        int digits = typmod & ALL_DIGITS;
        if (digits != ALL_DIGITS) {
            text.append('(').append(digits).append(')');
        }
        return text.toString();
    }

    /// The digits of a second's fraction that are kept: 0 to 6.
    public static int fractionDigits(int typmod) {
        return typmod < 0 ? MAX_DIGITS : Math.min(typmod & ALL_DIGITS, MAX_DIGITS);
    }

    static int mask(int typmod) {
        return typmod < 0 ? ALL : typmod >> 16 & ALL;
    }

    /// Drops what is finer than the last field, and rounds a second's fraction, half away from zero.
    ///
    /// - Errors: 22008 beyond the range of intervals.
    public static Interval adjusted(Interval value, int typmod) {
        if (typmod < 0 || !value.isFinite()) {
            return value;
        }
        int mask = mask(typmod);
        int months = value.months();
        int days = value.days();
        long micros = value.micros();
        if (mask == YEAR) {
            months = months / 12 * 12;
        }
        if ((mask & ~(YEAR | MONTH)) == 0) {
            return new Interval(months, 0, 0);
        }
        if (mask == DAY) {
            return new Interval(months, days, 0);
        }
        if ((mask & (MINUTE | SECOND)) == 0) {
            micros -= micros % MICROS_PER_HOUR;
        } else if ((mask & SECOND) == 0) {
            micros -= micros % MICROS_PER_MINUTE;
        }
        int digits = typmod & ALL_DIGITS;
        if (digits < MAX_DIGITS) {
            long unit = UNITS[digits];
            long half = micros >= 0 ? unit / 2 : -unit / 2;
            long sum = micros + half;
            if (((micros ^ sum) & (half ^ sum)) < 0) {
                throw new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "interval out of range");
            }
            micros = sum - sum % unit;
        }
        return new Interval(months, days, micros);
    }
}
