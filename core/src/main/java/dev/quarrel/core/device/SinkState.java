package dev.quarrel.core.device;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.type.Schema;
import java.util.function.Consumer;

/// The state that one worker has gathered for a sink: partial aggregates, build rows, rows to sort.
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

    /// Gives out the whole content by the keys' hash and leaves the state empty, its memory given back: how a
    /// state spills. The partition of a row is [KeyHash#partition(long, int, int)]; partitions come in their
    /// order, each in one batch or several. Takes little memory beside what it frees, as what spilling needs
    /// ([dev.quarrel.core.budget.MemoryBudget#reserveToSpill]).
    ///
    /// - Memory: each batch is a view, of use until the receiver returns.
    ///
    /// @param firstBit bits of the hash that all rows share, and that say nothing
    /// @param partitionCount a power of two above 1
    void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver);

    /// The receiver of a state's content, partition by partition.
    interface PartitionReceiver {
        void accept(int partition, Batch batch);
    }

    @Override
    void close();
}
