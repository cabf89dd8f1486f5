package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// The join of a partition whose build rows are too many for a table: both sides are cut by further bits of the
/// hash, or the build side in slices where no bits tell its rows apart.
///
/// It works for one worker, which writes what comes out.
final class CutJoin {
    private final JoinStage stage;
    private final StageTables tables;
    private final StageWorker worker;
    private final PipelineContext context;
    private final int tileRows;
    private final MemoryPressure pressure;

    CutJoin(JoinStage stage, StageWorker worker, PipelineContext context, int tileRows, MemoryPressure pressure) {
        this.stage = stage;
        this.tables = new StageTables(stage, context, tileRows, pressure);
        this.worker = worker;
        this.context = context;
        this.tileRows = tileRows;
        this.pressure = pressure;
    }

    /// Joins rows of both sides.
    ///
    /// @param firstBit the first bit of the hash that they were cut by
    void join(SpilledRows built, SpilledRows rows, int firstBit) {
        int nextBit = firstBit + PartitionedRows.BITS;
        if (!stage.hasWork(!rows.isEmpty(), !built.isEmpty())) {
            return;
        }
        if (tables.fits(built)) {
            worker.probeWith(tables.load(built), stage, rows);
            return;
        }
        if (stage.isLoop() || nextBit > PartitionedRows.MAX_FIRST_BIT) {
            joinSkewed(built, rows);
            return;
        }
        int keyCount = stage.join().keys().size();
        try (PartitionedRows smallerBuild = cut(built, stage.build().pipeline().rowTypes(), keyCount, nextBit)) {
            for (int part = 0; part < PartitionedRows.PARTITIONS; part++) {
                if (PartitionedRows.rowCount(smallerBuild.partition(part)) == built.count()) {
                    joinSkewed(built, rows);
                    return;
                }
            }
            try (PartitionedRows smallerProbe =
                    cut(rows, stage.pipeline().source().types(), keyCount, nextBit)) {
                for (int part = 0; part < PartitionedRows.PARTITIONS; part++) {
                    join(SpilledRows.of(smallerBuild, part), SpilledRows.of(smallerProbe, part), nextBit);
                }
            }
        }
    }

    /// Joins build rows that the hash does not tell apart, for most of them have one key, or there is none: in slices
    /// that fit, or by the distinct keys where only they count.
    private void joinSkewed(SpilledRows built, SpilledRows rows) {
        boolean isByKeys = stage.join().residual() == null && stage.join().range() == null && !stage.isLoop();
        if (stage.join().takesNearest()) {
            // The nearest row is one of all: they fit without room to spare, or the query ends here.
            worker.probeWith(tables.load(built), stage, rows);
            return;
        }
        switch (stage.kind()) {
            // Of a slice, as of a partition, the build rows without a match are known when all probe rows have come.
            case INNER, RIGHT, RIGHT_SEMI, RIGHT_ANTI -> {
                for (SpilledRows slice : slices(built)) {
                    worker.probeWith(tables.load(slice), stage, rows);
                }
            }
            case SEMI, ANTI -> {
                if (isByKeys) {
                    worker.probeWith(tables.distinct(built), stage, rows);
                } else {
                    joinSlices(built, rows);
                }
            }
            case LEFT, FULL -> joinSlices(built, rows);
            // With a further condition the rows fit without room to spare, or the query ends here.
            case MARK, MARK_IN -> worker.probeWith(isByKeys ? tables.distinct(built) : tables.load(built), stage, rows);
        }
    }

    private List<SpilledRows> slices(SpilledRows built) {
        List<SpilledRows> slices = new ArrayList<>();
        int count = built.chunks().size();
        int from = 0;
        while (from < count) {
            int end = from + 1;
            while (end < count && tables.fits(built.slice(from, end + 1))) {
                end++;
            }
            slices.add(built.slice(from, end));
            from = end;
        }
        return slices;
    }

