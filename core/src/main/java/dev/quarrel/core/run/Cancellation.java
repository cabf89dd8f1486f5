package dev.quarrel.core.run;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;

/// One query's wish to stop: a cancel request, a time-out, a client gone. Checked at least once a morsel.
public final class Cancellation {
    private final List<Runnable> listeners = new ArrayList<>();
    private volatile QueryException reason;

    /// Asks the query to stop; the first reason stays. Any thread, any number of times.
    public void cancel(QueryException why) {
        List<Runnable> told;
        synchronized (listeners) {
            if (reason != null) {
                return;
            }
            reason = why;
            told = List.copyOf(listeners);
            listeners.clear();
        }
        told.forEach(Runnable::run);
    }

    /// Asks the query to stop as a user's request does: 57014.
    public void cancel() {
        cancel(new QueryException(SqlState.QUERY_CANCELED, "canceling statement due to user request"));
    }

    public boolean isCancelled() {
        return reason != null;
    }

    /// - Errors: the reason, once the query is cancelled.
    public void check() {
        QueryException why = reason;
        if (why != null) {
            throw why;
        }
    }

    /// Calls `action` once when the query is cancelled, on the cancelling thread; at once if it already is. It must be
    /// quick and not throw.
    public void onCancel(Runnable action) {
        synchronized (listeners) {
            if (reason == null) {
                listeners.add(action);
                return;
            }
        }
        action.run();
    }

    /// Forgets an action given to `onCancel`.
    public void forget(Runnable action) {
        synchronized (listeners) {
            listeners.remove(action);
        }
    }

    QueryException reason() {
        return reason;
    }
}
