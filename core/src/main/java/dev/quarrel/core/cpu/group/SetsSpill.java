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
import java.util.ArrayList;
import java.util.List;

/// The spilled groups of an aggregation by several grouping sets. The finest groups are merged as [GroupSpill] does it;
/// the coarser groups that each partition makes go to files of their own, by partitions of their keys, and are merged
/// when all finest ones are done.
public final class SetsSpill implements SinkSpill {
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final MemoryPressure pressure;
    private final GroupingSets sets;
    private PartitionedRows finest;
    private final List<PartitionedRows> coarser = new ArrayList<>();
    private PartResults results;
    private int round = -1;

    public SetsSpill(Pipeline pipeline, PipelineContext context, int tileRows, MemoryPressure pressure) {
        this.pipeline = pipeline;
        this.context = context;
        this.pressure = pressure;
        this.sets = new GroupingSets(pipeline, tileRows, context.budget());
    }

    @Override
    public boolean isDue(TileSink sink) {
        return isDue(sink.reservedBytes());
    }

    private boolean isDue(long bytes) {
        return pressure.isDue(bytes, 3 * bytes);
    }

    @Override
    public void spill(TileSink sink) {
        AggregateSink own = (AggregateSink) sink;
        finest().add(own::exportPartitions);
        own.leaveEqualToMerge();
    }

    private synchronized PartitionedRows finest() {
        if (finest == null) {
            finest = new PartitionedRows(context, pipeline.id(), 0);
        }
        return finest;
    }

    @Override
    public boolean takesOver(List<TileSink> sinks) {
        long bytes = TileSink.reservedBytes(sinks);
        // Coarser groups may be as many as the finest ones, in each set.
        if (finest == null && pressure.mayStay(bytes, (3L + sets.coarserCount()) * bytes)) {
            return false;
        }
        sinks.forEach(this::spill);
        for (int set = 0; set < sets.coarserCount(); set++) {
            coarser.add(new PartitionedRows(context, pipeline.id(), 0));
        }
        results = new PartResults(pipeline, context);
        return true;
    }

    @Override
    public int beginRound(int number) {
        round = number;
        return switch (number) {
            case 0 -> PartitionedRows.PARTITIONS;
            case 1 -> PartitionedRows.PARTITIONS * sets.coarserCount();
            default -> 0;
        };
    }

    @Override
    public void run(int part) {
        if (round == 0) {
            merge(-1, finest, part, part);
        } else {
            int partition = part % PartitionedRows.PARTITIONS;
            int set = part / PartitionedRows.PARTITIONS;
            merge(set, coarser.get(set), partition, partition);
        }
    }

    /// @param set a coarser one, or -1 for the finest
    /// @param part whose results it makes
    private void merge(int set, PartitionedRows from, int partition, int part) {
        if (from.partition(partition).isEmpty()) {
            return;
        }
        int nextBit = from.firstBit() + PartitionedRows.BITS;
        PartitionedRows smaller = null;
        try (ScratchMemory scratch = new ScratchMemory(context.budget());
                AggregateSink merged = sets.newSink(set)) {
            merged.expect((int) Math.min(1 << 24, PartitionedRows.rowCount(from.partition(partition))));
            for (SpillFile.Chunk chunk : from.partition(partition)) {
                context.cancellation().check();
                merged.transferIn(from.file().read(chunk, scratch));
                scratch.reset();
                if (nextBit <= PartitionedRows.MAX_FIRST_BIT && isDue(merged.reservedBytes())) {
                    smaller = smaller == null ? new PartitionedRows(context, pipeline.id(), nextBit) : smaller;
                    smaller.add(merged::exportPartitions);
                    merged.leaveEqualToMerge();
                }
            }
            if (smaller == null) {
                write(set, merged, part);
            } else {
                smaller.add(merged::exportPartitions);
            }
        }
        if (smaller != null) {
            try (PartitionedRows parts = smaller) {
                for (int smallerPart = 0; smallerPart < PartitionedRows.PARTITIONS; smallerPart++) {
                    merge(set, parts, smallerPart, part);
                }
            }
        }
    }

    private void write(int set, AggregateSink merged, int part) {
        try (BudgetArena arena = new BudgetArena(context.budget())) {
            for (Batch batch : sets.rows(set, merged, arena)) {
                results.add(part, batch);
                context.counters().rowsOut.add(batch.rowCount());
            }
        }
        if (set < 0) {
            List<AggregateSink> made = sets.coarser(merged);
            try {
                for (int index = 0; index < made.size(); index++) {
                    coarser.get(index).add(made.get(index)::exportPartitions);
                }
            } finally {
                made.forEach(AggregateSink::close);
            }
        }
    }

    @Override
    public Materialized finish() {
        close(finest);
        coarser.forEach(SetsSpill::close);
        coarser.clear();
        return results.finish();
    }

    private static void close(PartitionedRows groups) {
        if (groups != null) {
            groups.close();
        }
    }

    @Override
    public void close() {
        close(finest);
        coarser.forEach(SetsSpill::close);
        coarser.clear();
        if (results != null) {
            results.close();
        }
    }
}
