package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.rows.MergedKeys;
import dev.quarrel.core.cpu.rows.Partitions;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The end of an aggregation with many groups: it cuts each worker's groups into partitions by the hash of their
/// keys, then merges each partition by itself, so that its table stays in cache and all workers take part. Keys stay
/// where they are: of equal ones the first worker's stands for all.
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
    private final List<AggregateSink> sinks;
    private final Partitions[] partitions; // by worker
    private final int partitionCount;
    private final PartitionResults results;
    private Round round = Round.NEW;

    private GroupMerge(Pipeline pipeline, PipelineContext context, List<AggregateSink> sinks, long groups) {
        this.pipeline = pipeline;
        this.context = context;
        this.sinks = sinks;
        this.partitions = new Partitions[sinks.size()];
        int count = 2;
        while (count < MAX_PARTITIONS && count < groups / PARTITION_GROUPS) {
            count *= 2;
        }
        this.partitionCount = count;
        this.results = new PartitionResults(count, context.budget());
    }

    /// The merge of workers' groups, on all workers where there are many.
    ///
    /// @param sinks one at least
    public static Ending of(Pipeline pipeline, PipelineContext context, int tileRows, List<AggregateSink> sinks) {
        if (sinks.stream().anyMatch(AggregateSink::isPartitioned)) {
            return new PartitionMerge(pipeline, context, tileRows, sinks);
        }
        long groups = sinks.stream().mapToLong(AggregateSink::groupCount).sum();
        boolean isQuick = sinks.stream().allMatch(AggregateSink::isDense);
        boolean isMany = sinks.size() > 1 && groups >= MANY_GROUPS;
        return isQuick || !isMany || sinks.getFirst().movesStates()
                ? new FewGroups(pipeline, context, sinks)
                : new GroupMerge(pipeline, context, sinks, groups);
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
        try (Reservation reservation = new Reservation(context.budget());
                ScratchMemory memory = new ScratchMemory(context.budget())) {
            int most = Arrays.stream(partitions)
                    .mapToInt(groups -> groups.rowCount(partition))
                    .max()
                    .orElse(0);
            AggregateSink first = sinks.getFirst();
            MergedKeys keys = new MergedKeys(
                    sinks.stream().map(AggregateSink::keyValues).toList(),
                    first.keyTypes(),
                    most,
                    CHUNK_GROUPS,
                    reservation);
            Accumulator[] states = first.newAccumulators(reservation);
            int[] numbers = new int[CHUNK_GROUPS];
            for (int worker = 0; worker < partitions.length; worker++) {
                AggregateSink sink = sinks.get(worker);
                Partitions groups = partitions[worker];
                int end = groups.start(partition) + groups.rowCount(partition);
                for (int from = groups.start(partition); from < end; from += CHUNK_GROUPS) {
                    context.cancellation().check();
                    int count = Math.min(CHUNK_GROUPS, end - from);
                    keys.add(worker, sink.keyHashes(), groups.order(), from, count, numbers);
                    add(sink.partials(groups.order(), from, count, memory), states, keys.size(), numbers, count);
                    memory.reset();
                }
            }
            results.set(partition, results(keys, states));
            context.counters().rowsOut.add(keys.size());
        }
    }

    private static void add(List<Column> partials, Accumulator[] states, int size, int[] numbers, int count) {
        int column = 0;
        for (Accumulator state : states) {
            state.ensure(size);
            state.absorb(partials, column, 0, numbers, count);
            column += state.partialColumns();
        }
    }

    /// Batches of groups whose keys one worker has.
    private List<Batch> results(MergedKeys keys, Accumulator[] states) {
        Schema schema = RowStore.schema(pipeline.rowTypes());
        List<Batch> batches = new ArrayList<>();
        for (int worker = 0; worker < sinks.size(); worker++) {
            int end = keys.firstNumber(worker + 1);
            for (int from = keys.firstNumber(worker); from < end; from += RowStore.BATCH_ROWS) {
                context.cancellation().check();
                int count = Math.min(RowStore.BATCH_ROWS, end - from);
                List<Column> columns = new ArrayList<>();
                for (ValueStore values : sinks.get(worker).keyValues()) {
                    columns.add(values.toColumn(keys.rows(), from, count, results.arena()));
                }
                for (Accumulator state : states) {
                    columns.add(state.result(from, count, results.arena()));
                }
                batches.add(Batch.view(schema, columns, count));
            }
        }
        return batches;
    }

    @Override
    public Materialized finish() {
        return results.finish(pipeline);
    }

    @Override
    public void close() {
        for (Partitions groups : partitions) {
            if (groups != null) {
                groups.close();
            }
        }
        results.close();
    }
}
