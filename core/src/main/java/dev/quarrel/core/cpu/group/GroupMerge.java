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
import java.util.List;

/// The end of an aggregation with many groups: it cuts each worker's groups into partitions by the hash of their
/// keys, then merges each partition by itself, so that its table stays in cache and all workers take part.
///
/// - Memory: sinks stay the caller's; results are handed over by `finish`.
public final class GroupMerge implements Ending {
    private static final int MANY_GROUPS = 1 << 16;
    private static final int PARTITION_GROUPS = 1 << 14;
    private static final int MAX_PARTITIONS = 128;
    private static final int CHUNK_GROUPS = 1 << 12;

    private enum Round {
        NEW,
        PARTITIONS,
        GROUPS,
        DONE
    }

    private final Pipeline pipeline;
    private final PipelineContext context;
    private final int tileRows;
    private final List<AggregateSink> sinks;
    private final Partitions[] partitions; // by worker
    private final int partitionCount;
    private final List<List<Batch>> results; // by partition
    private final BudgetArena arena;
    private Round round = Round.NEW;
    private boolean isHandedOver;

    private GroupMerge(
            Pipeline pipeline, PipelineContext context, int tileRows, List<AggregateSink> sinks, long groups) {
        this.pipeline = pipeline;
        this.context = context;
        this.tileRows = tileRows;
        this.sinks = sinks;
        this.partitions = new Partitions[sinks.size()];
        int count = 2;
        while (count < MAX_PARTITIONS && count < groups / PARTITION_GROUPS) {
            count *= 2;
        }
        this.partitionCount = count;
        this.results = new ArrayList<>();
        for (int partition = 0; partition < count; partition++) {
            results.add(List.of());
        }
        this.arena = new BudgetArena(context.budget());
    }

    /// The merge of workers' groups, on all workers where there are many.
    ///
    /// @param sinks one at least
    public static Ending of(Pipeline pipeline, PipelineContext context, int tileRows, List<AggregateSink> sinks) {
        long groups = sinks.stream().mapToLong(AggregateSink::groupCount).sum();
        boolean isQuick = sinks.stream().allMatch(AggregateSink::isDense);
        boolean isMany = sinks.size() > 1 && groups >= MANY_GROUPS;
        return isQuick || !isMany || sinks.getFirst().movesStates()
                ? new FewGroups(pipeline, context, sinks)
                : new GroupMerge(pipeline, context, tileRows, sinks, groups);
    }

    @Override
    public int beginRound(int number) {
        round = Round.values()[round.ordinal() + 1];
        return switch (round) {
            case NEW -> throw new IllegalStateException("no round");
            case PARTITIONS -> sinks.size();
            case GROUPS -> partitionCount;
            case DONE -> 0;
        };
    }

    @Override
    public void run(int part) {
        switch (round) {
            case PARTITIONS -> partitions[part] = sinks.get(part).partitions(0, partitionCount);
            case GROUPS -> merge(part);
            case NEW, DONE -> throw new IllegalStateException("no part in round " + round);
        }
    }

    private void merge(int partition) {
        try (AggregateSink merged = new AggregateSink(pipeline, tileRows, context.budget())) {
            int most = Arrays.stream(partitions)
                    .mapToInt(groups -> groups.rowCount(partition))
                    .max()
                    .orElse(0);
            merged.expectHashed(most);
            for (int worker = 0; worker < partitions.length; worker++) {
                sinks.get(worker).export(partitions[worker], partition, partition + 1, CHUNK_GROUPS, (_, batch) -> {
                    context.cancellation().check();
                    merged.transferIn(batch);
                });
            }
            results.set(partition, merged.results(pipeline.rowTypes(), arena));
            context.counters().rowsOut.add(merged.groupCount());
        }
    }

    @Override
    public Materialized finish() {
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
        if (!isHandedOver) {
            isHandedOver = true;
            arena.close();
        }
    }
}