    /// Joins slice by slice, where it counts whether a probe row has a match in any: the rows without one go on to the
    /// next slice by a file, and those left over at the end are rows without a match.
    private void joinSlices(SpilledRows built, SpilledRows rows) {
        SpilledRows unmatched = rows;
        PartitionedRows kept = null; // what `unmatched` lies in, unless that is the first file
        try {
            for (SpilledRows slice : slices(built)) {
                PartitionedRows next =
                        new PartitionedRows(context, stage.pipeline().id(), 0);
                boolean isDone = false;
                try (JoinTable table = tables.load(slice)) {
                    switch (stage.kind()) {
                        case SEMI -> worker.probeTable(table, stage, unmatched);
                        case LEFT -> worker.probeTable(table, stage.with(JoinKind.INNER), rows);
                        case FULL -> worker.probeTable(table, stage.with(JoinKind.RIGHT), rows);
                        case ANTI, INNER, RIGHT, RIGHT_SEMI, RIGHT_ANTI, MARK, MARK_IN -> {}
                    }
                    keepUnmatched(table, unmatched, next);
                    isDone = true;
                } finally {
                    if (!isDone) {
                        next.close();
                    }
                }
                if (kept != null) {
                    kept.close();
                }
                kept = next;
                unmatched = SpilledRows.all(next);
            }
            if (stage.kind() != JoinKind.SEMI) {
                JoinStage rest = stage.kind() == JoinKind.FULL ? stage.with(JoinKind.LEFT) : stage;
                worker.probeWith(tables.empty(), rest, unmatched);
            }
        } finally {
            if (kept != null) {
                kept.close();
            }
        }
    }

    /// Writes the probe rows that have no match in a table to a file.
    private void keepUnmatched(JoinTable table, SpilledRows rows, PartitionedRows to) {
        List<DataType> types = stage.pipeline().source().types();
        List<Integer> all = IntStream.range(0, types.size()).boxed().toList();
        Join join = stage.join();
        Pipeline anti = new Pipeline(
                stage.pipeline().id(),
                stage.pipeline().source(),
                List.of(ProgramBuilder.identity(types), ProgramBuilder.identity(types)),
                List.of(new Join(
                        JoinKind.ANTI, join.build(), join.keys(), all, List.of(), join.residual(), null, join.range())),
                new Sink.Sort(List.of(), Sink.Bound.ZERO, Sink.Bound.NONE));
        int[] outputs = IntStream.range(0, types.size()).toArray();
        try (ProbeSink kept = new ProbeSink(outputs, types, join.keys().size(), to, pressure)) {
            TileChain chain =
                    new TileChain(anti, List.of(table), context.slotValues(), tileRows, context.cancellation(), kept);
            worker.probe(stage, chain, rows, kept);
            kept.flush();
        }
    }

    /// Writes rows to a file of their own, by partitions of further bits of their keys' hash.
    private PartitionedRows cut(SpilledRows from, List<DataType> types, int keyCount, int firstBit) {
        PartitionedRows smaller = new PartitionedRows(context, stage.pipeline().id(), firstBit);
        boolean isDone = false;
        try (RowStore rows = new RowStore(types, context.budget());
                ScratchMemory scratch = new ScratchMemory(context.budget())) {
            PartitionedRows.Content content =
                    (bit, count, receiver) -> rows.exportPartitions(keyCount, bit, count, receiver);
            for (SpillFile.Chunk chunk : from.chunks()) {
                context.cancellation().check();
                rows.append(from.file().read(chunk, scratch), tileRows);
                scratch.reset();
                long bytes = rows.reservation().bytes();
                if (pressure.isDue(bytes, 3 * bytes)) {
                    smaller.add(content);
                }
            }
            smaller.add(content);
            isDone = true;
            return smaller;
        } finally {
            if (!isDone) {
                smaller.close();
            }
        }
    }
}
