package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.spill.SpillFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/// A pipeline of which some build sides are in files, cut into stages at the joins with these.
///
/// The first stage runs over the source, up to the first such join, and writes its rows to a file by partitions of that
/// join's keys. The next stage reads them partition by partition, each against a table of the same partition of the
/// build side, and goes on to the next such join, or to the pipeline's sink. A partition whose build rows are still too
/// many is cut again by further bits of the hash, on both sides.
///
/// Workers share it: a morsel is some chunks of one partition's probe rows.
public final class JoinStages implements AutoCloseable {
    private static final int FIRST_BATCH = Integer.MIN_VALUE;
    private static final int MORSEL_ROWS = 1 << 17;

    private final PipelineContext context;
    private final int tileRows;
    private final MemoryPressure pressure;
    private final List<JoinStage> stages;
    private final Map<Join, JoinTable> tables = new HashMap<>();
    private final Map<TileSink, StageWorker> workers = new IdentityHashMap<>(); // by the pipeline's sink there
    private int current;
    private PartitionedRows probes; // what the current stage reads
    private PartitionedRows nextProbes; // and what it writes
    private Part[] parts = new Part[0];

    /// One partition of the current stage.
    private static final class Part {
        private int morsels;
        private boolean isCut; // too large for a table: one morsel cuts it
        private JoinTable table;
        private BuildMatches matches; // or null: build rows do not follow
    }

    private JoinStages(List<JoinStage> stages, PipelineContext context, int tileRows, MemoryPressure pressure) {
        this.stages = stages;
        this.context = context;
        this.tileRows = tileRows;
        this.pressure = pressure;
        this.nextProbes = newProbes();
    }

