package dev.quarrel.core.cpu.join;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.SpillingSink;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/// One worker of a pipeline that runs in stages, and what it keeps from morsel to morsel.
final class StageWorker implements AutoCloseable {
    private final PipelineContext context;
    private final int tileRows;
    private final Map<Join, JoinTable> tables;
    private ProbeSink written; // what the next stage reads, or null
    private TileSink last; // where rows of this morsel go
    private int partition = -1;
    private TileChain chain; // of the partition
    private BatchInput input;
    private Mask all;

    /// @param tables of build sides in memory
    StageWorker(PipelineContext context, int tileRows, Map<Join, JoinTable> tables) {
        this.context = context;
        this.tileRows = tileRows;
        this.tables = tables;
    }

    /// Begins a stage that another follows.
    ///
    /// @param sink what that reads; owned from here on
    void startStage(ProbeSink sink) {
        written = sink;
    }

    /// The sink of a stage that another follows, or null.
    ProbeSink written() {
        return written;
    }

    /// Ends a stage that another follows.
    void endStage() {
        written.flush();
        written.close();
        written = null;
        partition = -1;
        chain = null;
        input = null;
    }

    /// Says where the rows of a morsel go.
    ///
    /// @param sink the pipeline's here
    /// @param spill of that sink, or null
    void startMorsel(TileSink sink, SinkSpill spill) {
        last = written != null ? written : spill == null ? sink : new SpillingSink(sink, spill);
    }

    /// Joins probe rows of a partition with its table, which other workers have, too.
    void probePartition(
            JoinStage stage, int number, JoinTable table, BuildMatches matches, SpilledRows rows, TileSink sink) {
        if (partition != number) {
            partition = number;
            chain = newChain(stage, table, matches);
        }
        probe(stage, chain, rows, sink);
    }

    /// Ends a partition, as the last of its workers.
    ///
    /// @param matches or null: no build rows follow
    void endPartition(JoinStage stage, JoinTable table, BuildMatches matches, TileSink sink) {
        if (matches != null) {
            handOnBuild(stage, table, matches, chain, sink);
        }
        partition = -1;
    }

    private TileChain newChain(JoinStage stage, JoinTable table, BuildMatches matches) {
        List<JoinTable> all = new ArrayList<>();
        all.add(table);
        stage.pipeline().joins().stream().skip(1).map(tables::get).forEach(all::add);
        List<BuildMatches> flags = new ArrayList<>(Collections.nCopies(all.size(), null));
        flags.set(0, matches);
        return new TileChain(
                stage.pipeline(), all, flags, context.slotValues(), tileRows, context.cancellation(), last);
    }

    /// Runs probe rows through a chain, as long as the sink wants them.
    void probe(JoinStage stage, TileChain chain, SpilledRows rows, TileSink sink) {
        if (input == null) {
            input = new BatchInput(stage.pipeline().source().types(), tileRows);
            all = new Mask(tileRows);
        }
        try (ScratchMemory scratch = new ScratchMemory(context.budget())) {
            for (SpillFile.Chunk chunk : rows.chunks()) {
                context.cancellation().check();
                Batch batch = rows.file().read(chunk, scratch);
                for (int first = 0; first < batch.rowCount() && !sink.isMorselDone(); first += tileRows) {
                    int count = Math.min(tileRows, batch.rowCount() - first);
                    all.setAll(count);
                    input.moveTo(batch, first, count);
                    chain.run(input, all);
                }
                scratch.reset();
            }
        }
    }

    /// Runs the build rows that follow.
    private void handOnBuild(JoinStage stage, JoinTable table, BuildMatches matches, TileChain chain, TileSink sink) {
        int flag = stage.kind() == JoinKind.RIGHT_SEMI ? 1 : 0;
        int rows = (int) table.rowCount();
        for (int first = 0; first < rows && !sink.isMorselDone(); first += tileRows) {
            context.cancellation().check();
            chain.runBuild(0, first, Math.min(tileRows, rows - first), matches.flags(), flag);
        }
    }

    /// Joins probe rows with a table that no other worker has.
    ///
    /// @param table closed here
    void probeWith(JoinTable table, JoinStage stage, SpilledRows rows) {
        try (table) {
            probeTable(table, stage, rows);
        }
    }

    /// The same with a table that stays open.
    void probeTable(JoinTable table, JoinStage stage, SpilledRows rows) {
        try (BuildMatches matches = stage.newMatches(table, context.budget())) {
            TileChain made = newChain(stage, table, matches);
            probe(stage, made, rows, last);
            if (matches != null) {
                handOnBuild(stage, table, matches, made, last);
            }
        }
    }

    @Override
    public void close() {
        if (written != null) {
            written.close();
        }
    }
}
