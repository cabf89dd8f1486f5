package dev.quarrel.calcite;

import dev.quarrel.core.run.ResultCursor;

/// One run of a statement.
public interface Execution extends AutoCloseable {
    /// The rows, or null for a statement without any.
    ResultCursor cursor();

    /// The devices that run it, such as `cpu` or `cpu+cuda`; empty for a statement that none runs.
    default String devices() {
        return "";
    }

    /// CommandComplete's text once everything is done, such as `SELECT 42`.
    ///
    /// @param rowCount rows that were delivered
    String commandTag(long rowCount);

    /// Stops what still runs and frees everything; a second call does nothing.
    @Override
    void close();
}
