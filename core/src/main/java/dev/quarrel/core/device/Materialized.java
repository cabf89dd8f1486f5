package dev.quarrel.core.device;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.ir.Pipeline;

/// The result that a pipeline keeps for later ones: groups, sorted rows, or build rows. A device may keep its
/// own structure behind it (a hash table); the rows are there for every device, in the neutral layout.
///
/// Threads share it, read only. The query owns it.
public interface Materialized extends AutoCloseable {
    Pipeline pipeline();

    long rowCount();

    int batchCount();

    int batchRows(int batch);

    /// One batch, with `pipeline().rowTypes()` as columns. On another device's object this call may copy from
    /// the device, once; rows that were too many for memory are read from a file, and merged, batch by batch as
    /// they are asked for, so ask for each batch once, and in order.
    ///
    /// - Memory: the caller closes it. It does not outlive this object.
    Batch batch(int batch);

    /// Whether each batch can be had but once, and is gone then.
    default boolean isReadOnce() {
        return false;
    }

    @Override
    void close();
}
