package dev.quarrel.core.type;

import java.util.OptionalInt;

/// An error that is the user's to act on: a mistake in a statement, bad data, or a limit of ours.
///
/// - The message says what and where, in PostgreSQL's wording where PostgreSQL has the same error; no class
///   names, no stack.
/// - `hint` says what to do, `detail` says more, `context` what was being done, `position` is the 1-based character
/// index in the statement's text.
/// - A bug is never a `QueryException`: it is an unchecked exception that carries the values.
public final class QueryException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final SqlState state;
    private final String hint;
    private final String detail;
    private final String context;
    private final int position;
    private final boolean needsWideNumerics;
    private String constraint; // set once, before anybody has it

    public QueryException(SqlState state, String message) {
        this(state, message, null, null, null, 0, false, null);
    }

    public QueryException(SqlState state, String message, Throwable cause) {
        this(state, message, null, null, null, 0, false, cause);
    }

    private QueryException(
            SqlState state,
            String message,
            String hint,
            String detail,
            String context,
            int position,
            boolean needsWideNumerics,
            Throwable cause) {
        super(message, cause);
        this.needsWideNumerics = needsWideNumerics;
        this.state = state;
        this.hint = hint;
        this.detail = detail;
        this.context = context;
        this.position = position;
    }

    public QueryException withHint(String newHint) {
        return copy(newHint, detail, context, position, needsWideNumerics);
    }

    public QueryException withDetail(String newDetail) {
        return copy(hint, newDetail, context, position, needsWideNumerics);
    }

    /// @param newContext what was being done, such as `COPY t, line 3`
    public QueryException withContext(String newContext) {
        return copy(hint, detail, newContext, position, needsWideNumerics);
    }

    /// @param newPosition 1-based index, in characters, into the statement's text
    public QueryException withPosition(int newPosition) {
        return copy(hint, detail, context, newPosition, needsWideNumerics);
    }

    public QueryException withoutPosition() {
        return copy(hint, detail, context, 0, needsWideNumerics);
    }

    /// The error of a numeric that 128 bits do not hold, and that PostgreSQL does.
    public QueryException ofNarrowNumerics() {
        return copy(hint, detail, context, position, true);
    }

    private QueryException copy(
            String newHint, String newDetail, String newContext, int newPosition, boolean isOfNarrow) {
        QueryException copy = new QueryException(
                state, getMessage(), newHint, newDetail, newContext, newPosition, isOfNarrow, getCause());
        copy.setStackTrace(getStackTrace());
        copy.constraint = constraint;
        return copy;
    }

    /// @param name of the constraint that was violated
    public QueryException withConstraint(String name) {
        QueryException copy = copy(hint, detail, context, position, needsWideNumerics);
        copy.constraint = name;
        return copy;
    }

    /// The constraint that was violated, or null.
    public String constraint() {
        return constraint;
    }

    public SqlState state() {
        return state;
    }

    /// Whether the statement would not fail so with numerics of any number of digits.
    public boolean needsWideNumerics() {
        return needsWideNumerics;
    }

    /// What to do about it, or null.
    public String hint() {
        return hint;
    }

    /// More about what happened, or null.
    public String detail() {
        return detail;
    }

    /// What was being done, or null.
    public String context() {
        return context;
    }

    /// Where in the statement's text, if PostgreSQL would say so.
    public OptionalInt position() {
        return position > 0 ? OptionalInt.of(position) : OptionalInt.empty();
    }
}
