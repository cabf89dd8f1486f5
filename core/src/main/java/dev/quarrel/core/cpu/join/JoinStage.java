package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// One stage of a pipeline some of whose build sides are in files: a pipeline of its own.
///
/// @param build the build side of its first join; null in the first stage
/// @param nullKeys whether some row of it has a NULL key
/// @param written the last program's outputs that the next stage reads, its keys first; null in the last stage
record JoinStage(Pipeline pipeline, SpilledBuild build, boolean nullKeys, int[] written) {
    JoinStage(Pipeline pipeline, SpilledBuild build, int[] written) {
        this(pipeline, build, build != null && hasNullKeys(build), written);
    }

    private static boolean hasNullKeys(SpilledBuild build) {
        int keyCount = ((Sink.HashBuild) build.pipeline().sink()).keys().size();
        return build.partitions().all().stream()
                .anyMatch(chunk -> IntStream.range(0, keyCount).anyMatch(chunk::hasNulls));
    }

    JoinKind kind() {
        return join().kind();
    }

    Join join() {
        return pipeline.joins().getFirst();
    }

    /// Whether every build row is a candidate for every probe row.
    boolean isLoop() {
        return join().keys().isEmpty();
    }

    /// The same with another kind of its first join.
    JoinStage with(JoinKind kind) {
        List<Join> joins = new ArrayList<>(pipeline.joins());
        joins.set(0, join().with(kind));
        return new JoinStage(
                new Pipeline(pipeline.id(), pipeline.source(), pipeline.programs(), joins, pipeline.sink()),
                build,
                nullKeys,
                written);
    }

    /// Whether a partition with rows of these sides has something to do.
    boolean hasWork(boolean anyProbe, boolean anyBuild) {
        return anyProbe && (anyBuild || !kind().needsMatch())
                || anyBuild && kind().emitsBuildRows() && kind() != JoinKind.RIGHT_SEMI;
    }

    List<DataType> writtenTypes() {
        List<DataType> types = pipeline.lastProgram().outputTypes();
        return IntStream.of(written).mapToObj(types::get).toList();
    }

    /// Flags for build rows, where such follow after the probe rows; else null.
    BuildMatches newMatches(JoinTable table, MemoryBudget budget) {
        return kind().emitsBuildRows() ? new BuildMatches((int) table.rowCount(), budget) : null;
    }

    /// The stages of a pipeline; none where all its build sides are in memory.
    static List<JoinStage> of(Pipeline pipeline, PipelineContext context) {
        List<JoinStage> stages = new ArrayList<>();
        SpilledBuild build = null;
        Source source = pipeline.source();
        List<Program> programs = new ArrayList<>();
        List<Join> joins = new ArrayList<>();
        programs.add(pipeline.programs().getFirst());
        for (int index = 0; index < pipeline.joins().size(); index++) {
            Join join = pipeline.joins().get(index);
            Materialized built = context.materialized(join.build());
            if (built instanceof SpilledBuild spilled) {
                int[] written = written(join);
                Pipeline part = new Pipeline(
                        pipeline.id(),
                        source,
                        programs,
                        joins,
                        new Sink.Sort(List.of(), Sink.Bound.ZERO, Sink.Bound.NONE));
                JoinStage stage = new JoinStage(part, build, written);
                stages.add(stage);
                build = spilled;
                source = new Source.Rows(pipeline.id(), stage.writtenTypes());
                programs = new ArrayList<>(List.of(ProgramBuilder.identity(stage.writtenTypes())));
                joins = new ArrayList<>(List.of(renumbered(join, written)));
            } else {
                joins.add(join);
            }
            programs.add(pipeline.programs().get(index + 1));
        }
        if (build == null) {
            return List.of();
        }
        stages.add(new JoinStage(new Pipeline(pipeline.id(), source, programs, joins, pipeline.sink()), build, null));
        return stages;
    }

    /// The outputs of the program before a join that it reads, keys first.
    private static int[] written(Join join) {
        List<Integer> outputs = new ArrayList<>(join.keys());
        List<Integer> others = new ArrayList<>(join.carried());
        if (join.residual() != null) {
            others.addAll(join.residual().carried());
        }
        if (join.nearest() != null) {
            others.add(join.nearest().probe());
        }
        if (join.range() != null) {
            others.addAll(join.range().carried());
        }
        others.stream().distinct().filter(output -> !outputs.contains(output)).forEach(outputs::add);
        return outputs.stream().mapToInt(Integer::intValue).toArray();
    }

    private static Join renumbered(Join join, int[] written) {
        List<Integer> places = IntStream.of(written).boxed().toList();
        return new Join(
                join.kind(),
                join.build(),
                IntStream.range(0, join.keys().size()).boxed().toList(),
                join.carried().stream().map(places::indexOf).toList(),
                join.payload(),
                join.residual() == null
                        ? null
                        : new Join.Residual(
                                join.residual().carried().stream()
                                        .map(places::indexOf)
                                        .toList(),
                                join.residual().payload(),
                                join.residual().program()),
                join.nearest() == null
                        ? null
                        : new Join.Nearest(
                                places.indexOf(join.nearest().probe()),
                                join.nearest().payload(),
                                join.nearest().relation()),
                join.range() == null ? null : renumbered(join.range(), places));
    }

    private static Join.Range renumbered(Join.Range range, List<Integer> places) {
        return new Join.Range(
                range.payload(),
                range.carried().stream().map(places::indexOf).toList(),
                range.program(),
                range.lower(),
                range.upper(),
                range.prevailing());
    }
}
