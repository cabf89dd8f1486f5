package dev.quarrel.cuda.facts;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PreparedPipeline;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.Pipeline;
import java.util.List;

/// A build side that the device makes tables of. Its rows are there for whoever asks: the CPU makes them then.
public final class DeviceBuild implements Materialized {
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final SideTables tables;
    private final BuildSurvey survey;
    private final PreparedPipeline cpu;
    private Materialized rows; // once they are asked for

    /// @param tables as `cpu` the prepared pipeline's, which lives longer
    public DeviceBuild(
            Pipeline pipeline, PipelineContext context, SideTables tables, BuildSurvey survey, PreparedPipeline cpu) {
        this.pipeline = pipeline;
        this.context = context;
        this.tables = tables;
        this.survey = survey;
        this.cpu = cpu;
    }

    public SideTables tables() {
        return tables;
    }

    public BuildSurvey survey() {
        return survey;
    }

    /// What made `made`, with rows that the CPU has made.
    static Materialized withRows(Materialized made) {
        return made instanceof DeviceBuild build ? build.rows() : made;
    }

    /// The rows, by the CPU.
    ///
    /// - Errors: a row's, the budget's, the table's.
    synchronized Materialized rows() {
        if (rows == null) {
            context.counters().note("the CPU made its rows as well");
            rows = run();
        }
        return rows;
    }

    private Materialized run() {
        SinkState state = cpu.newState();
        List<SinkState> states = List.of(state);
        boolean isTaken = false;
        try {
            for (List<Morsel> morsels = cpu.morsels(); !morsels.isEmpty(); morsels = cpu.moreMorsels()) {
                for (Morsel morsel : morsels) {
                    context.cancellation().check();
                    cpu.run(morsel, state);
                }
            }
            int parts = cpu.mergeParts(0, states);
            for (int round = 0; parts > 0; parts = cpu.mergeParts(++round, states)) {
                for (int part = 0; part < parts; part++) {
                    cpu.merge(round, part, states);
                }
            }
            isTaken = true;
            return cpu.finish(states);
        } finally {
            if (!isTaken) {
                state.close();
            }
        }
    }

    @Override
    public Pipeline pipeline() {
        return pipeline;
    }

    @Override
    public long rowCount() {
        return survey.rows();
    }

    @Override
    public int batchCount() {
        return rows().batchCount();
    }

    @Override
    public int batchRows(int batch) {
        return rows().batchRows(batch);
    }

    @Override
    public Batch batch(int batch) {
        return rows().batch(batch);
    }

    @Override
    public synchronized void close() {
        if (rows != null) {
            rows.close();
        }
    }
}
