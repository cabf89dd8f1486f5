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
import java.util.List;

/// The end of an aggregation by several grouping sets, in memory. Few groups are merged by one worker. Many are cut
// into
/// partitions by the hash of all keys: each is merged by itself, and the coarser groups are made of it as far as it
// goes;
/// then each coarser set is merged by itself.
///
/// - Memory: sinks stay the caller's; results are handed over by `finish`.
public final class SetsMerge implements Ending {
    private static final int MANY_GROUPS = 1 << 16;
    private static final int PARTITIONS = 32;
    private static final int CHUNK_GROUPS = 1 << 12;

    private final Pipeline pipeline;
    private final PipelineContext context;
    private final List<AggregateSink> sinks;
    private final GroupingSets sets;
    private final boolean isMany;
    private final Partitions[] partitions; // by worker
    private final List<List<AggregateSink>> parts = new ArrayList<>(); // coarser groups, by partition
    private final List<List<Batch>> results = new ArrayList<>(); // by partition, then by coarser set
    private final BudgetArena arena;
    private int round = -1;
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
        this.partitions = new Partitions[sinks.size()];
        for (int part = 0; part < PARTITIONS; part++) {
            parts.add(List.of());
        }
        for (int list = 0; list < PARTITIONS + sets.coarserCount(); list++) {
            results.add(List.of());
        }
        this.arena = new BudgetArena(context.budget());
    }

    @Override
    public int beginRound(int number) {
        round = number;
        return switch (isMany ? number : 3) {
            case 0 -> sinks.size();
            case 1 -> PARTITIONS;
            case 2 -> sets.coarserCount();
            default -> 0;
        };
    }

    @Override
    public void run(int part) {
        switch (round) {
            case 0 -> partitions[part] = sinks.get(part).partitions(0, PARTITIONS);
            case 1 -> mergePartition(part);
            case 2 -> mergeSet(part);
            default -> throw new IllegalStateException("no part in round " + round);
        }
    }

    private void mergePartition(int partition) {
        try (AggregateSink merged = sets.newSink(-1)) {
            for (int worker = 0; worker < partitions.length; worker++) {
                sinks.get(worker).export(partitions[worker], partition, partition + 1, CHUNK_GROUPS, (_, batch) -> {
                    context.cancellation().check();
                    merged.transferIn(batch);
                });
            }
            results.set(partition, rows(-1, merged));
            parts.set(partition, sets.coarser(merged));
        }
    }

    private void mergeSet(int set) {
        AggregateSink all = parts.getFirst().get(set);
        for (List<AggregateSink> part : parts.subList(1, parts.size())) {
            context.cancellation().check();
            all.merge(part.get(set));
        }
        results.set(PARTITIONS + set, rows(set, all));
        all.close();
    }

    private List<Batch> rows(int set, AggregateSink groups) {
        List<Batch> rows = sets.rows(set, groups, arena);
        context.counters().rowsOut.add(rows.stream().mapToLong(Batch::rowCount).sum());
        return rows;
    }

    @Override
    public Materialized finish() {
        if (!isMany) {
            AggregateSink first = sinks.getFirst();
            for (AggregateSink other : sinks.subList(1, sinks.size())) {
                context.cancellation().check();
                first.merge(other);
            }
            results.set(0, rows(-1, first));
            List<AggregateSink> coarser = sets.coarser(first);
            try {
                for (int set = 0; set < coarser.size(); set++) {
                    results.set(PARTITIONS + set, rows(set, coarser.get(set)));
                }
            } finally {
                coarser.forEach(AggregateSink::close);
            }
        }
        isHandedOver = true;
        return new RowBatches(pipeline, results.stream().flatMap(List::stream).toList(), arena::close);
    }

    @Override
    public void close() {
        for (Partitions groups : partitions) {
            if (groups != null) {
                groups.close();
            }
        }
        parts.forEach(part -> part.forEach(AggregateSink::close));
        if (!isHandedOver) {
            isHandedOver = true;
            arena.close();
        }
    }
}
