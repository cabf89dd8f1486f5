package dev.quarrel.core.cpu.number;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;

/// The errors that a row can raise, in PostgreSQL's words.
public final class RowErrors {
    private RowErrors() {}

    public static QueryException divisionByZero() {
        return new QueryException(SqlState.DIVISION_BY_ZERO, "division by zero");
    }

    public static QueryException outOfRange(String type) {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, type + " out of range");
    }

    /// NaN or an infinity where a number is wanted.
    ///
    /// @param type as error messages call it
    public static QueryException noNumber(SpecialNumeric value, String type) {
        return new QueryException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "cannot convert " + (value == SpecialNumeric.NAN ? "NaN" : "infinity") + " to " + type);
    }

    public static QueryException floatOverflow() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow");
    }

    public static QueryException floatUnderflow() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: underflow");
    }

    /// A numeric that PostgreSQL could not hold either.
    public static QueryException beyondNumeric() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format");
    }

    /// A numeric that PostgreSQL could hold and 128 bits cannot.
    public static QueryException beyondPrecision() {
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
                .withDetail("Quarrel holds numeric values of at most 38 digits.")
                .ofNarrowNumerics();
    }

    public static QueryException fieldOverflow(int precision, int scale) {
        int exponent = precision - scale;
        return new QueryException(SqlState.NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow")
                .withDetail("A field with precision " + precision + ", scale " + scale
                        + " must round to an absolute value less than "
                        + (exponent == 0 ? "1." : "10^" + exponent + "."));
    }

    public static QueryException dateOutOfRange() {
        return new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "date out of range");
    }

    public static QueryException timestampOutOfRange() {
        return new QueryException(SqlState.DATETIME_FIELD_OVERFLOW, "timestamp out of range");
    }
}
