package dev.quarrel.core.run;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.concurrent.atomic.AtomicReference;

/// One query's wish to stop: a cancel request, a time-out, a client gone. Checked at least once a morsel.
public final class Cancellation {
    private final AtomicReference<QueryException> reason = new AtomicReference<>();

    /// Asks the query to stop; the first reason stays. Any thread, any number of times.
    public void cancel(QueryException why) {
        reason.compareAndSet(null, why);
    }

    /// Asks the query to stop as a user's request does: 57014.
    public void cancel() {
        cancel(new QueryException(SqlState.QUERY_CANCELED, "canceling statement due to user request"));
    }

    public boolean isCancelled() {
        return reason.get() != null;
    }

    /// - Errors: the reason, once the query is cancelled.
    public void check() {
        QueryException why = reason.get();
        if (why != null) {
            throw why;
        }
    }
}
