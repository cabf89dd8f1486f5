package dev.quarrel.calcite.limits;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.function.Supplier;

/// The limits on planning one statement: its cancellation, and a bound on the work. They are bound to the
/// planning thread, since much of planning happens inside Calcite, which does not pass our objects along.
///
/// Every loop of planning, ours or Calcite's, passes [#tick]: walks do it a node, and so do the makers of types and
/// expressions that Calcite calls.
public final class PlanningLimits {
    /// Some ten seconds of planning: no statement that finishes needs as many.
    private static final long MAX_TICKS = 100_000_000;

    /// The statement's wish to stop is looked at every so many ticks.
    private static final int TICKS_PER_CHECK = 64;

    private static final ScopedValue<PlanningLimits> CURRENT = ScopedValue.newInstance();

    private final Cancellation cancellation;
    private long ticks;

    private PlanningLimits(Cancellation cancellation) {
        this.cancellation = cancellation;
    }

    /// Plans under a statement's limits.
    ///
    /// - Errors: the cancellation's reason, once it is cancelled; 54001 for a statement whose planning is too much
    ///   work or nested deeper than the thread's stack.
    public static <T> T within(Cancellation cancellation, Supplier<T> planning) {
        cancellation.check();
        try {
            return ScopedValue.where(CURRENT, new PlanningLimits(cancellation))
                    .call(() -> cancellation.supplied(planning));
        } catch (StackOverflowError deep) {
            throw tooDeep();
        }
    }

    /// A step of planning. Free of effect where nobody plans under limits.
    ///
    /// - Errors: as [#within].
    public static void tick() {
        if (CURRENT.isBound()) {
            CURRENT.get().step();
        }
    }

    /// - Errors: the reason, where somebody plans under limits and is cancelled.
    public static void check() {
        if (CURRENT.isBound()) {
            CURRENT.get().cancellation.check();
        }
    }

    /// Calls `action` on the cancelling thread when the statement is cancelled, until what is returned is closed.
    public static Watch onCancel(Runnable action) {
        Cancellation cancellation = CURRENT.isBound() ? CURRENT.get().cancellation : new Cancellation();
        cancellation.onCancel(action);
        return new Watch(cancellation, action);
    }

    /// The registration of an action to be called when the statement is cancelled; closing it removes the
    /// action.
    public record Watch(Cancellation cancellation, Runnable action) implements AutoCloseable {
        /// - Errors: the reason, once the statement is cancelled.
        public void check() {
            cancellation.check();
        }

        @Override
        public void close() {
            cancellation.forget(action);
        }
    }

    private void step() {
        if (++ticks % TICKS_PER_CHECK == 0) {
            cancellation.check();
            if (ticks > MAX_TICKS) {
                throw tooComplex("planning it takes too many steps");
            }
        }
    }

    /// 54001 for a statement that is larger than a plan may be.
    ///
    /// @param detail which bound it passes
    public static QueryException tooComplex(String detail) {
        return new QueryException(SqlState.STATEMENT_TOO_COMPLEX, "statement too complex")
                .withDetail(detail)
                .withHint("Split the statement, or simplify it: every use of a WITH query or sub-query counts anew.");
    }

    /// 54001 for a statement that is nested too deeply.
    public static QueryException tooDeep() {
        return new QueryException(SqlState.STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
                .withHint("Simplify the statement: it is nested too deeply.");
    }
}
