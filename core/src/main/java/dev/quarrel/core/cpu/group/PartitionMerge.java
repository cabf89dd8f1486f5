package dev.quarrel.core.cpu.group;

import dev.quarrel.core.cpu.rows.Partitions;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import java.util.List;

/// The end of an aggregation some of whose rows wait in partitions ([PartitionedGroups]): each partition is grouped by
/// itself, and all workers take part.
///
/// - Memory: sinks stay the caller's; results are handed over by `finish`.
final class PartitionMerge implements Ending {
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final int tileRows;
    private final List<AggregateSink> sinks;
    private final Partitions[] groups; // that the workers had before, by worker
    private final PartitionResults results;
    private boolean isCut;

    PartitionMerge(Pipeline pipeline, PipelineContext context, int tileRows, List<AggregateSink> sinks) {
        this.pipeline = pipeline;
        this.context = context;
        this.tileRows = tileRows;
        this.sinks = sinks;
        this.groups = new Partitions[sinks.size()];
        this.results = new PartitionResults(PartitionedGroups.PARTITIONS, context.budget());
    }

    @Override
    public int beginRound(int round) {
        isCut = round > 0;
        return switch (round) {
            case 0 -> sinks.size();
            case 1 -> PartitionedGroups.PARTITIONS;
            default -> 0;
        };
    }

    @Override
    public void run(int part) {
        if (isCut) {
            merge(part);
        } else {
            groups[part] = sinks.get(part).cut();
        }
    }

    private void merge(int partition) {
        try (AggregateSink merged = new AggregateSink(pipeline, tileRows, context.budget())) {
            int rows = 0;
            for (int worker = 0; worker < groups.length; worker++) {
                rows += groups[worker].rowCount(partition) + sinks.get(worker).waitingRows(partition);
            }
            merged.expectHashed(rows / 2);
            for (int worker = 0; worker < groups.length; worker++) {
                context.cancellation().check();
                sinks.get(worker).addPartition(groups[worker], partition, merged);
            }
            results.set(partition, merged.results(pipeline.rowTypes(), results.arena()));
            context.counters().rowsOut.add(merged.groupCount());
        }
    }

    @Override
    public Materialized finish() {
        return results.finish(pipeline);
    }

    @Override
    public void close() {
        for (Partitions cut : groups) {
            if (cut != null) {
                cut.close();
            }
        }
        results.close();
    }
}
