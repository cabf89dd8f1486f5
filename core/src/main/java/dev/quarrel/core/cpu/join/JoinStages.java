package dev.quarrel.core.cpu.join;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.group.AggregateSink;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sink.MemoryPressure;
import dev.quarrel.core.cpu.sink.PartitionedRows;
import dev.quarrel.core.cpu.sink.SinkSpill;
import dev.quarrel.core.cpu.sink.SpillingSink;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.ir.Join;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.ProgramBuilder;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.ir.Source;
import dev.quarrel.core.spill.ScratchMemory;
import dev.quarrel.core.spill.SpillFile;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// A pipeline some of whose build sides are in files, cut in stages there.
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
    private final List<Stage> stages = new ArrayList<>();
    private final Map<Join, JoinTable> tables = new HashMap<>();
    private final Map<TileSink, Worker> workers = new IdentityHashMap<>(); // by the pipeline's sink there
    private int current;
    private PartitionedRows probes; // what the current stage reads
    private PartitionedRows nextProbes; // and what it writes
    private Part[] parts = new Part[0];

    /// One stage: a pipeline of its own.
    ///
    /// @param build the build side of its first join; null in the first stage
    /// @param nullKeys whether some row of it has a NULL key
    /// @param written the last program's outputs that the next stage reads, its keys first; null in the last stage
    private record Stage(Pipeline pipeline, SpilledBuild build, boolean nullKeys, int[] written) {
        Stage(Pipeline pipeline, SpilledBuild build, int[] written) {
            this(pipeline, build, build != null && hasNullKeys(build), written);
        }

        private static boolean hasNullKeys(SpilledBuild build) {
            int keyCount = ((Sink.HashBuild) build.pipeline().sink()).keys().size();
            return build.partitions().all().stream()
                    .anyMatch(chunk -> IntStream.range(0, keyCount).anyMatch(chunk::hasNulls));
        }

        JoinKind kind() {
            return join().kind();
        }

        Join join() {
            return pipeline.joins().getFirst();
        }

        /// Whether every build row is a candidate for every probe row.
        boolean isLoop() {
            return join().keys().isEmpty();
        }

        /// The same with another kind of its first join.
        Stage with(JoinKind kind) {
            List<Join> joins = new ArrayList<>(pipeline.joins());
            Join join = join();
            joins.set(0, new Join(kind, join.build(), join.keys(), join.carried(), join.payload(), join.residual()));
            return new Stage(
                    new Pipeline(pipeline.id(), pipeline.source(), pipeline.programs(), joins, pipeline.sink()),
                    build,
                    nullKeys,
                    written);
        }

        /// Whether a partition with rows of these sides has something to do.
        boolean hasWork(boolean anyProbe, boolean anyBuild) {
            return anyProbe && (anyBuild || !kind().needsMatch())
                    || anyBuild && kind().emitsBuildRows() && kind() != JoinKind.RIGHT_SEMI;
        }

        List<DataType> writtenTypes() {
            List<DataType> types = pipeline.lastProgram().outputTypes();
            return IntStream.of(written).mapToObj(types::get).toList();
        }
    }

    /// One partition of the current stage.
    private static final class Part {
        private int morsels;
        private boolean isCut; // too large for a table: one morsel cuts it
        private JoinTable table;
        private BuildMatches matches; // or null: build rows do not follow
    }

    /// Rows of one side in a file.
    private record Rows(SpillFile file, List<SpillFile.Chunk> chunks) {
        static Rows of(PartitionedRows from, int partition) {
            return new Rows(from.file(), from.partition(partition));
        }

        static Rows all(PartitionedRows from) {
            return new Rows(from.file(), from.all());
        }

        boolean isEmpty() {
            return chunks.isEmpty();
        }

        long count() {
            return PartitionedRows.rowCount(chunks);
        }

        /// Some of the chunks, as far as they are there.
        Rows slice(int from, int end) {
            return new Rows(file, chunks.subList(from, Math.min(chunks.size(), end)));
        }
    }

    /// What a worker keeps from morsel to morsel.
    private static final class Worker {
        private ProbeSink probe;
        private TileSink last; // where rows of this morsel go
        private int partition = -1;
        private TileChain chain;
        private BatchInput input;
        private Mask all;
    }

    private JoinStages(PipelineContext context, int tileRows, MemoryPressure pressure) {
        this.context = context;
        this.tileRows = tileRows;
        this.pressure = pressure;
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
        JoinStages made = new JoinStages(context, tileRows, new MemoryPressure(context.budget(), threads));
        SpilledBuild build = null;
        Source source = pipeline.source();
        List<Program> programs = new ArrayList<>();
        List<Join> joins = new ArrayList<>();
        programs.add(pipeline.programs().getFirst());
        for (int index = 0; index < pipeline.joins().size(); index++) {
            Join join = pipeline.joins().get(index);
            Materialized built = context.materialized(join.build());
            if (built instanceof SpilledBuild spilled) {
                int[] written = written(join);
                Pipeline part = new Pipeline(
                        pipeline.id(),
                        source,
                        programs,
                        joins,
                        new Sink.Sort(List.of(), Sink.Bound.ZERO, Sink.Bound.NONE));
                Stage stage = new Stage(part, build, written);
                made.stages.add(stage);
                build = spilled;
                source = new Source.Rows(pipeline.id(), stage.writtenTypes());
                programs = new ArrayList<>(List.of(ProgramBuilder.identity(stage.writtenTypes())));
                joins = new ArrayList<>(List.of(renumbered(join, written)));
            } else {
                joins.add(join);
            }
            programs.add(pipeline.programs().get(index + 1));
        }
        if (build == null) {
            return null;
        }
        made.stages.add(new Stage(new Pipeline(pipeline.id(), source, programs, joins, pipeline.sink()), build, null));
        made.nextProbes = new PartitionedRows(context, pipeline.id(), 0);
        return made;
    }

    /// The outputs of the program before a join that it reads, keys first.
    private static int[] written(Join join) {
        List<Integer> outputs = new ArrayList<>(join.keys());
        List<Integer> others = new ArrayList<>(join.carried());
        if (join.residual() != null) {
            others.addAll(join.residual().carried());
        }
        others.stream().distinct().filter(output -> !outputs.contains(output)).forEach(outputs::add);
        return outputs.stream().mapToInt(Integer::intValue).toArray();
    }

    private static Join renumbered(Join join, int[] written) {
        List<Integer> places = IntStream.of(written).boxed().toList();
        return new Join(
                join.kind(),
                join.build(),
                IntStream.range(0, join.keys().size()).boxed().toList(),
                join.carried().stream().map(places::indexOf).toList(),
                join.payload(),
                join.residual() == null
                        ? null
                        : new Join.Residual(
                                join.residual().carried().stream()
                                        .map(places::indexOf)
                                        .toList(),
                                join.residual().payload(),
                                join.residual().program()));
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
        TileSink probe = worker(sink).probe;
        return probe == null ? sink : probe; // a worker that comes late runs no tile of the first stage
    }

    private ProbeSink probe(Stage stage) {
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
            for (Worker worker : workers.values()) {
                worker.probe.flush();
                worker.probe.close();
                worker.probe = null;
                worker.partition = -1;
                worker.chain = null;
                worker.input = null;
            }
            if (probes != null) {
                probes.close();
            }
            probes = nextProbes;
            nextProbes = null;
            current++;
            if (current + 1 < stages.size()) {
                nextProbes = new PartitionedRows(
                        context, stages.getFirst().pipeline().id(), 0);
                for (Worker worker : workers.values()) {
                    worker.probe = probe(stages.get(current));
                }
            }
            addMorsels(firstIndex, morsels);
        }
        return morsels;
    }

    private void addMorsels(int firstIndex, List<Morsel> morsels) {
        parts = new Part[PartitionedRows.PARTITIONS];
        Stage stage = stages.get(current);
        for (int partition = 0; partition < parts.length; partition++) {
            parts[partition] = new Part();
            List<SpillFile.Chunk> rows = probes.partition(partition);
            Rows built = Rows.of(stage.build().partitions(), partition);
            if (!stage.hasWork(!rows.isEmpty(), !built.isEmpty())) {
                continue;
            }
            parts[partition].isCut = !fits(built);
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

    /// Whether each worker may have a table of so many rows.
    private boolean fits(Rows built) {
        long bytes = 2 * PartitionedRows.bytes(built.chunks()) + built.count() * BuildSpill.INDEX_ROW_BYTES;
        return pressure.fits(2 * bytes * pressure.threads());
    }

    /// Runs a morsel of the current stage.
    ///
    /// @param sink the pipeline's on this worker
    /// @param spill of that sink, or null
    public void run(Morsel morsel, TileSink sink, SinkSpill spill) {
        Stage stage = stages.get(current);
        int partition = morsel.batch() - FIRST_BATCH;
        Worker worker = worker(sink);
        worker.last = worker.probe != null ? worker.probe : spill == null ? sink : new SpillingSink(sink, spill);
        sink.startMorsel(morsel);
        Rows rows = Rows.of(probes, partition).slice(morsel.firstRow(), morsel.firstRow() + morsel.rowCount());
        if (parts[partition].isCut) {
            joinCut(stage, Rows.of(stage.build().partitions(), partition), rows, 0, worker);
        } else {
            Part part = open(stage, partition);
            if (worker.partition != partition) {
                worker.partition = partition;
                worker.chain = chain(stage, part.table, part.matches, worker);
            }
            probe(stage, worker, worker.chain, rows, sink);
            release(stage, part, worker, sink);
        }
        sink.endMorsel(morsel);
    }

    private Worker worker(TileSink sink) {
        synchronized (workers) {
            return workers.computeIfAbsent(sink, _ -> {
                Worker made = new Worker();
                if (nextProbes != null) {
                    made.probe = probe(stages.get(current));
                }
                return made;
            });
        }
    }

    private Part open(Stage stage, int partition) {
        Part part = parts[partition];
        synchronized (part) {
            if (part.table == null) {
                part.table = load(stage, Rows.of(stage.build().partitions(), partition));
                part.matches = matches(stage, part.table);
            }
            return part;
        }
    }

    /// Flags for build rows, where such follow after the probe rows; else null.
    private BuildMatches matches(Stage stage, JoinTable table) {
        return stage.kind().emitsBuildRows() ? new BuildMatches((int) table.rowCount(), context.budget()) : null;
    }

    /// Ends a morsel of a partition; the last one hands on the build rows that follow, and frees the table.
    private void release(Stage stage, Part part, Worker worker, TileSink sink) {
        synchronized (part) {
            if (--part.morsels > 0) {
                return;
            }
        }
        if (part.matches != null) {
            handOnBuild(stage, part.table, part.matches, worker.chain, sink);
            part.matches.close();
            part.matches = null;
        }
        part.table.close();
        part.table = null;
        worker.partition = -1;
    }

    private void handOnBuild(Stage stage, JoinTable table, BuildMatches matches, TileChain chain, TileSink sink) {
        int flag = stage.kind() == JoinKind.RIGHT_SEMI ? 1 : 0;
        int rows = (int) table.rowCount();
        for (int first = 0; first < rows && !sink.isMorselDone(); first += tileRows) {
            context.cancellation().check();
            chain.runBuild(0, first, Math.min(tileRows, rows - first), matches.flags(), flag);
        }
    }

    private JoinTable load(Stage stage, Rows built) {
        Pipeline build = stage.build().pipeline();
        RowStore rows = new RowStore(build.rowTypes(), context.budget());
        try (ScratchMemory scratch = new ScratchMemory(context.budget())) {
            for (SpillFile.Chunk chunk : built.chunks()) {
                context.cancellation().check();
                rows.append(built.file().read(chunk, scratch), tileRows);
                scratch.reset();
            }
        } catch (RuntimeException | Error problem) {
            rows.close();
            throw problem;
        }
        return table(stage, rows);
    }

    private TileChain chain(Stage stage, JoinTable table, BuildMatches matches, Worker worker) {
        List<JoinTable> all = new ArrayList<>();
        all.add(table);
        stage.pipeline().joins().stream().skip(1).map(tables::get).forEach(all::add);
        List<BuildMatches> flags = new ArrayList<>(Collections.nCopies(all.size(), null));
        flags.set(0, matches);
        return new TileChain(
                stage.pipeline(), all, flags, context.slotValues(), tileRows, context.cancellation(), worker.last);
    }

    private void probe(Stage stage, Worker worker, TileChain chain, Rows rows, TileSink sink) {
        if (worker.input == null) {
            worker.input = new BatchInput(stage.pipeline().source().types(), tileRows);
            worker.all = new Mask(tileRows);
        }
        try (ScratchMemory scratch = new ScratchMemory(context.budget())) {
            for (SpillFile.Chunk chunk : rows.chunks()) {
                context.cancellation().check();
                Batch batch = rows.file().read(chunk, scratch);
                for (int first = 0; first < batch.rowCount() && !sink.isMorselDone(); first += tileRows) {
                    int count = Math.min(tileRows, batch.rowCount() - first);
                    worker.all.setAll(count);
                    worker.input.moveTo(batch, first, count);
                    chain.run(worker.input, worker.all);
                }
                scratch.reset();
            }
        }
    }

    /// Joins a partition too large for a table: cuts both sides by further bits of the hash.
    private void joinCut(Stage stage, Rows built, Rows rows, int firstBit, Worker worker) {
        int nextBit = firstBit + PartitionedRows.BITS;
        if (!stage.hasWork(!rows.isEmpty(), !built.isEmpty())) {
            return;
        }
        if (fits(built)) {
            probeWith(load(stage, built), stage, rows, worker);
            return;
        }
        if (stage.isLoop() || nextBit > PartitionedRows.MAX_FIRST_BIT) {
            joinSkewed(stage, built, rows, worker);
            return;
        }
        int keyCount = stage.join().keys().size();
        try (PartitionedRows smallerBuild = cut(built, stage.build().pipeline().rowTypes(), keyCount, nextBit)) {
            for (int part = 0; part < PartitionedRows.PARTITIONS; part++) {
                if (PartitionedRows.rowCount(smallerBuild.partition(part)) == built.count()) {
                    joinSkewed(stage, built, rows, worker);
                    return;
                }
            }
            try (PartitionedRows smallerProbe =
                    cut(rows, stage.pipeline().source().types(), keyCount, nextBit)) {
                for (int part = 0; part < PartitionedRows.PARTITIONS; part++) {
                    joinCut(stage, Rows.of(smallerBuild, part), Rows.of(smallerProbe, part), nextBit, worker);
                }
            }
        }
    }

    /// Joins build rows that the hash does not tell apart, for most of them have one key, or there is none: in slices
    /// that fit, or by the distinct keys where only they count.
    private void joinSkewed(Stage stage, Rows built, Rows rows, Worker worker) {
        boolean isByKeys = stage.join().residual() == null && !stage.isLoop();
        switch (stage.kind()) {
            // Of a slice, as of a partition, the build rows without a match are known when all probe rows have come.
            case INNER, RIGHT, RIGHT_SEMI, RIGHT_ANTI -> {
                for (Rows slice : slices(built)) {
                    probeWith(load(stage, slice), stage, rows, worker);
                }
            }
            case SEMI, ANTI -> {
                if (isByKeys) {
                    probeWith(distinct(stage, built), stage, rows, worker);
                } else {
                    joinSlices(stage, built, rows, worker);
                }
            }
            case LEFT, FULL -> joinSlices(stage, built, rows, worker);
            // With a further condition the rows fit without room to spare, or the query ends here.
            case MARK, MARK_IN ->
                probeWith(isByKeys ? distinct(stage, built) : load(stage, built), stage, rows, worker);
        }
    }

    private List<Rows> slices(Rows built) {
        List<Rows> slices = new ArrayList<>();
        int count = built.chunks().size();
        int from = 0;
        while (from < count) {
            int end = from + 1;
            while (end < count && fits(built.slice(from, end + 1))) {
                end++;
            }
            slices.add(built.slice(from, end));
            from = end;
        }
        return slices;
    }

    /// Joins slice by slice, where it counts whether a probe row has a match in any: the rows without one go on to the
    /// next slice by a file, and those left over at the end are rows without a match.
    private void joinSlices(Stage stage, Rows built, Rows rows, Worker worker) {
        Rows unmatched = rows;
        PartitionedRows kept = null; // what `unmatched` lies in, unless that is the first file
        try {
            for (Rows slice : slices(built)) {
                PartitionedRows next = new PartitionedRows(
                        context, stages.getFirst().pipeline().id(), 0);
                boolean isDone = false;
                try (JoinTable table = load(stage, slice)) {
                    switch (stage.kind()) {
                        case SEMI -> probeTable(table, stage, unmatched, worker);
                        case LEFT -> probeTable(table, stage.with(JoinKind.INNER), rows, worker);
                        case FULL -> probeTable(table, stage.with(JoinKind.RIGHT), rows, worker);
                        case ANTI, INNER, RIGHT, RIGHT_SEMI, RIGHT_ANTI, MARK, MARK_IN -> {}
                    }
                    keepUnmatched(stage, table, unmatched, worker, next);
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
                unmatched = Rows.all(next);
            }
            if (stage.kind() != JoinKind.SEMI) {
                Stage rest = stage.kind() == JoinKind.FULL ? stage.with(JoinKind.LEFT) : stage;
                JoinTable none =
                        table(stage, new RowStore(stage.build().pipeline().rowTypes(), context.budget()));
                probeWith(none, rest, unmatched, worker);
            }
        } finally {
            if (kept != null) {
                kept.close();
            }
        }
    }

    /// Writes the probe rows that have no match in a table to a file.
    private void keepUnmatched(Stage stage, JoinTable table, Rows rows, Worker worker, PartitionedRows to) {
        List<DataType> types = stage.pipeline().source().types();
        List<Integer> all = IntStream.range(0, types.size()).boxed().toList();
        Join join = stage.join();
        Pipeline anti = new Pipeline(
                stage.pipeline().id(),
                stage.pipeline().source(),
                List.of(ProgramBuilder.identity(types), ProgramBuilder.identity(types)),
                List.of(new Join(JoinKind.ANTI, join.build(), join.keys(), all, List.of(), join.residual())),
                new Sink.Sort(List.of(), Sink.Bound.ZERO, Sink.Bound.NONE));
        int[] outputs = IntStream.range(0, types.size()).toArray();
        try (ProbeSink kept = new ProbeSink(outputs, types, join.keys().size(), to, pressure)) {
            TileChain chain =
                    new TileChain(anti, List.of(table), context.slotValues(), tileRows, context.cancellation(), kept);
            probe(stage, worker, chain, rows, kept);
            kept.flush();
        }
    }

    /// @param table closed here
    private void probeWith(JoinTable table, Stage stage, Rows rows, Worker worker) {
        try (table) {
            probeTable(table, stage, rows, worker);
        }
    }

    private void probeTable(JoinTable table, Stage stage, Rows rows, Worker worker) {
        try (BuildMatches matches = matches(stage, table)) {
            TileChain chain = chain(stage, table, matches, worker);
            probe(stage, worker, chain, rows, worker.last);
            if (matches != null) {
                handOnBuild(stage, table, matches, chain, worker.last);
            }
        }
    }

    /// A table of the distinct keys alone.
    private JoinTable distinct(Stage stage, Rows built) {
        Pipeline build = stage.build().pipeline();
        int keyCount = ((Sink.HashBuild) build.sink()).keys().size();
        List<DataType> types = build.rowTypes().subList(0, keyCount);
        List<Integer> keys = IntStream.range(0, keyCount).boxed().toList();
        Pipeline grouping = new Pipeline(
                build.id(),
                new Source.Rows(build.id(), types),
                List.of(ProgramBuilder.identity(types)),
                List.of(),
                new Sink.Aggregate(keys, List.of()));
        RowStore rows = new RowStore(types, context.budget());
        try (ScratchMemory scratch = new ScratchMemory(context.budget());
                AggregateSink groups = new AggregateSink(grouping, tileRows, context.budget());
                BudgetArena arena = new BudgetArena(context.budget())) {
            for (SpillFile.Chunk chunk : built.chunks()) {
                context.cancellation().check();
                Batch batch = built.file().read(chunk, scratch);
                groups.transferIn(
                        Batch.view(RowStore.schema(types), batch.columns().subList(0, keyCount), batch.rowCount()));
                scratch.reset();
            }
            for (Batch batch : groups.results(types, arena)) {
                rows.append(batch, tileRows);
            }
        } catch (RuntimeException | Error problem) {
            rows.close();
            throw problem;
        }
        return table(stage, rows);
    }

    private JoinTable table(Stage stage, RowStore rows) {
        Pipeline build = stage.build().pipeline();
        int keyCount = ((Sink.HashBuild) build.sink()).keys().size();
        try (JoinBuild table = new JoinBuild(build, List.of(rows), keyCount, tileRows, context.budget(), false)) {
            JoinTable made = table.finish();
            made.standFor(stage.nullKeys());
            return made;
        }
    }

    private PartitionedRows cut(Rows from, List<DataType> types, int keyCount, int firstBit) {
        PartitionedRows smaller =
                new PartitionedRows(context, stages.getFirst().pipeline().id(), firstBit);
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

    @Override
    public void close() {
        for (Worker worker : workers.values()) {
            if (worker.probe != null) {
                worker.probe.close();
            }
        }
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
