package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.group.AggregateSink;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.stream.IntStream;

/// The tables that a stage makes of build rows in files.
final class StageTables {
    private final JoinStage stage;
    private final PipelineContext context;
    private final int tileRows;
    private final MemoryPressure pressure;

    StageTables(JoinStage stage, PipelineContext context, int tileRows, MemoryPressure pressure) {
        this.stage = stage;
        this.context = context;
        this.tileRows = tileRows;
        this.pressure = pressure;
    }

    /// Whether each worker may have a table of so many rows.
    boolean fits(SpilledRows built) {
        long bytes = 2 * PartitionedRows.bytes(built.chunks()) + built.count() * BuildSpill.INDEX_ROW_BYTES;
        return pressure.fits(2 * bytes * pressure.threads());
    }

    /// A table of rows in a file.
    JoinTable load(SpilledRows built) {
        Pipeline build = stage.build().pipeline();
        RowStore rows = new RowStore(build.rowTypes(), context.budget());
        try (ScratchMemory scratch = new ScratchMemory(context.budget())) {
            for (SpillFile.Chunk chunk : built.chunks()) {
                context.cancellation().check();
                rows.append(built.file().read(chunk, scratch), tileRows);
                scratch.reset();
            }
        } catch (RuntimeException | Error problem) {
            rows.close();
            throw problem;
        }
        return table(rows);
    }

    /// A table of the distinct keys alone.
    JoinTable distinct(SpilledRows built) {
        Pipeline build = stage.build().pipeline();
        int keyCount = ((Sink.HashBuild) build.sink()).keys().size();
        List<DataType> types = build.rowTypes().subList(0, keyCount);
        List<Integer> keys = IntStream.range(0, keyCount).boxed().toList();
        Pipeline grouping = new Pipeline(
                build.id(),
                new Source.Rows(build.id(), types),
                List.of(ProgramBuilder.identity(types)),
                List.of(),
                new Sink.Aggregate(keys, List.of()));
        RowStore rows = new RowStore(types, context.budget());
        try (ScratchMemory scratch = new ScratchMemory(context.budget());
                AggregateSink groups = new AggregateSink(grouping, tileRows, context.budget());
                BudgetArena arena = new BudgetArena(context.budget())) {
            for (SpillFile.Chunk chunk : built.chunks()) {
                context.cancellation().check();
                Batch batch = built.file().read(chunk, scratch);
                groups.transferIn(
                        Batch.view(RowStore.schema(types), batch.columns().subList(0, keyCount), batch.rowCount()));
                scratch.reset();
            }
            for (Batch batch : groups.results(types, arena)) {
                rows.append(batch, tileRows);
            }
        } catch (RuntimeException | Error problem) {
            rows.close();
            throw problem;
        }
        return table(rows);
    }

    private JoinTable table(RowStore rows) {
        Pipeline build = stage.build().pipeline();
        int keyCount = ((Sink.HashBuild) build.sink()).keys().size();
        try (JoinBuild table = new JoinBuild(build, List.of(rows), keyCount, tileRows, context.budget(), false)) {
            JoinTable made = table.finish();
            made.standFor(stage.nullKeys());
            return made;
        }
    }

    /// A table of no rows.
    JoinTable empty() {
        return table(new RowStore(stage.build().pipeline().rowTypes(), context.budget()));
    }
}
