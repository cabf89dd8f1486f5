package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.cpu.expr.ProgramOutputs;
import dev.quarrel.core.cpu.sink.TileRunner;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/// The chain of a pipeline's programs and joins on one worker: it pushes tiles through them to the sink.
public final class TileChain implements TileRunner {
    private final ProgramOutputs[] programs;
    private final JoinProbe[] joins;
    private final JoinProbe.Next[] nexts;
    private final BuildInput[] builds; // of joins whose build rows follow, else null
    private final TileSink sink;
    private final long[] rows; // that came to each program, and that it kept

    /// A chain no join of which has build rows that follow.
    public TileChain(
            Pipeline pipeline,
            List<JoinTable> tables,
            List<Literal> slotValues,
            int tileRows,
            Cancellation cancellation,
            TileSink sink) {
        this(pipeline, tables, Collections.nCopies(tables.size(), null), slotValues, tileRows, cancellation, sink);
    }

    /// @param matches flags of build rows, one a join, null where nobody asks
    public TileChain(
            Pipeline pipeline,
            List<JoinTable> tables,
            List<BuildMatches> matches,
            List<Literal> slotValues,
            int tileRows,
            Cancellation cancellation,
            TileSink sink) {
        this.programs = pipeline.programs().stream()
                .map(program -> new ProgramOutputs(program, slotValues, tileRows))
                .toArray(ProgramOutputs[]::new);
        this.joins = new JoinProbe[tables.size()];
        this.nexts = new JoinProbe.Next[tables.size()];
        this.builds = new BuildInput[tables.size()];
        for (int index = 0; index < joins.length; index++) {
            int next = index + 1;
            Join join = pipeline.joins().get(index);
            joins[index] = new JoinProbe(
                    join,
                    tables.get(index),
                    matches.get(index),
                    pipeline.programs().get(next),
                    slotValues,
                    tileRows,
                    cancellation);
            nexts[index] = (input, rows) -> run(next, input, rows);
            if (join.kind().emitsBuildRows()) {
                builds[index] =
                        new BuildInput(join, pipeline.programs().get(next).inputs(), tables.get(index), tileRows);
            }
        }
        this.sink = sink;
        this.rows = new long[2 * programs.length];
    }

    /// Adds the rows that came to each program since the last call, and that it kept.
    public void countInto(PipelineCounters counters) {
        counters.addSteps(rows);
        Arrays.fill(rows, 0);
    }

    /// Runs one tile of the source.
    @Override
    public void run(BatchInput source, Mask rows) {
        run(0, source, rows);
    }

    /// Runs one tile that another pipeline has made.
    public void push(TileInput source, Mask rows) {
        run(0, source, rows);
    }

    /// Runs one tile of a join's build rows, those that follow the probe rows.
    ///
    /// @param flags of all build rows: which have a match
    /// @param flag of those wanted
    public void runBuild(int join, int first, int count, byte[] flags, int flag) {
        Mask rows = builds[join].moveTo(first, count, flags, flag);
        if (!rows.isEmpty()) {
            run(join + 1, builds[join], rows);
        }
    }

    private void run(int stage, TileInput input, Mask there) {
        Mask selection = programs[stage].run(input, there);
        rows[2 * stage] += there.count();
        rows[2 * stage + 1] += selection.count();
        if (selection.isEmpty()) {
            return;
        }
        if (stage == joins.length) {
            sink.consume(programs[stage], selection);
        } else {
            joins[stage].probe(programs[stage], selection, nexts[stage]);
        }
    }
}
