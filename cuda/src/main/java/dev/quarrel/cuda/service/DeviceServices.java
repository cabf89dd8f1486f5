package dev.quarrel.cuda.service;

import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.column.ResidentColumns;
import dev.quarrel.cuda.encode.NoKernel;
import java.util.Locale;

/// Everything on one device that its pipelines share. The device makes it once and hands it on.
///
/// - Memory: it owns the backend, the columns and the idle queues; the device closes it after the last pipeline.
/// - Threads share it.
///
/// @param columns cached from query to query
/// @param admission lets pipelines in, with the memory of their groups and tables
/// @param builds cached surveys of build sides
public record DeviceServices(
        Backend backend,
        ResidentColumns columns,
        QueuePool queues,
        Admission admission,
        CostModel costs,
        KnownBuilds builds,
        Tuning tuning)
        implements AutoCloseable {
    /// How far off estimates may be before a pipeline goes back to the CPU.
    private static final double DOUBT = 1.5;

    /// The sizes that pipelines on the device go by.
    ///
    /// @param threads workers that run morsels at the same time
    /// @param windowBytes of rows that leave at a time, about
    /// @param minSortRows that are worth sorting on the device
    public record Tuning(int threads, long windowBytes, int minSortRows) {}

    public Backend.Limits limits() {
        return backend.limits();
    }

    /// Room for what a pipeline keeps on the device.
    ///
    /// - Errors: [NoKernel] where there is none.
    public Admission.Ticket admit(long bytes) {
        return switch (admission.request(bytes)) {
            case Admission.Answer.Admitted(Admission.Ticket ticket) -> ticket;
            case Admission.Answer.Refused(String reason) -> throw new NoKernel(reason);
        };
    }

    /// Notes that the CPU does what was placed here.
    ///
    /// - Errors: 0A000 where the session has it so.
    public void fallBack(PipelineContext context, String reason) {
        if (context.choice().isRequired()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "a pipeline cannot run on the GPU")
                    .withDetail(backend.name() + ": " + reason)
                    .withHint("SET quarrel.require_gpu = off");
        }
        context.counters().note(reason);
    }

    /// Goes back to the CPU where what is known now makes that quicker.
    ///
    /// - Errors: [NoKernel].
    public void checkWorthwhile(PipelineContext context, CostModel.Work work) {
        double seconds = costs.seconds(work);
        if (seconds > DOUBT * context.choice().cpuSeconds()) {
            throw new NoKernel(String.format(
                    Locale.ROOT,
                    "estimated %.2f ms now that its tables are known, and %.2f ms on the CPU",
                    seconds * 1e3,
                    context.choice().cpuSeconds() * 1e3));
        }
    }

    @Override
    public void close() {
        queues.close();
        columns.close();
        backend.close();
    }
}
