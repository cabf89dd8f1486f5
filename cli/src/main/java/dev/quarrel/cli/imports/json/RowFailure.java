package dev.quarrel.cli.imports.json;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;

/// A row that cannot become values of columns; without a stack, since it says nothing to anybody.
final class RowFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int row;
    private final boolean isMisfit;

    private RowFailure(int row, QueryException cause, boolean isMisfit) {
        super(null, cause, false, false);
        this.row = row;
        this.isMisfit = isMisfit;
    }

    /// A value that is none of its column's type, or has no column: where the types were found by other rows, all of
    /// them find others.
    static RowFailure misfit(int row) {
        return misfit(row, new QueryException(SqlState.DATATYPE_MISMATCH, "a value is none of its column's type"));
    }

    static RowFailure misfit(int row, QueryException why) {
        return new RowFailure(row, why, true);
    }

    static RowFailure of(int row, QueryException wrong) {
        return new RowFailure(row, wrong, false);
    }

    int row() {
        return row;
    }

    boolean isMisfit() {
        return isMisfit;
    }

    QueryException error() {
        return (QueryException) getCause();
    }
}
