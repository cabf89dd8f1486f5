package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.PartResults;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import java.util.List;

/// The spilled groups of an aggregation: partial groups in temporary files, partitioned by the hash of their
/// keys. At the end each worker merges one partition at a time; a partition that is too large is partitioned
/// again by further bits. Results go to a file, from which the next pipeline reads batch by batch.
public final class GroupSpill implements SinkSpill {
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final int tileRows;
    private final MemoryPressure pressure;
    private PartitionedRows groups;
    private PartResults results;

    public GroupSpill(Pipeline pipeline, PipelineContext context, int tileRows, MemoryPressure pressure) {
        this.pipeline = pipeline;
        this.context = context;
        this.tileRows = tileRows;
        this.pressure = pressure;
    }

    @Override
    public boolean isDue(TileSink sink) {
        return pressure.isDue(sink.reservedBytes(), ((AggregateSink) sink).growthBytes());
    }

    @Override
    public void spill(TileSink sink) {
        AggregateSink own = (AggregateSink) sink;
        groups().add(own::exportPartitions);
        own.leaveEqualToMerge();
    }

    private synchronized PartitionedRows groups() {
        if (groups == null) {
            groups = new PartitionedRows(context, pipeline.id(), 0);
        }
        return groups;
    }

    @Override
    public boolean takesOver(List<TileSink> sinks) {
        long resultBytes = sinks.stream()
                .mapToLong(sink -> ((AggregateSink) sink).resultBytes(sinks.size() > 1))
                .sum();
        if (groups == null && pressure.mayStay(TileSink.reservedBytes(sinks), resultBytes)) {
            return false;
        }
        sinks.forEach(this::spill);
        results = new PartResults(pipeline, context);
        return true;
    }

    @Override
    public int beginRound(int round) {
        return round == 0 ? PartitionedRows.PARTITIONS : 0;
    }

    @Override
    public void run(int part) {
        merge(groups, part, part);
    }

    /// @param part whose results it makes
    private void merge(PartitionedRows from, int partition, int part) {
        if (from.partition(partition).isEmpty()) {
            return;
        }
        int nextBit = from.firstBit() + PartitionedRows.BITS;
        PartitionedRows smaller = null;
        try (ScratchMemory scratch = new ScratchMemory(context.budget());
                AggregateSink merged = new AggregateSink(pipeline, tileRows, context.budget())) {
            merged.expect((int) Math.min(1 << 24, PartitionedRows.rowCount(from.partition(partition))));
            for (SpillFile.Chunk chunk : from.partition(partition)) {
                context.cancellation().check();
                merged.transferIn(from.file().read(chunk, scratch));
                scratch.reset();
                if (nextBit <= PartitionedRows.MAX_FIRST_BIT && isDue(merged)) {
                    smaller = smaller == null ? new PartitionedRows(context, pipeline.id(), nextBit) : smaller;
                    smaller.add(merged::exportPartitions);
                    merged.leaveEqualToMerge();
                }
            }
            if (smaller == null) {
                write(merged, part);
            } else {
                smaller.add(merged::exportPartitions);
            }
        }
        if (smaller != null) {
            try (PartitionedRows parts = smaller) {
                for (int smallerPart = 0; smallerPart < PartitionedRows.PARTITIONS; smallerPart++) {
                    merge(parts, smallerPart, part);
                }
            }
        }
    }

    private void write(AggregateSink merged, int part) {
        try (BudgetArena arena = new BudgetArena(context.budget())) {
            for (Batch batch : merged.results(pipeline.rowTypes(), arena)) {
                results.add(part, batch);
            }
        }
        context.counters().rowsOut.add(merged.groupCount());
    }

    @Override
    public Materialized finish() {
        groups.close();
        return results.finish();
    }

    @Override
    public void close() {
        if (groups != null) {
            groups.close();
        }
        if (results != null) {
            results.close();
        }
    }
}
