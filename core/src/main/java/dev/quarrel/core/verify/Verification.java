package dev.quarrel.core.verify;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.device.Device;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.device.Placement;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.ir.WindowCall;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Has a share of pipelines run twice: once more by another device or tier, over the same inputs, when the first run
/// has ended. What both made must be equal to the bit; if it is not, the query fails (XX000) with a row of each.
///
/// Which pipelines these are follows from the seed, the query's number and the pipeline's. Left out are pipelines whose
/// answer may differ in right ways: those that call code of applications or functions that answer anew in every row,
/// those that stop when their reader has enough rows (LIMIT), those that may leave out rows that nobody needs (runtime
/// filters, the first rows of windows), and those whose rows can be read but once (large sorts).
///
/// @param fraction from 0 to 1
/// @param other where else a pipeline can run
/// @param memory for the second run, which has what the first has
/// @param cells reads values for messages
public record Verification(
        double fraction,
        long seed,
        Elsewhere other,
        Supplier<MemoryBudget> memory,
        Cells cells,
        VerificationCounts counts) {

    /// Where a pipeline runs the second time.
    public interface Elsewhere {
        /// @param counters of the first run, which has ended
        Way of(Device first, QueryPlan plan, Pipeline pipeline, PipelineCounters counters);
    }

    /// A way to run a pipeline.
    ///
    /// @param first what the first run is called in messages, `cpu (compiled)`
    /// @param name what this one is called
    public record Way(Device device, String first, String name) {}

    /// Reads a value in canonical form; null for NULL.
    public interface Cells {
        Object read(Column column, int row);
    }

    /// The same devices, which check themselves.
    public Placement of(Placement placement) {
        return new Placement(placement.choices().stream()
                .map(choice -> new Placement.Choice(
                        new VerifiedDevice(choice.device(), this),
                        choice.reason(),
                        choice.isRequired(),
                        choice.cpuSeconds()))
                .toList());
    }

    boolean isChosen(long query, int pipeline) {
        // The finaliser of splitmix64, whose results are spread evenly.
        long mixed = seed ^ query * 0x9E3779B97F4A7C15L ^ pipeline * 0xC2B2AE3D27D4EB4FL;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        mixed ^= mixed >>> 31;
        return (mixed >>> 11) * 0x1p-53 < fraction;
    }

    /// Whether a second run must make the same rows, and can be made.
    static boolean isRepeatable(QueryPlan plan, Pipeline pipeline, PipelineContext context) {
        if (pipeline.sink() instanceof Sink.Result(var _, var _, Sink.Bound limit) && !limit.equals(Sink.Bound.NONE)) {
            return false;
        }
        if (!pipeline.filters().isEmpty()
                || pipeline.sink() instanceof Sink.Window window
                        && !window.first().isAll()) {
            return false;
        }
        Stream<Program> conditions = pipeline.joins().stream().flatMap(join -> join.conditions().stream());
        boolean callsForeignCode = Stream.concat(pipeline.programs().stream(), conditions)
                .flatMap(program -> program.code().stream())
                .anyMatch(step -> step.callee() != null && !step.callee().isPortable());
        if (callsForeignCode || aggregates(pipeline.sink()).anyMatch(call -> call.local() != null)) {
            return false;
        }
        return switch (pipeline.source()) {
            case Source.Union(var feeding, var _) ->
                feeding.stream()
                        .allMatch(id -> isRepeatable(plan, plan.pipelines().get(id), context));
            case Source.Rows(int made, var _) -> {
                Materialized rows = context.materialized(made);
                yield rows == null || !rows.isReadOnce();
            }
            case Source.TableScan _, Source.Values _ -> true;
        };
    }

    private static Stream<AggregateCall> aggregates(Sink sink) {
        return switch (sink) {
            case Sink.Aggregate aggregate -> aggregate.calls().stream();
            case Sink.Window window ->
                window.calls().stream()
                        .filter(WindowCall.Aggregate.class::isInstance)
                        .map(call -> ((WindowCall.Aggregate) call).call());
            case Sink.Result _, Sink.HashBuild _, Sink.Sort _, Sink.Collect _, Sink.Feed _, Sink.Last _ ->
                Stream.empty();
        };
    }

    /// Whether the order of the rows is a part of what a pipeline makes.
    static boolean isOrdered(Pipeline pipeline) {
        return (pipeline.sink() instanceof Sink.Result || pipeline.sink() instanceof Sink.Sort)
                && !(pipeline.source() instanceof Source.Union);
    }
}
