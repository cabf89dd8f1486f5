package dev.quarrel.core.ir;

/// The parts of a date or timestamp, as `extract` and `date_trunc` name them. The ordinal is an instruction's
/// immediate.
public enum DateField {
    /// Negative before 1 AD, and never 0, as PostgreSQL has it.
    YEAR,
    QUARTER,
    MONTH,
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    /// Seconds, with the fraction, times 1,000.
    MILLISECONDS,
    /// Seconds, with the fraction, times 1,000,000.
    MICROSECONDS,
    /// Sunday = 0 to Saturday = 6.
    DOW,
    /// Monday = 1 to Sunday = 7.
    ISODOW,
    /// 1 to 366.
    DOY,
    /// ISO 8601 week; for truncation: to Monday.
    WEEK,
    ISOYEAR,
    DECADE,
    CENTURY,
    MILLENNIUM,
    /// Seconds since 1970-01-01T00:00.
    EPOCH;

    private static final DateField[] ALL = values();

    /// Whether EXTRACT_DATE has it: what a day has, and an int32 holds (the epoch of a day does not fit).
    public boolean isOfDate() {
        return switch (this) {
            case YEAR, QUARTER, MONTH, DAY, DOW, ISODOW, DOY, WEEK, ISOYEAR, DECADE, CENTURY, MILLENNIUM -> true;
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS, EPOCH -> false;
        };
    }

    /// Whether TRUNC_TIMESTAMP has it: a unit that times begin and end with.
    public boolean isUnit() {
        return switch (this) {
            case YEAR,
                    QUARTER,
                    MONTH,
                    DAY,
                    HOUR,
                    MINUTE,
                    SECOND,
                    MILLISECONDS,
                    MICROSECONDS,
                    WEEK,
                    DECADE,
                    CENTURY,
                    MILLENNIUM -> true;
            case DOW, ISODOW, DOY, ISOYEAR, EPOCH -> false;
        };
    }

    /// Whether EXTRACT_TIME has it.
    public boolean isOfTime() {
        return switch (this) {
            case HOUR, MINUTE, SECOND, MILLISECONDS, MICROSECONDS, EPOCH -> true;
            case YEAR, QUARTER, MONTH, DAY, DOW, ISODOW, DOY, WEEK, ISOYEAR, DECADE, CENTURY, MILLENNIUM -> false;
        };
    }

    /// Whether EXTRACT_INTERVAL has it.
    public boolean isOfInterval() {
        return switch (this) {
            case YEAR,
                    QUARTER,
                    MONTH,
                    WEEK,
                    DAY,
                    HOUR,
                    MINUTE,
                    SECOND,
                    MILLISECONDS,
                    MICROSECONDS,
                    DECADE,
                    CENTURY,
                    MILLENNIUM,
                    EPOCH -> true;
            case DOW, ISODOW, DOY, ISOYEAR -> false;
        };
    }

    /// Whether TRUNC_INTERVAL has it: weeks are no part of a month.
    public boolean isUnitOfInterval() {
        return isUnit() && this != WEEK;
    }

    /// - Errors: [IllegalArgumentException] for a number that is no field's.
    public static DateField of(int immediate) {
        if (immediate < 0 || immediate >= ALL.length) {
            throw new IllegalArgumentException("no date field has number " + immediate);
        }
        return ALL[immediate];
    }
}
