package dev.quarrel.server.session;

import dev.quarrel.core.column.Batch;
import java.util.function.Consumer;

/// A statement that is being executed for a portal.
sealed interface PortalRun extends AutoCloseable permits QueryRows, FetchedRows, FinishedCommand {
    /// Reads rows, at most `limit`, and says how many.
    ///
    /// @param rows takes each batch, a view of use until it returns
    long read(long limit, Consumer<Batch> rows);

    /// Whether all has been read.
    boolean isDone();

    /// The devices that make the rows; empty for none.
    default String devices() {
        return "";
    }

    /// CommandComplete's text after that many rows.
    String commandTag(long rowCount);

    @Override
    void close();
}
