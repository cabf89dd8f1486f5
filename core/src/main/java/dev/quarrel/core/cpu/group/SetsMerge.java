package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.rows.Partitions;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.ir.Pipeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The end of an aggregation by several grouping sets, in memory. Few groups are merged by one worker. Many are cut
/// into partitions by the hash of their keys, each of which is merged by itself; then each coarser set is made of its
/// parent's groups in the same way, so that a group is looked up once a set.
///
/// - Memory: sinks stay the caller's; results are handed over by `finish`.
public final class SetsMerge implements Ending {
    private static final int FINEST = -1;
    private static final int MANY_GROUPS = 1 << 16;
    private static final int PARTITIONS = 32;
    private static final int CHUNK_GROUPS = 1 << 12;

    private enum Work {
        CUT_WORKERS,
        MERGE_WORKERS,
        CUT_PARENT,
        MAKE_SET
    }

    private final Pipeline pipeline;
    private final PipelineContext context;
    private final List<AggregateSink> sinks;
    private final GroupingSets sets;
    private final boolean isMany;
    private final Map<Integer, AggregateSink[]> groups = new HashMap<>(); // by set: its partitions
    private final List<Batch> results = new ArrayList<>(); // guarded by itself
    private final BudgetArena arena;
    private Work work;
    private int set = FINEST; // that is being made
    private Partitions[] cuts = {}; // by what is cut: workers, or the parent's partitions
    private boolean isHandedOver;

    /// @param sinks one at least
    public SetsMerge(Pipeline pipeline, PipelineContext context, int tileRows, List<AggregateSink> sinks) {
        this.pipeline = pipeline;
        this.context = context;
        this.sinks = sinks;
        this.sets = new GroupingSets(pipeline, tileRows, context.budget());
        this.isMany = sinks.size() > 1
                && sinks.stream().mapToLong(AggregateSink::groupCount).sum() >= MANY_GROUPS
                && !sinks.getFirst().movesStates();
        this.arena = new BudgetArena(context.budget());
    }

    @Override
    public int beginRound(int number) {
        if (!isMany) {
            return 0;
        }
        work = next();
        return switch (work) {
            case CUT_WORKERS -> cut(sinks.size());
            case MERGE_WORKERS -> make(PARTITIONS);
            case CUT_PARENT -> cut(parents().length);
            case MAKE_SET -> make(cuts.length > 0 ? PARTITIONS : 1);
            case null -> 0;
        };
    }

    /// What the next round does; null at the end.
    private Work next() {
        switch (work) {
            case null -> {
                return Work.CUT_WORKERS;
            }
            case CUT_WORKERS -> {
                return Work.MERGE_WORKERS;
            }
            case CUT_PARENT -> {
                return Work.MAKE_SET;
            }
            case MERGE_WORKERS, MAKE_SET -> closeCuts();
        }
        if (set >= 0 && sets.isLastChild(set)) {
            close(groups.remove(sets.parent(set)));
        }
        set++;
        if (set == sets.coarserCount()) {
            return null;
        }
        // Without keys there is one group, and one row.
        long parentGroups = sets.places(set).isEmpty()
                ? 0
                : Arrays.stream(parents()).mapToLong(AggregateSink::groupCount).sum();
        return parentGroups >= MANY_GROUPS ? Work.CUT_PARENT : Work.MAKE_SET;
    }

    private AggregateSink[] parents() {
        return groups.get(sets.parent(set));
    }

    private int cut(int parts) {
        cuts = new Partitions[parts];
        return parts;
    }

    private int make(int parts) {
        groups.put(set, new AggregateSink[parts]);
        return parts;
    }

    @Override
    public void run(int part) {
        switch (work) {
            case CUT_WORKERS -> cuts[part] = sinks.get(part).partitions(0, PARTITIONS);
            case CUT_PARENT -> cuts[part] = parents()[part].partitions(sets.places(set), PARTITIONS);
            case MERGE_WORKERS, MAKE_SET -> {
                AggregateSink made = sets.newSink(set);
                groups.get(set)[part] = made;
                if (set == FINEST) {
                    mergeWorkers(part, made);
                } else {
                    addParents(part, made);
                }
                addRows(set, made);
            }
        }
    }

    private void mergeWorkers(int partition, AggregateSink made) {
        for (int worker = 0; worker < cuts.length; worker++) {
            sinks.get(worker).export(cuts[worker], partition, partition + 1, CHUNK_GROUPS, (_, batch) -> {
                context.cancellation().check();
                made.transferIn(batch);
            });
        }
    }

    private void addParents(int partition, AggregateSink made) {
        AggregateSink[] parents = parents();
        for (int parent = 0; parent < parents.length; parent++) {
            if (cuts.length > 0) {
                made.addFiner(parents[parent], sets.places(set), cuts[parent], partition);
            } else {
                made.addFiner(parents[parent], sets.places(set));
            }
        }
    }

    private void addRows(int of, AggregateSink made) {
        List<Batch> rows = sets.rows(of, made, arena);
        context.counters().rowsOut.add(rows.stream().mapToLong(Batch::rowCount).sum());
        synchronized (results) {
            results.addAll(rows);
        }
    }

    @Override
    public Materialized finish() {
        if (!isMany) {
            AggregateSink first = sinks.getFirst();
            for (AggregateSink other : sinks.subList(1, sinks.size())) {
                context.cancellation().check();
                first.merge(other);
            }
            addRows(FINEST, first);
            List<AggregateSink> coarser = sets.coarser(first);
            try {
                for (int made = 0; made < coarser.size(); made++) {
                    addRows(made, coarser.get(made));
                }
            } finally {
                coarser.forEach(AggregateSink::close);
            }
        }
        isHandedOver = true;
        return new RowBatches(pipeline, results, arena::close);
    }

    private void closeCuts() {
        for (Partitions cut : cuts) {
            if (cut != null) {
                cut.close();
            }
        }
        cuts = new Partitions[0];
    }

    private static void close(AggregateSink[] parts) {
        for (AggregateSink part : parts) {
            if (part != null) {
                part.close();
            }
        }
    }

    @Override
    public void close() {
        closeCuts();
        groups.values().forEach(SetsMerge::close);
        groups.clear();
        if (!isHandedOver) {
            isHandedOver = true;
            arena.close();
        }
    }
}