    /// Whether a build side may go to files: whether all joins that read it can be done partition by partition, by
    /// pipelines that need not keep the scan's order.
    public static boolean canSpill(QueryPlan plan, Pipeline build) {
        for (Pipeline pipeline : plan.pipelines()) {
            for (Join join : pipeline.joins()) {
                boolean isCut = join.build() == build.id();
                if (isCut
                        && (join.keys().isEmpty() && join.kind().hasMark()
                                || pipeline.sink() instanceof Sink.Last
                                || isBeforeBuildRows(pipeline, join))) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Whether build rows follow of a join behind this one. It may be in memory, in a stage that reads files: those do
    /// not know of its rows.
    private static boolean isBeforeBuildRows(Pipeline pipeline, Join join) {
        int next = pipeline.joins().indexOf(join) + 1;
        return pipeline.joins().stream()
                .skip(next)
                .anyMatch(later -> later.kind().emitsBuildRows());
    }

    /// The stages of a pipeline, or null where all its build sides are in memory.
    public static JoinStages of(Pipeline pipeline, PipelineContext context, int tileRows, int threads) {
        List<JoinStage> stages = JoinStage.of(pipeline, context);
        return stages.isEmpty()
                ? null
                : new JoinStages(stages, context, tileRows, new MemoryPressure(context.budget(), threads));
    }

    private PartitionedRows newProbes() {
        return new PartitionedRows(context, stages.getFirst().pipeline().id(), 0);
    }

    /// The stage that runs over the source.
    public Pipeline first() {
        return stages.getFirst().pipeline();
    }

    /// Joins of later stages whose build sides are in memory: their tables are to be added before the first morsel.
    public List<Join> later() {
        return stages.stream()
                .skip(1)
                .flatMap(stage -> stage.pipeline().joins().stream().skip(1))
                .toList();
    }

    public void addTable(Join join, JoinTable table) {
        tables.put(join, table);
    }

    /// The sink of a worker's first stage.
    ///
    /// @param sink the pipeline's sink there
    public TileSink newProbe(TileSink sink) {
        TileSink probe = worker(sink).written();
        return probe == null ? sink : probe; // a worker that comes late runs no tile of the first stage
    }

    private ProbeSink newProbe(JoinStage stage) {
        int keyCount = stages.get(stages.indexOf(stage) + 1)
                .pipeline()
                .joins()
                .getFirst()
                .keys()
                .size();
        return new ProbeSink(stage.written(), stage.writtenTypes(), keyCount, nextProbes, pressure);
    }

    public static boolean isPartition(Morsel morsel) {
        return morsel.batch() < FIRST_BATCH + PartitionedRows.PARTITIONS;
    }

    /// Ends a stage, and begins the next one that has work.
    ///
    /// @param firstIndex the first morsel's
    /// @return none at the end
    public List<Morsel> next(int firstIndex) {
        List<Morsel> morsels = new ArrayList<>();
        while (morsels.isEmpty() && current + 1 < stages.size()) {
            workers.values().forEach(StageWorker::endStage);
            if (probes != null) {
                probes.close();
            }
            probes = nextProbes;
            nextProbes = null;
            current++;
            if (current + 1 < stages.size()) {
                nextProbes = newProbes();
                for (StageWorker worker : workers.values()) {
                    worker.startStage(newProbe(stages.get(current)));
                }
            }
            addMorsels(firstIndex, morsels);
        }
        return morsels;
    }

    private void addMorsels(int firstIndex, List<Morsel> morsels) {
        parts = new Part[PartitionedRows.PARTITIONS];
        JoinStage stage = stages.get(current);
        StageTables tables = tables(stage);
        for (int partition = 0; partition < parts.length; partition++) {
            parts[partition] = new Part();
            List<SpillFile.Chunk> rows = probes.partition(partition);
            SpilledRows built = SpilledRows.of(stage.build().partitions(), partition);
            if (!stage.hasWork(!rows.isEmpty(), !built.isEmpty())) {
                continue;
            }
            parts[partition].isCut = !tables.fits(built);
            // Where all build rows are read in slices anyway, each worker does so for some of the probe rows.
            boolean isWhole =
                    parts[partition].isCut && !(stage.isLoop() && !stage.kind().emitsBuildRows());
            int from = 0;
            while (from < rows.size() || parts[partition].morsels == 0) {
                int end = from;
                for (long count = 0; end < rows.size() && (isWhole || count < MORSEL_ROWS); end++) {
                    count += rows.get(end).rowCount();
                }
                morsels.add(new Morsel(
                        firstIndex + morsels.size(), FIRST_BATCH + partition, from, Math.max(1, end - from)));
                parts[partition].morsels++;
                from = end;
            }
        }
    }

    /// Runs a morsel of the current stage.
    ///
    /// @param sink the pipeline's on this worker
    /// @param spill of that sink, or null
    public void run(Morsel morsel, TileSink sink, SinkSpill spill) {
        JoinStage stage = stages.get(current);
        int partition = morsel.batch() - FIRST_BATCH;
        StageWorker worker = worker(sink);
        worker.startMorsel(sink, spill);
        sink.startMorsel(morsel);
        SpilledRows rows =
                SpilledRows.of(probes, partition).slice(morsel.firstRow(), morsel.firstRow() + morsel.rowCount());
        if (parts[partition].isCut) {
            new CutJoin(stage, worker, context, tileRows, pressure)
                    .join(SpilledRows.of(stage.build().partitions(), partition), rows, 0);
        } else {
            Part part = open(stage, partition);
            worker.probePartition(stage, partition, part.table, part.matches, rows, sink);
            release(stage, part, worker, sink);
        }
        sink.endMorsel(morsel);
    }

    private StageTables tables(JoinStage stage) {
        return new StageTables(stage, context, tileRows, pressure);
    }

    private StageWorker worker(TileSink sink) {
        synchronized (workers) {
            return workers.computeIfAbsent(sink, _ -> {
                StageWorker made = new StageWorker(context, tileRows, tables);
                if (nextProbes != null) {
                    made.startStage(newProbe(stages.get(current)));
                }
                return made;
            });
        }
    }

    private Part open(JoinStage stage, int partition) {
        Part part = parts[partition];
        synchronized (part) {
            if (part.table == null) {
                part.table = tables(stage).load(SpilledRows.of(stage.build().partitions(), partition));
                part.matches = stage.newMatches(part.table, context.budget());
            }
            return part;
        }
    }

    /// Ends a morsel of a partition; the last one hands on the build rows that follow, and frees the table.
    private void release(JoinStage stage, Part part, StageWorker worker, TileSink sink) {
        synchronized (part) {
            if (--part.morsels > 0) {
                return;
            }
        }
        worker.endPartition(stage, part.table, part.matches, sink);
        if (part.matches != null) {
            part.matches.close();
            part.matches = null;
        }
        part.table.close();
        part.table = null;
    }

    @Override
    public void close() {
        workers.values().forEach(StageWorker::close);
        for (Part part : parts) {
            if (part.table != null) {
                part.table.close();
            }
            if (part.matches != null) {
                part.matches.close();
            }
        }
        if (probes != null) {
            probes.close();
        }
        if (nextProbes != null) {
            nextProbes.close();
        }
    }
}
