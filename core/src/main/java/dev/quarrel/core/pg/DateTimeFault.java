package dev.quarrel.core.pg;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// What is wrong with a text of a date or time, in PostgreSQL's words.
///
/// - Source: PostgreSQL's `datetime.c` (DateTimeParseError).
record DateTimeFault(String text, String typeName) {
    QueryException badFormat() {
        return new QueryException(
                SqlState.INVALID_DATETIME_FORMAT, "invalid input syntax for type " + typeName + ": \"" + text + "\"");
    }

    QueryException fieldOverflow() {
        return new QueryException(
                SqlState.DATETIME_FIELD_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
    }

    QueryException dateStyle() {
        return fieldOverflow().withHint("Perhaps you need a different \"DateStyle\" setting.");
    }

    QueryException displacement() {
        return new QueryException(
                SqlState.INVALID_TIME_ZONE_DISPLACEMENT_VALUE, "time zone displacement out of range: \"" + text + "\"");
    }

    QueryException outOfRange(String what) {
        return new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, what + " out of range: \"" + text + "\"");
    }
}
