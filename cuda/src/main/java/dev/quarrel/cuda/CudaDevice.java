package dev.quarrel.cuda;

import dev.quarrel.core.cpu.CpuDevice;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Lowering;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.service.Admission;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs pipelines by the kernels of a [Backend].
///
/// It has the CPU at its side: batches that have no form on the device run there, and so does a whole
/// pipeline in which a row fails, so that the error is the CPU's.
public final class CudaDevice implements Device {
    private static final Logger LOG = LoggerFactory.getLogger(CudaDevice.class);
    /// The share of the device's memory that columns may keep.
    private static final double COLUMN_SHARE = 0.6;
    private static final int MAX_PIPELINES = 64;
    /// Of a large table, so that all workers have some to bring.
    private static final int CHUNKS_A_WORKER = 2;
    /// How far off estimates may be before a pipeline goes back to the CPU.
    private static final double DOUBT = 1.5;
    /// Rows that leave a batch leave by so many bytes at a time, about.
    private static final long WINDOW_BYTES = 64L << 20;
    /// Fewer rows the CPU sorts sooner than a device is asked a few times.
    private static final int MIN_SORT_ROWS = 1 << 14;

    private final Backend backend;
    private final CpuDevice cpu;
    private final ResidentColumns columns;
    private final Admission admission;
    private final CostModel costs;
    private final KnownBuilds builds = new KnownBuilds();
    private final int threads;
    private final long windowBytes;
    private final int minSortRows;
    private final Queue<CommandQueue> queues = new ConcurrentLinkedQueue<>();

    /// @param backend owned from here on
    public CudaDevice(Backend backend, DeviceConfig config) {
        this(backend, config, MIN_SORT_ROWS);
    }

    /// For tests, whose rows are few.
    ///
    /// @param backend owned from here on
    /// @param minSortRows that the device sorts
    public CudaDevice(Backend backend, DeviceConfig config, int minSortRows) {
        this(backend, config, WINDOW_BYTES, Chunk.FEWEST_ROWS, minSortRows);
    }

    /// @param windowBytes of rows that leave at a time, about
    /// @param chunkRows of a chunk at least
    /// @param minSortRows that the device sorts
    CudaDevice(Backend backend, DeviceConfig config, long windowBytes, long chunkRows, int minSortRows) {
        this.backend = backend;
        this.minSortRows = minSortRows;
        this.windowBytes = windowBytes;
        this.cpu =
                new CpuDevice(new DeviceConfig(config.threads(), config.tileRows(), DeviceConfig.Tier.INTERPRETED, 0));
        long bytes = backend.limits().memoryBytes();
        long forColumns = (long) (bytes * COLUMN_SHARE);
        this.columns = new ResidentColumns(backend, forColumns, CHUNKS_A_WORKER * config.threads(), chunkRows);
        this.admission = new Admission(MAX_PIPELINES, bytes - forColumns);
        this.costs = new CostModel(backend.calibration());
        this.threads = config.threads();
    }

    @Override
    public String name() {
        return backend.name();
    }

    @Override
    public String description() {
        return backend.description();
    }

    @Override
    public Lowering lower(QueryPlan plan, Pipeline pipeline, PlacementHints hints) {
        String lost = backend.lostReason();
        if (lost != null) {
            return new Lowering.Unsupported(lost);
        }
        return CudaLowering.lower(plan, pipeline, hints, costs, columns);
    }

    @Override
    public Peaks peaks() {
        return backend.calibration().peaks();
    }

    @Override
    public PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
        PreparedPipeline fallback = DeferredCpu.takes(pipeline, context)
                ? new DeferredCpu(cpu, plan, pipeline, context)
                : cpu.prepare(plan, pipeline, new CpuContext(context));
        try {
            return switch (pipeline.sink()) {
                case Sink.Aggregate _ -> CudaPipeline.of(this, pipeline, context, fallback);
                case Sink.HashBuild _ -> BuildPipeline.of(this, plan, pipeline, context, fallback);
                case Sink.Result _, Sink.Sort _, Sink.Last _, Sink.Window _ ->
                    RowsPipeline.of(this, pipeline, context, fallback);
            };
        } catch (NoKernel | DeviceFault reason) {
            LOG.debug("device.fallback device={} pipeline={} reason={}", name(), pipeline.id(), reason.getMessage());
            try {
                fallBack(context, reason.getMessage());
            } catch (QueryException required) {
                fallback.close();
                throw required;
            }
            return fallback instanceof DeferredCpu deferred ? deferred.replaced() : fallback;
        } catch (RuntimeException | Error problem) {
            fallback.close();
            throw problem;
        }
    }

    /// Notes that the CPU does what was placed here.
    ///
    /// - Errors: 0A000 where the session has it so.
    void fallBack(PipelineContext context, String reason) {
        if (context.choice().isRequired()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "a pipeline cannot run on the GPU")
                    .withDetail(name() + ": " + reason)
                    .withHint("SET quarrel.require_gpu = off");
        }
        context.counters().note(reason);
    }

    /// Goes back to the CPU where what is known now makes that quicker.
    ///
    /// - Errors: [NoKernel].
    void checkWorthwhile(PipelineContext context, CostModel.Work work) {
        double seconds = costs.seconds(work);
        if (seconds > DOUBT * context.choice().cpuSeconds()) {
            throw new NoKernel(String.format(
                    Locale.ROOT,
                    "estimated %.2f ms now that its tables are known, and %.2f ms on the CPU",
                    seconds * 1e3,
                    context.choice().cpuSeconds() * 1e3));
        }
    }

    /// Workers that run morsels at the same time.
    int threads() {
        return threads;
    }

    Backend backend() {
        return backend;
    }

    ResidentColumns columns() {
        return columns;
    }

    /// What is known of build sides.
    KnownBuilds builds() {
        return builds;
    }

    /// Lets pipelines in, with the memory of their groups and tables.
    Admission admission() {
        return admission;
    }

    long windowBytes() {
        return windowBytes;
    }

    /// Rows that are worth sorting there.
    int minSortRows() {
        return minSortRows;
    }

    /// A queue for a while; `release` takes it back.
    CommandQueue queue() {
        CommandQueue idle = queues.poll();
        return idle != null ? idle : backend.newQueue();
    }

    void release(CommandQueue queue) {
        queues.add(queue);
    }

    @Override
    public void close() {
        for (CommandQueue queue = queues.poll(); queue != null; queue = queues.poll()) {
            queue.close();
        }
        columns.close();
        cpu.close();
        backend.close();
    }
}
