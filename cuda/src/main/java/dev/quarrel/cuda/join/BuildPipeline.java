package dev.quarrel.cuda.join;

import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Source;
import dev.quarrel.cuda.backend.DeviceFault;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.facts.BuildSurvey;
import dev.quarrel.cuda.facts.DeviceBuild;
import dev.quarrel.cuda.service.DeviceServices;
import java.util.List;

/// A build side on the device: it finds out which keys there are, unless that is known; the pipelines that look
/// keys up have the tables made. Where the device cannot, the CPU makes its table.
public final class BuildPipeline implements PreparedPipeline {
    private final DeviceServices device;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final PreparedPipeline cpu;
    private final BuildUse use;
    private final BuildTables tables;
    private Morsel scan; // the one morsel of the device
    private volatile BuildSurvey survey;
    private volatile String refusal; // why the CPU makes the table, or null
    private boolean isOnCpu;

    private BuildPipeline(
            DeviceServices device,
            Pipeline pipeline,
            PipelineContext context,
            PreparedPipeline cpu,
            BuildUse use,
            BuildTables tables) {
        this.device = device;
        this.pipeline = pipeline;
        this.context = context;
        this.cpu = cpu;
        this.use = use;
        this.tables = tables;
        this.survey = tables.known();
    }

    /// - Errors: [NoKernel] where the device does not take it; `cpu` stays open then.
    public static BuildPipeline of(
            DeviceServices device, QueryPlan plan, Pipeline pipeline, PipelineContext context, PreparedPipeline cpu) {
        if (!(pipeline.source() instanceof Source.TableScan)) {
            throw new NoKernel("only scans of tables have CUDA kernels");
        }
        BuildUse use = BuildUse.of(plan, pipeline);
        BuildTables tables = new BuildTables(device, pipeline, context, use.grouped());
        return new BuildPipeline(device, pipeline, context, cpu, use, tables);
    }

    @Override
    public List<Morsel> morsels() {
        if (survey != null) {
            return List.of();
        }
        int rows = (int) Math.min(Integer.MAX_VALUE, tables.table().stats().rowCount());
        scan = new Morsel(0, 0, 0, rows);
        return List.of(scan);
    }

    @Override
    public List<Morsel> moreMorsels() {
        if (isOnCpu) {
            return cpu.moreMorsels();
        }
        if (survey != null && use.needsUnique() && !survey.isUnique()) {
            refusal = "a join table of several rows of a key is made on the CPU";
        }
        if (refusal == null) {
            return List.of();
        }
        isOnCpu = true;
        device.fallBack(context, refusal);
        return cpu.morsels();
    }

    @Override
    public SinkState newState() {
        return cpu.newState();
    }

    @Override
    public void run(Morsel morsel, SinkState state) {
        if (morsel != scan) {
            cpu.run(morsel, state);
            return;
        }
        try {
            survey = tables.survey();
        } catch (NoKernel | DeviceFault reason) {
            refusal = reason.getMessage();
        }
    }

    @Override
    public boolean isSatisfied() {
        return isOnCpu && cpu.isSatisfied();
    }

    @Override
    public int mergeParts(int round, List<SinkState> states) {
        return isOnCpu ? cpu.mergeParts(round, states) : 0;
    }

    @Override
    public void merge(int round, int part, List<SinkState> states) {
        cpu.merge(round, part, states);
    }

    @Override
    public Materialized finish(List<SinkState> states) {
        if (isOnCpu) {
            return cpu.finish(states);
        }
        states.forEach(SinkState::close);
        context.counters().rowsOut.add(survey.rows());
        context.counters().rowsKept.add(scan == null ? survey.rows() : 0);
        return new DeviceBuild(pipeline, context, tables, survey, cpu);
    }

    @Override
    public void close() {
        tables.close();
        cpu.close();
    }
}
