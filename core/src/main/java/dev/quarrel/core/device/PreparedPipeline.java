package dev.quarrel.core.device;

import java.util.List;

/// A pipeline ready to run once on one device.
///
/// The scheduler calls `newState` once a worker, `run` for every morsel on any worker, then `finish` once.
public interface PreparedPipeline extends AutoCloseable {
    /// The work, in scan order: batches that statistics exclude are left out. Called once.
    List<Morsel> morsels();

    /// An empty sink state for one worker.
    SinkState newState();

    /// Runs one morsel into the worker's state: all of it, or it throws and the state counts as lost.
    ///
    /// - Errors: `QueryException` of a row that fails; of the budget; of a file that is cut short or corrupt.
    void run(Morsel morsel, SinkState state);

    /// Whether further morsels cannot change the answer (LIMIT is met).
    boolean isSatisfied();

    /// Merges the workers' states into what later pipelines read. Parallel work inside is the device's own business.
    ///
    /// - Memory: states are consumed: `finish` closes them. The result belongs to the query.
    Materialized finish(List<SinkState> states);

    @Override
    void close();
}
