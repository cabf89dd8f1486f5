package dev.quarrel.core.cpu;

import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.simd.KernelWarmUp;
import dev.quarrel.core.cpu.simd.VectorModule;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.device.Lowering;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PlacementHints;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;

/// The CPU as a device: it runs every pipeline, on the scheduler's workers.
public final class CpuDevice implements Device {
    public static final String NAME = "cpu";

    // Estimates, in nanoseconds a row and worker; they need only be right against other devices'.
    private static final double ROW_NANOS = 0.5;
    private static final double INSTRUCTION_NANOS = 0.7;
    private static final double JOIN_NANOS = 3;
    private static final double GROUP_NANOS = 5;
    private static final double KEEP_NANOS = 10;
    private static final double SORT_NANOS = 50;
    private static final long UNKNOWN_ROWS = 1000;

    private final DeviceConfig config;
    private final EncodedColumns columns;

    public CpuDevice(DeviceConfig config) {
        this.config = config;
        this.columns = new EncodedColumns(config);
        KernelWarmUp.start(LoopWarmUp::run);
    }

    /// Whether the JDK's Vector API can be used, and some loops are written with it.
    public static boolean hasVectorApi() {
        return VectorModule.isThere();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return System.getProperty("os.arch") + ", " + config.threads()
                + (config.threads() == 1 ? " thread" : " threads") + ", tiles of " + config.tileRows() + " rows";
    }

    @Override
    public Lowering lower(QueryPlan plan, Pipeline pipeline, PlacementHints hints) {
        if (pipeline.sink() instanceof Sink.Aggregate(var keys, var _, var _) && keys.size() > KeyIndex.MAX_KEYS) {
            return new Lowering.Unsupported("more than " + KeyIndex.MAX_KEYS + " grouping columns");
        }
        if (pipeline.sink() instanceof Sink.HashBuild(var keys, var _, var _) && keys.size() > KeyIndex.MAX_KEYS) {
            return new Lowering.Unsupported("more than " + KeyIndex.MAX_KEYS + " join columns");
        }
        if (pipeline.sink() instanceof Sink.Last
                && pipeline.joins().stream().anyMatch(join -> join.kind().emitsBuildRows())) {
            return new Lowering.Unsupported("the last rows of a join whose build rows follow");
        }
        if (pipeline.sink() instanceof Sink.Last && pipeline.source() instanceof Source.Union) {
            return new Lowering.Unsupported("the last rows of several pipelines");
        }
        double nanos = ROW_NANOS + pipeline.joins().size() * JOIN_NANOS;
        for (Program program : pipeline.programs()) {
            nanos += program.code().size() * INSTRUCTION_NANOS;
        }
        nanos += switch (pipeline.sink()) {
            case Sink.Result _, Sink.HashBuild _, Sink.Last _, Sink.Collect _ -> KEEP_NANOS;
            case Sink.Feed _ -> 0;
            case Sink.Aggregate(var keys, var calls, var _) -> calls.size() + (keys.isEmpty() ? 0 : GROUP_NANOS);
            case Sink.Sort _ -> SORT_NANOS;
            case Sink.Window(var _, var _, var calls, var _) -> SORT_NANOS * (1 + calls.size());
        };
        long rows = hints.sourceRows() < 0 ? UNKNOWN_ROWS : hints.sourceRows();
        return new Lowering.Supported(rows * nanos * 1e-9 / config.threads());
    }

    @Override
    public PreparedPipeline prepare(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
        return pipeline.source() instanceof Source.Union
                ? FedPipeline.of(plan, pipeline, context, config)
                : columns.prepare(plan, pipeline, context);
    }

    @Override
    public void awaitWarmUp() throws InterruptedException {
        KernelWarmUp.await();
    }

    @Override
    public void beginLoad() {
        KernelWarmUp.beginLoad();
    }

    @Override
    public void endLoad() {
        KernelWarmUp.endLoad();
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
