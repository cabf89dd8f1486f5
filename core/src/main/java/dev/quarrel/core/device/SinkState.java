package dev.quarrel.core.device;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import java.util.function.Consumer;

/// What one worker has gathered: partial aggregates, build rows, rows to sort.
///
/// Its content has one device-neutral layout, so that another device, another process or a spill file can take it over:
///
/// | sink | exported columns |
/// |---|---|
/// | Aggregate | the keys; then for each call its partial columns (see `AggregateLayout`) |
/// | HashBuild | the keys, then the payload: one row a build row |
/// | Sort | the outputs: one row a row |
/// | Result | nothing: rows have left by the `ResultChannel` |
///
/// One thread at a time uses it.
public interface SinkState extends AutoCloseable {
    /// The columns of the neutral layout.
    Schema layout();

    /// Gives out the whole content, batch by batch, and leaves the state empty.
    ///
    /// - Memory: each batch belongs to the receiver.
    void exportTo(Consumer<Batch> receiver);

    /// Merges exported content of an equal sink, of whatever device.
    ///
    /// - Memory: takes the batch over and closes it.
    void transferIn(Batch content);

    /// Bytes reserved from the query's budget.
    long reservedBytes();

    /// Spill hook: gives out the content of one of `partitionCount` partitions by the keys' hash ([KeyHash]),
    /// leaves the rest,
    /// and releases the memory. The scheduler calls it when a reservation fails and a spill folder is set.
    ///
    /// - Memory: each batch belongs to the receiver.
    ///
    /// @param partitionCount a power of two
    void exportPartition(int partition, int partitionCount, Consumer<Batch> receiver);

    @Override
    void close();
}
