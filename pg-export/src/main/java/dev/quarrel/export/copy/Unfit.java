package dev.quarrel.export.copy;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// The treatment of values that a column of the file cannot hold as they are.
///
/// @param numeric of NaN and the infinities among numerics, and of those of more than 38 digits
/// @param infinity of infinite dates and timestamps
public record Unfit(Overflow numeric, Infinity infinity) {
    /// An error for numerics, infinities kept.
    public static final Unfit DEFAULT = new Unfit(Overflow.ERROR, Infinity.KEEP);

    public enum Overflow {
        ERROR,
        NULL,
        /// Columns declared without a precision hold numerics of any number of digits, as their texts; those declared
        /// with more than 38 digits do so in any case but that of NULL.
        TEXT
    }

    public enum Infinity {
        /// As the greatest or least number, which Quarrel shows as infinity, and other readers as a date far away.
        KEEP,
        NULL,
        ERROR
    }

    /// - Errors: `QueryException` 22008 where it is an error.
    boolean keepsInfinity(boolean positive, String column) {
        return switch (infinity) {
            case KEEP -> true;
            case NULL -> false;
            case ERROR ->
                throw new QueryException(
                                SqlState.DATETIME_FIELD_OVERFLOW,
                                "column " + column + " has the value " + (positive ? "infinity" : "-infinity"))
                        .withHint("keep it with --infinity keep, make it NULL with --infinity null, or leave the column"
                                + " out with --exclude " + column);
        };
    }
}
