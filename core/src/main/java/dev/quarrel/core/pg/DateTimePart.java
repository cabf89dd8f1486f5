package dev.quarrel.core.pg;

/// What a field of a text gives to its date or time, as bits: no part is given twice.
///
/// - Source: PostgreSQL's `datetime.h` (DTK_M).
final class DateTimePart {
    static final int YEAR = 1;
    static final int MONTH = 1 << 1;
    static final int DAY = 1 << 2;
    static final int TIME = 1 << 3;
    static final int ZONE = 1 << 4;
    static final int DAY_OF_YEAR = 1 << 5;
    static final int HALF_DAY = 1 << 6;
    static final int ERA = 1 << 7;
    static final int WEEKDAY = 1 << 8;
    static final int DAYLIGHT = 1 << 9;
    static final int DATE = YEAR | MONTH | DAY;

    private DateTimePart() {}
}
