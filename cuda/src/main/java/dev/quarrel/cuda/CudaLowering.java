package dev.quarrel.cuda;

import dev.quarrel.core.device.Lowering;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.cuda.encode.NoKernel;
import dev.quarrel.cuda.encode.ProgramEncoder;

/// Whether the device has kernels for a pipeline: a pure function of the plan.
///
/// What only the data tell (plain text, wide ranges, build rows of equal keys) shows when the pipeline is prepared: the
/// CPU runs it then.
final class CudaLowering {
    private CudaLowering() {}

    /// The reason why the device cannot run the pipeline, or null.
    static String refusal(QueryPlan plan, Pipeline pipeline) {
        if (!(pipeline.source() instanceof Source.TableScan scan)) {
            return "only scans of tables have CUDA kernels";
        }
        String sink =
                switch (pipeline.sink()) {
                    case Sink.Aggregate _ -> null;
                    case Sink.HashBuild _ -> "join tables are made on the CPU";
                    case Sink.Result _ -> "rows that leave have no CUDA kernel";
                    case Sink.Sort _, Sink.Last _ -> "a sort has no CUDA kernel";
                    case Sink.Window _ -> "window functions have no CUDA kernel";
                };
        if (sink != null) {
            return sink;
        }
        try {
            ProgramEncoder.encode(pipeline, new HopedFacts(plan, scan));
            return null;
        } catch (NoKernel problem) {
            return problem.getMessage();
        }
    }

    static Lowering lower(QueryPlan plan, Pipeline pipeline, double costSeconds) {
        String refusal = refusal(plan, pipeline);
        return refusal == null ? new Lowering.Supported(costSeconds) : new Lowering.Unsupported(refusal);
    }
}
