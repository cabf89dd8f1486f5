package dev.quarrel.core.cpu;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.run.Cancellation;
import java.util.List;

/// A pipeline's programs and joins on one worker: pushes tiles through to the sink.
final class TileChain implements TileRunner {
    private final ProgramOutputs[] programs;
    private final JoinProbe[] joins;
    private final JoinProbe.Next[] nexts;
    private final TileSink sink;

    TileChain(
            Pipeline pipeline,
            List<JoinTable> tables,
            List<Literal> slotValues,
            int tileRows,
            Cancellation cancellation,
            TileSink sink) {
        this.programs = pipeline.programs().stream()
                .map(program -> new ProgramOutputs(program, slotValues, tileRows))
                .toArray(ProgramOutputs[]::new);
        this.joins = new JoinProbe[tables.size()];
        this.nexts = new JoinProbe.Next[tables.size()];
        for (int index = 0; index < joins.length; index++) {
            int next = index + 1;
            joins[index] = new JoinProbe(
                    pipeline.joins().get(index),
                    tables.get(index),
                    pipeline.programs().get(next),
                    tileRows,
                    cancellation);
            nexts[index] = (input, rows) -> run(next, input, rows);
        }
        this.sink = sink;
    }

    /// Runs one tile of the source.
    @Override
    public void run(BatchInput source, Mask rows) {
        run(0, source, rows);
    }

    private void run(int stage, TileInput input, Mask rows) {
        Mask selection = programs[stage].run(input, rows);
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
