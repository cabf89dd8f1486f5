package dev.quarrel.core.device;

import dev.quarrel.core.column.Batch;

/// Takes a result's rows from workers and keeps the morsels' order for the reader. It applies OFFSET and LIMIT, across
/// morsels, and a device that knows it may stop a morsel after offset + limit rows.
public interface ResultChannel {
    /// Hands a batch over. It never blocks: when the reader is slow, the scheduler gives out no further morsel.
    ///
    /// - Memory: the channel owns the batch from here on.
    ///
    /// @param morsel whose rows these are; a morsel may emit several batches, in order
    void transfer(Morsel morsel, Batch batch);
}
