package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.cpu.loop.PackedGroups.Run;
import dev.quarrel.core.cpu.rows.RowStore;
import dev.quarrel.core.cpu.sink.Ending;
import dev.quarrel.core.device.Materialized;
import dev.quarrel.core.device.PipelineContext;
import dev.quarrel.core.device.RowBatches;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// The end of an aggregation whose groups are all packed in runs of ascending keys. Where only one run has keys,
/// its groups become rows as they lie; where several runs overlap, or runs are short, their groups are merged,
/// some thousand keys at a time.
public final class ClusteredGroups implements Ending {
    private static final int PARTS_A_WORKER = 4;
    /// Shorter runs are put together.
    private static final int MIN_ROWS = 1 << 10;
    /// Of a batch whose results are computed.
    private static final int COMPUTED_ROWS = 1 << 14;

    private final FusedGroups groups;
    private final Pipeline pipeline;
    private final PipelineContext context;
    private final int tileRows;
    private final List<PackedGroups> packed;
    private final List<Piece> pieces;
    private final int[] starts; // by part: its first piece
    private final Part[] parts;
    private final boolean hasComputed;

    private record Part(PackedGroups merged, BudgetArena arena, List<Batch> batches) {}

    /// Some groups that become rows.
    private sealed interface Piece {
        long rows();

        /// Rows [from, to) of a run: nobody else has their keys.
        record Alone(Run run, int from, int to) implements Piece {
            @Override
            public long rows() {
                return to - from;
            }
        }

        /// All groups with keys [first, last], no more than a window holds.
        ///
        /// @param rows of all runs, before they are merged
        record Merged(long first, long last, List<Run> runs, long rows) implements Piece {}
    }

    /// Keys [first, last].
    private record Zone(long first, long last) {}

    private ClusteredGroups(
            FusedGroups groups,
            Pipeline pipeline,
            PipelineContext context,
            int tileRows,
            List<PackedGroups> packed,
            List<Piece> pieces) {
        this.groups = groups;
        this.pipeline = pipeline;
        this.context = context;
        this.tileRows = tileRows;
        this.packed = packed;
        this.pieces = pieces;
        this.hasComputed = IntStream.range(0, groups.calls().size()).anyMatch(call -> word(groups, call) < 0);
        this.starts = starts(pieces, packed.size() * PARTS_A_WORKER);
        this.parts = new Part[starts.length - 1];
    }

    /// The end of such an aggregation, or null where a worker has groups elsewhere, or memory is short.
    public static ClusteredGroups of(
            FusedGroups groups, Pipeline pipeline, PipelineContext context, int tileRows, List<SinkState> states) {
        List<PackedGroups> packed = new ArrayList<>();
        for (SinkState state : states) {
            GroupTable table = ((CpuWorker) state).runner() instanceof FusedRunner runner ? runner.groupsAlone() : null;
            if (table == null) {
                return null;
            }
            packed.add(table.packed());
        }
        if (packed.isEmpty()) {
            return null;
        }
        List<Piece> pieces = pieces(groups, context, packed);
        long bytes = 0;
        for (Piece piece : pieces) {
            bytes += piece.rows() * resultBytes(groups, piece instanceof Piece.Merged);
        }
        return bytes + 2 * scratchBytes(groups) * states.size()
                        > context.budget().availableBytes()
                ? null
                : new ClusteredGroups(groups, pipeline, context, tileRows, packed, pieces);
    }

    private static long scratchBytes(FusedGroups groups) {
        return (groups.stateWords() + (long) COMPUTED_ROWS * groups.words()) * Long.BYTES;
    }

    /// What a row of the result takes beside the workers' runs.
    private static long resultBytes(FusedGroups groups, boolean isMerged) {
        long bytes = isMerged ? PackedGroups.rowBytes(groups) : 0;
        for (int call = 0; call < groups.calls().size(); call++) {
            bytes += word(groups, call) < 0 ? resultType(groups, call).byteWidth() : 0;
        }
        return bytes;
    }

    private static DataType resultType(FusedGroups groups, int number) {
        AggregateCall call = groups.calls().get(number);
        return call.resultType(call.argument() < 0 ? null : groups.type(call));
    }

