package dev.quarrel.core.ir;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/// An aggregate that an application added: its types, and the code behind it. It lives in this process alone.
///
/// - Errors: a `QueryException` of the code is the query's; any other exception is 38000.
///
/// @param id the signature, for error messages; unique among the aggregates of an engine
/// @param name the SQL name, for EXPLAIN
/// @param isStrict whether rows with a NULL among the arguments are left out; otherwise the code sees NULLs
public record LocalAggregate(
        String id, String name, List<DataType> arguments, DataType result, boolean isStrict, Code code) {
    public LocalAggregate {
        arguments = List.copyOf(arguments);
        Objects.requireNonNull(code, "code");
    }

    /// What computes an aggregate: states that are any objects but null. Values are in canonical form ([Literal]'s
    /// table; null for NULL). Any number of threads call it, a state is one thread's at a time.
    public interface Code {
        /// The state of no rows, a new one for each call.
        Object start();

        /// The state after one row more; it may be the same object.
        Object add(Object state, Object[] arguments);

        /// Whether [#merge] is there. Without it the rows of a group are kept, and added one after another.
        boolean canMerge();

        /// The state of all rows of both; `other` is not used afterwards.
        Object merge(Object state, Object other);

        /// The result, which leaves the state as it is: over frames that grow, rows are added afterwards.
        Object finish(Object state);

        /// Whether states differ in size, so that [#bytes] is asked after each row.
        boolean isMeasured();

        /// The memory that a state holds, roughly; of one that is not measured, the same for each.
        long bytes(Object state);
    }

    public boolean canMerge() {
        return code.canMerge();
    }

    public Object start() {
        return present(guarded(code::start), "start");
    }

    public Object add(Object state, Object[] values) {
        return present(guarded(() -> code.add(state, values)), "add");
    }

    public Object merge(Object state, Object other) {
        return present(guarded(() -> code.merge(state, other)), "merge");
    }

    public long bytes(Object state) {
        return guarded(() -> Math.max(0, code.bytes(state)));
    }

    /// - Errors: 38000 for what is no value of the result's type, too.
    public Object finish(Object state) {
        return guarded(() -> new Literal(result, code.finish(state)).value());
    }

    private Object present(Object state, String step) {
        if (state == null) {
            throw failed(step + " gave no state", null);
        }
        return state;
    }

    private <T> T guarded(Supplier<T> step) {
        try {
            return step.get();
        } catch (QueryException failure) {
            throw failure;
        } catch (RuntimeException problem) {
            throw failed(problem.toString(), problem);
        }
    }

    private QueryException failed(String why, RuntimeException problem) {
        return new QueryException(
                SqlState.EXTERNAL_ROUTINE_EXCEPTION, "the aggregate " + id + " failed: " + why, problem);
    }
}
