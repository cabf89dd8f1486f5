package dev.quarrel.core.budget;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// The signal for one query to stop, because of a cancel request, a time-out or a client that has gone. The
/// query checks it at least once per morsel.
public final class Cancellation {
    private static final ScopedValue<Cancellation> CURRENT = ScopedValue.newInstance();

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

    /// As `check`, and lets other queries go first where the calling worker has been at its step for long: for loops
    /// that may be without end, where no lock is held.
    public void checkpoint() {
        check();
        if (Thread.currentThread() instanceof Yielding worker) {
            worker.checkpoint();
            check();
        }
    }

    /// Does some of the query's work: [#checkCurrent] in it is this one's check.
    public void during(Runnable work) {
        ScopedValue.where(CURRENT, this).run(work);
    }

    /// The same for work that has a result.
    public <T> T supplied(Supplier<T> work) {
        return ScopedValue.where(CURRENT, this).call(work::get);
    }

    /// Checks the query that the calling thread works for, if it does: for functions of one value that may take
    /// long, such as matching a long text.
    ///
    /// - Errors: as `check`.
    public static void checkCurrent() {
        if (CURRENT.isBound()) {
            CURRENT.get().check();
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

    /// Cancels another query, a part of this one or what it reads, when this one is cancelled, for the same reason.
    ///
    /// @return what `forget` ends it by
    public Runnable passTo(Cancellation other) {
        Runnable link = () -> other.cancel(reason);
        onCancel(link);
        return link;
    }

    /// Forgets an action given to `onCancel`.
    public void forget(Runnable action) {
        synchronized (listeners) {
            listeners.remove(action);
        }
    }

    public QueryException reason() {
        return reason;
    }
}
