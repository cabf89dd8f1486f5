package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The end of an aggregation whose groups are all in the workers' dense tables: all workers at once merge ranges
/// of places, and make rows of them.
public final class DenseGroups implements Ending {
    private static final int PARTS_A_WORKER = 4;

    private final Pipeline pipeline;
    private final PipelineContext context;
    private final List<GroupTable> tables;
    private final Part[] parts;

    private record Part(BudgetArena arena, List<Batch> batches) {}

    private DenseGroups(Pipeline pipeline, PipelineContext context, List<GroupTable> tables, int parts) {
        this.pipeline = pipeline;
        this.context = context;
        this.tables = tables;
        this.parts = new Part[parts];
    }

    /// The end of such an aggregation, or null where a worker has groups elsewhere.
    public static DenseGroups of(Pipeline pipeline, PipelineContext context, List<SinkState> states) {
        List<GroupTable> tables = new ArrayList<>();
        for (SinkState state : states) {
            GroupTable table = ((CpuWorker) state).runner() instanceof FusedRunner runner ? runner.groupsAlone() : null;
            if (table == null || !table.hasKeys()) {
                return null;
            }
            tables.add(table);
        }
        return tables.isEmpty()
                ? null
                : new DenseGroups(
                        pipeline,
                        context,
                        tables,
                        Math.min(tables.getFirst().places(), states.size() * PARTS_A_WORKER));
    }

    @Override
    public int beginRound(int round) {
        return round == 0 ? parts.length : 0;
    }

    /// A part's first place: a multiple of 64, so that no two parts share a word of bits.
    private int start(int part) {
        return (int) ((long) tables.getFirst().places() * part / parts.length) & -Long.SIZE;
    }

    /// Merges one range of places.
    @Override
    public void run(int part) {
        GroupTable into = tables.getFirst();
        int from = start(part);
        int end = part == parts.length - 1 ? into.places() : start(part + 1);
        for (GroupTable other : tables.subList(1, tables.size())) {
            context.cancellation().check();
            into.merge(other, from, end);
        }
        Schema schema = RowStore.schema(pipeline.rowTypes());
        BudgetArena arena = new BudgetArena(context.budget());
        try {
            List<Batch> batches = new ArrayList<>();
            int[] at = new int[Math.min(RowStore.BATCH_ROWS, end - from)];
            for (int place = from; place < end; ) {
                context.cancellation().check();
                int count = into.collect(place, end, at);
                if (count > 0) {
                    List<Column> columns = into.results(at, count, arena);
                    batches.add(Batch.view(schema, columns, count));
                    context.counters().rowsOut.add(count);
                }
                place = count < at.length ? end : into.placeAfter(at[count - 1]);
            }
            parts[part] = new Part(arena, batches);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    /// The groups, in the order of their places.
    @Override
    public Materialized finish() {
        Part[] made = parts.clone();
        Arrays.fill(parts, null);
        List<BudgetArena> arenas = new ArrayList<>();
        List<Batch> batches = new ArrayList<>();
        for (Part part : made) {
            arenas.add(part.arena());
            batches.addAll(part.batches());
        }
        return new RowBatches(pipeline, batches, () -> arenas.forEach(BudgetArena::close));
    }

    @Override
    public void close() {
        for (Part part : parts) {
            if (part != null) {
                part.arena().close();
            }
        }
        Arrays.fill(parts, null);
    }
}
