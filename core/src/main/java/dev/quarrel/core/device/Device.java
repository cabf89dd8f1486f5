package dev.quarrel.core.device;

import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;

/// A processor that runs pipelines, such as the CPU or a GPU. A [DeviceProvider] finds it; nobody asks which
/// class it is.
///
/// Threads share it. It lives as long as the process' engine.
public interface Device extends AutoCloseable {
    /// `cpu`, `cuda`: as settings and EXPLAIN name it.
    String name();

    /// One line for people: model, cores, memory.
    String description();

    /// Whether this device can run the pipeline, and at what cost; a pure function, decided before running.
    Lowering lower(QueryPlan plan, Pipeline pipeline, PlacementHints hints);

    /// Makes the pipeline ready to run once. Pipelines it reads from have ended, and their [Materialized] are
    /// in `context`.
    ///
    /// - Errors: an unchecked exception other than `QueryException` is a bug; the scheduler reports it with the
    ///   IR's text.
    PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context);

    /// What this device has been measured to do at best, or null where nothing was measured.
    default Peaks peaks() {
        return null;
    }

    /// The peak rates of a device in bytes per second, with which EXPLAIN ANALYZE compares a pipeline's.
    ///
    /// @param linkBytes copied to the device
    /// @param memoryBytes read from the device's own memory
    record Peaks(double linkBytes, double memoryBytes) {}

    /// Bytes of the device's own memory that are in use; 0 for one that has none of its own.
    default long usedBytes() {
        return 0;
    }

    /// Returns when what the device does in the background to become fast is done.
    default void awaitWarmUp() throws InterruptedException {}

    /// Rows are read into a table from now on, which takes the processors: what the device does in the background
    /// to become fast waits until [#endLoad].
    default void beginLoad() {}

    /// To each [#beginLoad].
    default void endLoad() {}

    @Override
    void close();
}
