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
import dev.quarrel.cuda.backend.Backend;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.column.Chunk;
import dev.quarrel.cuda.column.ResidentColumns;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.facts.CpuContext;
import dev.quarrel.cuda.group.AggregatePipeline;
import dev.quarrel.cuda.group.DeferredCpu;
import dev.quarrel.cuda.join.BuildPipeline;
import dev.quarrel.cuda.rows.RowsPipeline;
import dev.quarrel.cuda.service.Admission;
import dev.quarrel.cuda.service.CostModel;
import dev.quarrel.cuda.service.DeviceServices;
import dev.quarrel.cuda.service.KnownBuilds;
import dev.quarrel.cuda.service.QueuePool;
import dev.quarrel.cuda.sort.SortPipeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs pipelines with the kernels of a [Backend].
///
/// It has the CPU at its side: batches that have no form on the device run there, and so does a whole
/// pipeline in which a row fails, so that the error is the CPU's.
public final class CudaDevice implements Device {
    private static final Logger LOG = LoggerFactory.getLogger(CudaDevice.class);
    /// The share of the device's memory that columns may keep.
    private static final double COLUMN_SHARE = 0.6;
    private static final int MAX_PIPELINES = 64;
    /// Rows that leave a chunk leave by so many bytes at a time, about: each worker has room for that many.
    private static final long WINDOW_BYTES = 8L << 20;
    /// Fewer rows the CPU sorts sooner than a device is asked a few times.
    private static final int MIN_SORT_ROWS = 1 << 14;

    private final CpuDevice cpu;
    private final DeviceServices services;

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
        this.cpu =
                new CpuDevice(new DeviceConfig(config.threads(), config.tileRows(), DeviceConfig.Tier.INTERPRETED, 0));
        long bytes = backend.limits().memoryBytes();
        long forColumns = (long) (bytes * COLUMN_SHARE);
        this.services = new DeviceServices(
                backend,
                new ResidentColumns(backend, forColumns, config.threads(), chunkRows),
                new QueuePool(backend),
                new Admission(MAX_PIPELINES, bytes - forColumns),
                new CostModel(backend.calibration()),
                new KnownBuilds(),
                new DeviceServices.Tuning(config.threads(), windowBytes, minSortRows));
    }

    @Override
    public String name() {
        return services.backend().name();
    }

    @Override
    public String description() {
        return services.backend().description();
    }

    @Override
    public Lowering lower(QueryPlan plan, Pipeline pipeline, PlacementHints hints) {
        String lost = services.backend().lostReason();
        if (lost != null) {
            return new Lowering.Unsupported(lost);
        }
        return CudaLowering.lower(plan, pipeline, hints, services.costs(), services.columns());
    }

    @Override
    public Peaks peaks() {
        return services.backend().calibration().peaks();
    }

    @Override
    public PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
        PreparedPipeline fallback = DeferredCpu.takes(pipeline, context)
                ? new DeferredCpu(cpu, plan, pipeline, context)
                : cpu.prepare(plan, pipeline, new CpuContext(context));
        try {
            return switch (pipeline.sink()) {
                case Sink.Aggregate _ -> AggregatePipeline.of(services, pipeline, context, fallback);
                case Sink.HashBuild _ -> BuildPipeline.of(services, plan, pipeline, context, fallback);
                case Sink.Sort sort -> SortPipeline.of(services, pipeline, sort, context, fallback);
                case Sink.Result _, Sink.Last _, Sink.Window _, Sink.Collect _, Sink.Feed _ ->
                    RowsPipeline.of(services, pipeline, context, fallback);
            };
        } catch (NoKernel | DeviceFault reason) {
            LOG.debug("device.fallback device={} pipeline={} reason={}", name(), pipeline.id(), reason.getMessage());
            try {
                services.fallBack(context, reason.getMessage());
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

    @Override
    public long usedBytes() {
        return services.backend().usedBytes();
    }

    @Override
    public void close() {
        cpu.close();
        services.close();
    }
}
