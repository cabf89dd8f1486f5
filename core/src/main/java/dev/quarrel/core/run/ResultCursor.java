package dev.quarrel.core.run;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;

/// The cursor over a statement's rows, which its reader pulls batch by batch. A reader that does not pull holds
/// the query back: that is the whole of back-pressure.
///
/// One thread at a time uses it.
public interface ResultCursor extends AutoCloseable {
    Schema schema();

    /// The next rows, at least one; null after the last.
    ///
    /// - Memory: the caller owns the batch and closes it; it may hold it while it pulls further ones.
    /// - Errors: `QueryException` of whatever stopped the query; every later call throws the same.
    Batch next();

    /// Stops what still runs and frees everything, batches not yet pulled included. A second call does nothing.
    @Override
    void close();
}