    /// The word of the states that is the aggregate's result as it is, or -1.
    private static int word(FusedGroups groups, int number) {
        boolean isWord = resultType(groups, number).byteWidth() == Long.BYTES;
        return switch (groups.calls().get(number).kind()) {
            case COUNT_STAR, COUNT -> 0;
            case SUM, MIN, MAX -> isWord ? groups.firstWord(number) : -1;
            default -> -1;
        };
    }

    // ---- pieces

    private static List<Piece> pieces(FusedGroups groups, PipelineContext context, List<PackedGroups> packed) {
        List<Run> runs = new ArrayList<>();
        packed.forEach(groupsOfWorker -> runs.addAll(groupsOfWorker.runs()));
        runs.sort(Comparator.comparingLong(Run::first));
        List<Zone> zones = zones(runs, groups.places() / 4);
        List<Piece> pieces = new ArrayList<>();
        addAlone(runs, zones, pieces);
        addMerged(runs, zones, groups.places(), context, pieces);
        return pieces;
    }

    /// Where several runs have keys, or short ones have; zones with little between them are one.
    private static List<Zone> zones(List<Run> runs, int gap) {
        List<Zone> zones = new ArrayList<>();
        long end = Long.MIN_VALUE;
        boolean isFirst = true;
        for (Run run : runs) {
            if (!isFirst && run.first() <= end) {
                add(zones, run.first(), Math.min(run.last(), end), gap);
            }
            if (run.count() < MIN_ROWS) {
                add(zones, run.first(), run.last(), gap);
            }
            end = isFirst ? run.last() : Math.max(end, run.last());
            isFirst = false;
        }
        return zones;
    }

    private static void add(List<Zone> zones, long first, long last, int gap) {
        Zone before = zones.isEmpty() ? null : zones.getLast();
        if (before != null && (first <= before.last() || Long.compareUnsigned(first - before.last(), gap) < 0)) {
            zones.set(zones.size() - 1, new Zone(before.first(), Math.max(before.last(), last)));
        } else {
            zones.add(new Zone(first, last));
        }
    }

    /// The runs' rows outside the zones.
    private static void addAlone(List<Run> runs, List<Zone> zones, List<Piece> pieces) {
        int firstZone = 0;
        for (Run run : runs) {
            while (firstZone < zones.size() && zones.get(firstZone).last() < run.first()) {
                firstZone++;
            }
            int from = 0;
            for (int zone = firstZone; zone < zones.size() && zones.get(zone).first() <= run.last(); zone++) {
                addAlone(run, from, run.rowOf(zones.get(zone).first()), pieces);
                long last = zones.get(zone).last();
                from = last >= run.last() ? run.count() : run.rowOf(last + 1);
            }
            addAlone(run, from, run.count(), pieces);
        }
    }

    private static void addAlone(Run run, int from, int to, List<Piece> pieces) {
        for (int first = from; first < to; first += RowStore.BATCH_ROWS) {
            pieces.add(new Piece.Alone(run, first, Math.min(to, first + RowStore.BATCH_ROWS)));
        }
    }

    /// The zones, in stretches that a window holds.
    private static void addMerged(
            List<Run> runs, List<Zone> zones, int places, PipelineContext context, List<Piece> pieces) {
        List<Run> active = new ArrayList<>();
        int nextRun = 0;
        for (Zone zone : zones) {
            context.cancellation().check();
            long first = zone.first();
            while (true) {
                boolean isLast = Long.compareUnsigned(zone.last() - first, places) < 0;
                long last = isLast ? zone.last() : first + places - 1;
                while (nextRun < runs.size() && runs.get(nextRun).first() <= last) {
                    active.add(runs.get(nextRun++));
                }
                long start = first;
                active.removeIf(run -> run.last() < start);
                long rows = 0;
                for (Run run : active) {
                    rows += rows(run, first, last);
                }
                if (rows > 0) {
                    pieces.add(new Piece.Merged(first, last, List.copyOf(active), rows));
                }
                if (isLast) {
                    break;
                }
                first = last + 1;
            }
        }
    }

    private static int rows(Run run, long first, long last) {
        return end(run, last) - run.rowOf(first);
    }

    private static int end(Run run, long last) {
        return last >= run.last() ? run.count() : run.rowOf(last + 1);
    }

