package dev.quarrel.core.device;

import dev.quarrel.core.column.Batch;

/// Takes a result's rows from workers and keeps the morsels' order for the reader. It applies OFFSET and LIMIT, across
/// morsels, and a device that knows it may stop a morsel after offset + limit rows.
public interface ResultChannel {
    /// Waits, while the reader has more than enough of a morsel's rows to read, until it has read them: how a morsel
    /// of which many more rows come than it has is held back. Called by a worker between two batches of the
    /// morsel, with no lock held; others work in its place meanwhile.
    ///
    /// - Errors: the reason why the query is to stop, if it is.
    default void awaitRoom(Morsel morsel) {}

    /// Hands a batch over. It never blocks: when the reader is slow, the scheduler gives out no further morsel, and
    /// workers hold themselves back by `awaitRoom`.
    ///
    /// - Memory: the channel owns the batch from here on.
    ///
    /// @param morsel whose rows these are; a morsel may emit several batches, in order
    void transfer(Morsel morsel, Batch batch);
}
