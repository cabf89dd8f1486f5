package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.expr.DictionaryAnswers;
import dev.quarrel.core.cpu.expr.ProgramOutputs;
import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.join.TileChain;
import dev.quarrel.core.cpu.loop.FlatPipeline.Origin;
import dev.quarrel.core.cpu.loop.FlatPipeline.Stage;
import dev.quarrel.core.cpu.number.Range;
import dev.quarrel.core.cpu.rows.KeyIndex;
import dev.quarrel.core.cpu.rows.KeyScratch;
import dev.quarrel.core.cpu.simd.RangeKernels;
import dev.quarrel.core.cpu.sink.TileRunner;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.JoinKind;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// Runs a flat pipeline on one worker: stages narrow one mask a tile, straight from the columns' memory.
final class FusedRunner implements TileRunner {
    /// Tiles after which a worker judges the stages' order; it does so again after twice as many, and so on.
    private static final int TRIAL_TILES = 8;
    /// And at least after so many.
    private static final int JUDGED_TILES = 1 << 10;

    private final FusedPipeline fused;
    private final TileSink sink;
    private final Mask mask;
    private final int[] found;
    private final MaskStage[] stages;
    private final int movable;
    private final Matching[] matchings;
    private final ProgramOutputs[] programs;
    private final Outputs outputs;
    private final GroupTable groups;
    private TileChain chain;
    private TileRunner plain; // takes all rows after the groups' window was left
    private BatchInput input;
    private Batch batch;
    private boolean isReadable;
    private int tiles;
    private int nextJudged = TRIAL_TILES;
    private long compiledRows;

    FusedRunner(FusedPipeline fused, TileSink sink) {
        this.fused = fused;
        this.sink = sink;
        this.outputs = new Outputs();
        this.mask = new Mask(fused.tileRows());
        this.found = new int[fused.tileRows()];
        this.matchings = new Matching[fused.pipeline().joins().size()];
        this.programs = new ProgramOutputs[fused.pipeline().programs().size()];
        List<MaskStage> made = new ArrayList<>();
        for (int place = 0; place < fused.stages().size(); place++) {
            boolean isOptional = place < fused.optionalStages();
            made.add(
                    switch (fused.stages().get(place)) {
                        case Stage.InRange(Origin.Input column, Range range) ->
                            new RangeStage(column.column(), range, isOptional);
                        case Stage.OfKeys(Origin.Input column, ScanFilters.Filter filter) ->
                            new KeysStage(column.column(), filter);
                        case Stage.OfDictionary stage -> new DictionaryStage(stage);
                        case Stage.Matches(int join, JoinKind kind, List<Origin> keys) -> {
                            matchings[join] = matching(join, kind, keys);
                            yield matchings[join];
                        }
                        case Stage.Runs runs -> new ProgramStage(runs);
                    });
        }
        this.stages = made.toArray(MaskStage[]::new);
        this.movable = movable(fused.stages());
        this.groups = fused.groups() == null ? null : new GroupTable(fused.groups(), fused.tileRows(), fused.budget());
    }

    /// How many of the first stages may change places: they cannot fail, and need nothing of each other.
    private static int movable(List<Stage> stages) {
        for (int place = 0; place < stages.size(); place++) {
            boolean moves =
                    switch (stages.get(place)) {
                        case Stage.InRange _, Stage.OfKeys _, Stage.OfDictionary _ -> true;
                        case Stage.Matches(int _, JoinKind _, List<Origin> keys) ->
                            keys.stream().allMatch(key -> key instanceof Origin.Input);
                        case Stage.Runs runs ->
                            !runs.canFail()
                                    && runs.inputs().stream()
                                            .noneMatch(input -> input instanceof Origin.Payload
                                                    || input instanceof Origin.Computed);
                    };
            if (!moves) {
                return place;
            }
        }
        return stages.size();
    }

