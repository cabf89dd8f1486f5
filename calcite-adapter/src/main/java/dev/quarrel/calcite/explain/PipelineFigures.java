package dev.quarrel.calcite.explain;

import dev.quarrel.calcite.lower.ExpectedRows;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.ir.Pipeline;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/// What is expected of a plan's pipelines and their steps, and what they have done.
///
/// @param counters what each pipeline did, by its id; empty without ANALYZE
/// @param expected rows, by pipeline; empty where nobody has estimated them, or nobody asks
/// @param hasTimes whether times are shown
record PipelineFigures(Map<Integer, PipelineCounters> counters, Map<Integer, ExpectedRows> expected, boolean hasTimes) {

    /// Where the steps were not counted, the only one's rows are those that do not leave.
    OptionalLong removed(Pipeline pipeline, int program) {
        PipelineCounters counted = counters.get(pipeline.id());
        if (counted == null) {
            return OptionalLong.empty();
        }
        long[] steps = counted.steps();
        if (steps != null) {
            return OptionalLong.of(steps[2 * program] - steps[2 * program + 1]);
        }
        return pipeline.joins().isEmpty() && PlanWords.isOpen(pipeline.sink())
                ? OptionalLong.of(counted.rowsIn.sum() - counted.rowsOut.sum())
                : OptionalLong.empty();
    }

    PlanNode.Actual actual(Pipeline pipeline) {
        PipelineCounters counted = counters.get(pipeline.id());
        return counted == null
                ? null
                : new PlanNode.Actual(hasTimes ? counted.elapsedNanos.sum() : -1, counted.rowsOut.sum(), -1);
    }

    private long[] steps(Pipeline pipeline) {
        PipelineCounters counted = counters.get(pipeline.id());
        return counted == null ? null : counted.steps();
    }

    /// The rows that a program keeps: of a scan or join, with the filter that stands at it.
    PlanNode.Actual stepActual(Pipeline pipeline, int program) {
        long[] steps = steps(pipeline);
        return steps == null ? null : new PlanNode.Actual(-1, steps[2 * program + 1], -1);
    }

    /// Where the steps were not counted, the rows that were read.
    PlanNode.Actual scanned(Pipeline pipeline, List<String> filters) {
        PipelineCounters counted = counters.get(pipeline.id());
        if (counted == null || counted.steps() != null) {
            return stepActual(pipeline, 0);
        }
        long read = counted.rowsIn.sum();
        return new PlanNode.Actual(-1, filters.isEmpty() ? read : -1, read);
    }

    /// Of a pipeline's sink.
    PlanNode.Estimate estimate(Pipeline pipeline, PlanNode input) {
        ExpectedRows rows = expected.get(pipeline.id());
        boolean works = PlanWords.waits(pipeline.sink());
        return rows == null
                ? null
                : PlanCosts.of(
                        List.of(input),
                        works ? rows.kept().getLast() : 0,
                        rows.out(),
                        RowWidth.of(pipeline.rowTypes()),
                        works,
                        true);
    }

    /// Of one that stands elsewhere, too, where it is paid for.
    PlanNode.Estimate repeated(Pipeline pipeline) {
        ExpectedRows rows = expected.get(pipeline.id());
        return rows == null
                ? null
                : PlanCosts.of(List.of(), 0, rows.out(), RowWidth.of(pipeline.rowTypes()), false, false);
    }

    /// Of a step.
    ///
    /// @param taken rows that it takes in
    /// @param isInText as of [PlanNode.Estimate]
    PlanNode.Estimate stepEstimate(
            Pipeline pipeline, int program, List<PlanNode> inputs, double taken, boolean isInText) {
        ExpectedRows rows = expected.get(pipeline.id());
        return rows == null || program >= rows.kept().size()
                ? null
                : PlanCosts.of(
                        inputs,
                        taken,
                        rows.kept().get(program),
                        RowWidth.of(pipeline.programs().get(program).outputTypes()),
                        false,
                        isInText);
    }

    /// The rows that a program is expected to keep; 0 where nobody has estimated them.
    double kept(Pipeline pipeline, int program) {
        ExpectedRows rows = expected.get(pipeline.id());
        return rows == null || program >= rows.kept().size() ? 0 : rows.kept().get(program);
    }
}