    /// Steps by parts of about as many rows each.
    private static int[] starts(List<Piece> pieces, int parts) {
        long rows = pieces.stream().mapToLong(Piece::rows).sum();
        int[] starts = new int[Math.clamp(pieces.size(), 1, parts) + 1];
        int piece = 0;
        long done = 0;
        for (int part = 1; part < starts.length; part++) {
            while (piece < pieces.size() && done < rows * part / (starts.length - 1)) {
                done += pieces.get(piece++).rows();
            }
            starts[part] = piece;
        }
        starts[starts.length - 1] = pieces.size();
        return starts;
    }

    // ---- rows

    @Override
    public int beginRound(int round) {
        return round == 0 ? parts.length : 0;
    }

    @Override
    public void run(int part) {
        Part made = new Part(
                new PackedGroups(groups, context.budget()), new BudgetArena(context.budget()), new ArrayList<>());
        parts[part] = made;
        List<Piece> own = pieces.subList(starts[part], starts[part + 1]);
        long left = own.stream()
                .filter(Piece.Merged.class::isInstance)
                .mapToLong(Piece::rows)
                .sum();
        try (Reservation reservation = new Reservation(context.budget())) {
            reservation.grow(scratchBytes(groups));
            GroupStretch window = null;
            Rows rows = new Rows(made);
            for (Piece piece : own) {
                context.cancellation().check();
                switch (piece) {
                    case Piece.Alone(Run run, int from, int to) -> rows.add(run, from, to);
                    case Piece.Merged zone -> {
                        if (window == null) {
                            long[] states = new long[groups.stateWords()];
                            window = new GroupStretch(groups, states, tileRows, made.merged());
                        }
                        merge(zone, window, made.merged(), left);
                        left -= zone.rows();
                    }
                }
            }
            for (Run run : made.merged().whole()) {
                rows.add(run, 0, run.count());
            }
        }
    }

    private void merge(Piece.Merged zone, GroupStretch window, PackedGroups into, long rowsLeft) {
        into.addRoom((int) Math.min(zone.rows(), groups.places()), rowsLeft);
        window.start(zone.first());
        for (Run run : zone.runs()) {
            window.add(run, run.rowOf(zone.first()), end(run, zone.last()));
        }
        window.pack();
    }

    /// A part's batches.
    private final class Rows {
        private final Part part;
        private final Schema schema = RowStore.schema(pipeline.rowTypes());
        private final int[] at = new int[hasComputed ? COMPUTED_ROWS : 0];
        private final GroupColumns states = new GroupColumns(groups, new long[at.length * groups.words()]);

        Rows(Part part) {
            this.part = part;
            Arrays.setAll(at, index -> index * groups.words());
        }

        void add(Run run, int from, int to) {
            int most = hasComputed ? COMPUTED_ROWS : RowStore.BATCH_ROWS;
            for (int first = from; first < to; first += most) {
                context.cancellation().check();
                addBatch(run, first, Math.min(most, to - first));
            }
        }

        private void addBatch(Run run, int from, int count) {
            if (hasComputed) {
                run.copyStates(from, count, states.states());
            }
            List<Column> columns = new ArrayList<>();
            columns.add(run.keys(from, count));
            for (int call = 0; call < groups.calls().size(); call++) {
                int word = word(groups, call);
                columns.add(
                        word < 0
                                ? states.result(call, at, count, part.arena())
                                : run.words(word, from, count, resultType(groups, call)));
            }
            part.batches().add(Batch.view(schema, columns, count));
            context.counters().rowsOut.add(count);
        }
    }

    @Override
    public Materialized finish() {
        List<BudgetArena> arenas = new ArrayList<>();
        List<Batch> batches = new ArrayList<>();
        for (Part part : parts) {
            batches.addAll(part.batches());
            arenas.add(part.arena());
            arenas.addAll(part.merged().takeArenas());
        }
        Arrays.fill(parts, null);
        packed.forEach(runs -> arenas.addAll(runs.takeArenas()));
        return new RowBatches(pipeline, batches, () -> arenas.forEach(BudgetArena::close));
    }

    @Override
    public void close() {
        for (Part part : parts) {
            if (part != null) {
                part.arena().close();
                part.merged().close();
            }
        }
        Arrays.fill(parts, null);
    }
}