    private Matching matching(int join, JoinKind kind, List<Origin> keys) {
        JoinTable table = fused.table(join);
        return table.isDenseInteger() && keys.getFirst() instanceof Origin.Input column
                ? new DenseMatching(table, kind, column.column())
                : new IndexMatching(table, kind, keys);
    }

    @Override
    public void run(BatchInput source, Mask rows) {
        if (plain != null || groups != null && fused.groups().isLeft()) {
            runPlain(source, rows);
            return;
        }
        input = source;
        if (batch != source.batch()) {
            batch = source.batch();
            isReadable = true;
            for (MaskStage stage : stages) {
                isReadable &= stage.moveTo(batch);
            }
            isReadable &= groups == null || groups.moveTo(batch);
        }
        if (!isReadable || groups != null && !groups.holds(batch, source.firstRow(), rows.rowCount())) {
            runOtherwise(rows);
            return;
        }
        mask.set(rows);
        compiledRows += groups == null ? 0 : rows.rowCount();
        if (narrow()) {
            if (groups == null) {
                outputs.start();
                sink.consume(outputs, mask);
            } else if (!bindArrays() || !groups.add(source.firstRow(), mask)) {
                runOtherwise(rows);
            }
        }
        if (++tiles == nextJudged) {
            nextJudged += Math.min(tiles, JUDGED_TILES);
            judge();
        }
    }

    /// Runs a tile that the flat form cannot read. Groups in packed runs are of no use beside others.
    private void runOtherwise(Mask rows) {
        if (groups != null && fused.groups().window() != null) {
            runPlain(input, rows);
            return;
        }
        if (chain == null) {
            chain = fused.newChain(sink);
        }
        chain.run(input, rows);
    }

    /// Leaves the groups to the sink, this tile's and all that follow; other workers do so at their next tile.
    private void runPlain(BatchInput source, Mask rows) {
        if (plain == null) {
            fused.groups().leave();
            groups.flushTo(sink);
            plain = fused.withoutGroups().newRunner(sink);
        }
        plain.run(source, rows);
    }

    /// Gives the group loop what was computed in this tile; false if something of it is NULL.
    private boolean bindArrays() {
        for (Map.Entry<Integer, LoopSources.CellSource> entry :
                fused.groups().boundArrays().entrySet()) {
            switch (entry.getValue()) {
                case LoopSources.CellSource.Matches(int join) -> groups.bind(entry.getKey(), matchings[join].matches());
                case LoopSources.CellSource.Output(int program, int output) -> {
                    Vector vector = programs[program].get(output, mask);
                    if (vector.validity() != null) {
                        return false;
                    }
                    Object values =
                            switch (vector) {
                                case IntVector ints -> ints.values();
                                case LongVector longs -> longs.values();
                                default -> throw new IllegalStateException(vector.type() + " in a group loop");
                            };
                    groups.bind(entry.getKey(), values);
                }
                case LoopSources.CellSource.Codes _,
                        LoopSources.CellSource.Values _,
                        LoopSources.CellSource.Present _ -> {}
            }
        }
        return true;
    }

    /// The fused groups, if no row of this worker has gone elsewhere; otherwise null.
    GroupTable groupsAlone() {
        return chain == null && plain == null && groups != null && groups.isWhole() ? groups : null;
    }

    @Override
    public long takeCompiledRows() {
        long count = compiledRows;
        compiledRows = 0;
        return count;
    }

    @Override
    public void flush() {
        if (groups != null) {
            groups.flushTo(sink);
        }
    }

    @Override
    public void close() {
        if (groups != null) {
            groups.close();
        }
    }

    /// Leaves out ranges that help little, and puts what removes most rows for its cost first.
    private void judge() {
        for (MaskStage stage : stages) {
            stage.judge();
        }
        Arrays.sort(stages, 0, movable, Comparator.comparingDouble(MaskStage::rank));
        for (MaskStage stage : stages) {
            stage.forget();
        }
    }

