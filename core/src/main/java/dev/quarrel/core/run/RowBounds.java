package dev.quarrel.core.run;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// The row counts that LIMIT and OFFSET stand for in one execution.
public final class RowBounds {
    private RowBounds() {}

    /// Rows at most, or [Sink#NO_LIMIT].
    ///
    /// - Errors: 2201W for a negative one.
    public static long limit(Sink.Bound bound, List<Literal> slotValues) {
        if (bound.slot() < 0) {
            return bound.rows();
        }
        Object value = slotValues.get(bound.slot()).value();
        if (value == null) {
            return Sink.NO_LIMIT;
        }
        long rows = (Long) value;
        if (rows < 0) {
            throw new QueryException(SqlState.INVALID_ROW_COUNT_IN_LIMIT_CLAUSE, "LIMIT must not be negative");
        }
        return rows;
    }

    /// Rows to leave out, at least 0.
    ///
    /// - Errors: 2201X for a negative one.
    public static long offset(Sink.Bound bound, List<Literal> slotValues) {
        if (bound.slot() < 0) {
            return Math.max(0, bound.rows());
        }
        Object value = slotValues.get(bound.slot()).value();
        if (value == null) {
            return 0;
        }
        long rows = (Long) value;
        if (rows < 0) {
            throw new QueryException(SqlState.INVALID_ROW_COUNT_IN_OFFSET_CLAUSE, "OFFSET must not be negative");
        }
        return rows;
    }
}