    private boolean narrow() {
        for (MaskStage stage : stages) {
            int before = mask.count();
            stage.narrow();
            stage.count(before, mask.count());
            if (mask.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /// One stage on this worker.
    private abstract static class MaskStage {
        private long rowsIn;
        private long rowsOut;

        /// Prepares for another batch; false if the stage cannot read it.
        boolean moveTo(Batch next) {
            return true;
        }

        abstract void narrow();

        final void count(int before, int after) {
            rowsIn += before;
            rowsOut += after;
        }

        final boolean isUseful() {
            return FusedPipeline.isUseful(rowsIn, rowsOut);
        }

        final boolean filtersWell() {
            return ScanFilters.isUseful(rowsIn, rowsOut);
        }

        /// After the first tiles.
        void judge() {}

        /// Nanoseconds a row, roughly.
        abstract double cost();

        /// The cost of removing a row: what is cheapest goes first.
        final double rank() {
            double removed = rowsIn == 0 ? 0.5 : 1 - (double) rowsOut / rowsIn;
            return cost() / Math.max(removed, 1e-3);
        }

        final void forget() {
            rowsIn >>= 1;
            rowsOut >>= 1;
        }
    }

    private final class RangeStage extends MaskStage {
        private final int column;
        private final Range range;
        private final boolean isOptional;
        private FixedColumn values;
        private StoredIntegers integers;
        private boolean isOff;

        RangeStage(int column, Range range, boolean isOptional) {
            this.column = column;
            this.range = range;
            this.isOptional = isOptional;
        }

        @Override
        boolean moveTo(Batch next) {
            values = next.column(column) instanceof FixedColumn fixed ? fixed : null;
            integers = range instanceof Range.Integers ? StoredIntegers.of(next, column) : null;
            return values != null;
        }

        @Override
        void judge() {
            isOff |= isOptional && !isUseful();
        }

        @Override
        double cost() {
            return 0.15;
        }

        @Override
        void narrow() {
            if (isOff) {
                return;
            }
            int first = input.firstRow();
            keepPresent(values.validity());
            switch (range) {
                case Range.Integers(long low, long high, boolean outside) -> {
                    ColumnScans.inRange(integers, first, low, high, outside, mask);
                    input.addLoadedBytes((long) mask.rowCount() * integers.width());
                }
                case Range.Floats floats -> {
                    int width = values.type().byteWidth();
                    narrow(floats, width, (long) first * width);
                    input.addLoadedBytes((long) mask.rowCount() * width);
                }
            }
        }

        private void narrow(Range.Floats range, int width, long offset) {
            RangeKernels kernels = RangeKernels.current();
            int rows = mask.rowCount();
            long flip = range.outside() ? -1L : 0;
            if (width == 8) {
                kernels.float64(
                        values.values(), offset, rows, range.low(), range.high(), range.nan(), flip, mask.bits());
            } else {
                float low = (float) range.low();
                float high = (float) range.high();
                kernels.float32(values.values(), offset, rows, low, high, range.nan(), flip, mask.bits());
            }
            mask.recount();
        }
    }

    private final class KeysStage extends MaskStage {
        private final int column;
        private final ScanFilters.Filter filter;
        private StoredIntegers values; // or null: not of this batch
        private boolean isOff;

        KeysStage(int column, ScanFilters.Filter filter) {
            this.column = column;
            this.filter = filter;
        }

        @Override
        boolean moveTo(Batch next) {
            StoredIntegers found = StoredIntegers.of(next, column);
            values = found == null || found.width() > Long.BYTES ? null : found;
            return true;
        }

        @Override
        void judge() {
            isOff |= !filtersWell();
        }

        @Override
        double cost() {
            return filter.keys().bloom() == null ? 0.7 : 4;
        }

        @Override
        void narrow() {
            if (!isOff && values != null) {
                input.addLoadedBytes((long) mask.count() * values.width());
                ScanFilters.narrow(filter, values, input.firstRow(), mask);
            }
        }
    }

    /// Takes rows that are NULL out of the mask's bits; somebody counts them later.
    private void keepPresent(Validity validity) {
        if (!validity.isAllPresent()) {
            long[] bits = mask.bits();
            for (int word = 0; word < mask.wordCount(); word++) {
                bits[word] &= validity.word(input.firstRow() + word * 64L);
            }
        }
    }

    private final class DictionaryStage extends MaskStage {
        /// By ranges so many codes are compared while a loop over indexes does one.
        private static final int SPARSE_CODES = 32;

        private final int column;
        private final DictionaryAnswers test;
        private DictionaryColumn codes;
        // What `accepted` and `ranges` were made for: not always the batch before, which may have gone another way.
        private Dictionary tested;
        private int testedCodeBytes;
        private long[] accepted;
        private CodeRanges ranges;

        DictionaryStage(Stage.OfDictionary stage) {
            this.column = stage.column().column();
            this.test = new DictionaryAnswers(stage.condition(), fused.slotValues());
        }

        @Override
        boolean moveTo(Batch next) {
            codes = next.column(column) instanceof DictionaryColumn encoded ? encoded : null;
            if (codes == null || !codes.validity().isAllPresent() && test.acceptsNull()) {
                return false;
            }
            if (tested != codes.dictionary() || testedCodeBytes != codes.codeBytes()) {
                accepted = test.accepted(codes.dictionary());
                ranges = CodeRanges.of(accepted, codes.dictionary().size(), codes.codeBytes());
                tested = codes.dictionary();
                testedCodeBytes = codes.codeBytes();
            }
            return true;
        }

        @Override
        double cost() {
            return ranges == null ? 1.5 : 0.1 * ranges.count();
        }

        @Override
        void narrow() {
            if (!codes.validity().isAllPresent()) {
                keepPresent(codes.validity());
                mask.recount();
            }
            input.addLoadedBytes((long) mask.count() * codes.codeBytes());
            if (ranges == null || mask.isSparse(SPARSE_CODES * ranges.count())) {
                ColumnScans.codes(codes, input.firstRow(), accepted, mask);
            } else {
                ranges.narrow(codes, input.firstRow(), mask);
            }
        }
    }

    /// A join's probe; knows each surviving row's match.
    private abstract class Matching extends MaskStage {
        /// By row: the row of the build side.
        final int[] matches = new int[fused.tileRows()];
        final JoinTable table;
        final boolean isAnti;

        Matching(JoinTable table, JoinKind kind) {
            this.table = table;
            this.isAnti = kind == JoinKind.ANTI;
        }

        /// `matches`, filled for all rows that are left: who asks first may ask for some of them alone.
        abstract int[] matches();
    }

    private final class DenseMatching extends Matching {
        private final int column;
        private final int[] bitmap;
        private final long from;
        private final int last;
        private StoredIntegers keys;
        private boolean isMatched;

        DenseMatching(JoinTable table, JoinKind kind, int column) {
            super(table, kind);
            this.column = column;
            KeyIndex index = table.index();
            this.bitmap = table.bitmap();
            this.from = index.denseBase() - 1;
            this.last = index.denseSpan() - 1;
        }

        @Override
        boolean moveTo(Batch next) {
            keys = StoredIntegers.of(next, column);
            // A NULL key has no match, which is what ANTI asks for: that is left to the other form.
            return keys != null && (!isAnti || keys.validity().isAllPresent());
        }

        @Override
        double cost() {
            return 0.7;
        }

        @Override
        void narrow() {
            isMatched = false;
            if (!keys.validity().isAllPresent()) {
                keepPresent(keys.validity());
                mask.recount();
            }
            input.addLoadedBytes((long) mask.count() * keys.width());
            ColumnScans.members(keys, input.firstRow(), bitmap, from, last, isAnti, mask);
        }

        @Override
        int[] matches() {
            if (!isMatched) {
                isMatched = true;
                ColumnScans.numbers(keys, input.firstRow(), table.index().denseNumbers(), from, mask, matches);
            }
            return matches;
        }
    }

    private final class IndexMatching extends Matching {
        private final List<Origin> origins;
        private final Vector[] keys;
        private final Vector[] gathered;
        private final KeyScratch scratch;
        private final Mask present = new Mask(fused.tileRows());

        IndexMatching(JoinTable table, JoinKind kind, List<Origin> origins) {
            super(table, kind);
            this.origins = origins;
            this.keys = new Vector[origins.size()];
            this.gathered = new Vector[origins.size()];
            this.scratch = new KeyScratch(keys.length, fused.tileRows());
        }

        @Override
        double cost() {
            return 10;
        }

        @Override
        void narrow() {
            present.set(mask);
            for (int key = 0; key < keys.length; key++) {
                gathered[key] = reusable(gathered[key], origins.get(key));
                keys[key] = vector(origins.get(key), mask, gathered[key]);
                if (keys[key].validity() != null) {
                    present.setAnd(present, keys[key].validity());
                }
            }
            table.index().find(keys, present, scratch);
            int[] indexes = present.indexes();
            int count = present.count();
            int hits = 0;
            for (int index = 0; index < count; index++) {
                int number = scratch.ids[index];
                matches[indexes[index]] = number;
                found[hits] = indexes[index];
                hits += ~number >>> 31;
            }
            if (isAnti) {
                present.setIndexes(found, hits, mask.rowCount());
                mask.setAndNot(mask, present.bits());
            } else {
                mask.setIndexes(found, hits, mask.rowCount());
            }
        }

        @Override
        int[] matches() {
            return matches;
        }
    }

    private final class ProgramStage extends MaskStage implements TileInput {
        private final ProgramOutputs program;
        private final List<Origin> inputs;
        private final Vector[] gathered;

        ProgramStage(Stage.Runs runs) {
            this.program = new ProgramOutputs(runs.code(), fused.slotValues(), fused.tileRows());
            programs[runs.program()] = program;
            this.inputs = runs.inputs();
            this.gathered = new Vector[inputs.size()];
        }

        @Override
        double cost() {
            return 10;
        }

        @Override
        void narrow() {
            Mask selected = program.run(this, mask);
            if (selected != mask) {
                mask.set(selected);
            }
        }

        @Override
        public Vector load(int index, Mask rows) {
            gathered[index] = reusable(gathered[index], inputs.get(index));
            return vector(inputs.get(index), rows, gathered[index]);
        }
    }

    private Vector reusable(Vector made, Origin origin) {
        if (made != null) {
            return made;
        }
        return switch (origin) {
            case Origin.Payload(int _, int _, DataType type) -> Vector.of(type, fused.tileRows());
            case Origin.Constant(int slot, DataType _) ->
                Vector.constant(fused.slotValues().get(slot), fused.tileRows());
            case Origin.Input _, Origin.Computed _ -> null;
        };
    }

    private Vector vector(Origin origin, Mask rows, Vector own) {
        return switch (origin) {
            case Origin.Input(int column, DataType _) -> input.load(column, rows);
            case Origin.Computed(int program, int output, DataType _) -> programs[program].get(output, rows);
            case Origin.Constant _ -> own;
            case Origin.Payload(int join, int column, DataType _) -> {
                fused.table(join).payload(column).gather(matchings[join].matches(), rows, own, false);
                yield own;
            }
        };
    }

    /// The surviving rows' outputs.
    private final class Outputs implements TileOutputs {
        private final Vector[] gathered = new Vector[fused.outputs().size()];
        private final boolean[] isLoaded = new boolean[gathered.length];

        void start() {
            for (int output = 0; output < isLoaded.length; output++) {
                isLoaded[output] = false;
            }
        }

        @Override
        public Vector get(int output, Mask rows) {
            Origin origin = fused.outputs().get(output);
            gathered[output] = reusable(gathered[output], origin);
            if (!(origin instanceof Origin.Payload)) {
                return vector(origin, rows, gathered[output]);
            }
            if (!isLoaded[output]) {
                isLoaded[output] = true;
                vector(origin, mask, gathered[output]);
            }
            return gathered[output];
        }
    }
}
