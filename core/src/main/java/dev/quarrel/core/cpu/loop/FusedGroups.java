package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.loop.FlatPipeline.Origin;
import dev.quarrel.core.cpu.loop.FlatPipeline.Stage;
import dev.quarrel.core.cpu.loop.LoopCompiler.Fold;
import dev.quarrel.core.cpu.loop.LoopSources.CellSource;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The mapping of a flat pipeline's groups to places of one small array of states, which compiled loops fill.
/// Every key column has few values, known beforehand (a dictionary's codes, a build side's values, a range by
/// statistics), and every aggregate is a count, a sum of integers, a minimum or a maximum.
///
/// Where only the keys are wanted (DISTINCT) a place is a bit: 64 times as many groups stay as near.
///
/// Made once a pipeline; each worker has its [GroupTable].
public final class FusedGroups {
    /// Words of all states: they should stay near the core.
    private static final long MAX_WORDS = 1 << 16;
    /// And where there are rows enough for more groups: what is hit at random in memory beats a hash table still.
    private static final long MANY_WORDS = 1 << 24;
    /// Places are ints.
    private static final long MAX_BITS = 1 << 30;
    /// Words of the states of a window: near the core.
    private static final int WINDOW_WORDS = 1 << 15;
    /// Tables below it do not pay for a compiled loop.
    private static final long MIN_ROWS = 50_000;

    /// What a [GroupStretch] needs to know.
    ///
    /// @param column of the loop: the keys
    /// @param baseScalar of the loop: the key at the first place
    /// @param type the key's
    record Window(int column, int baseScalar, DataType type) {}

    private final FusedPipeline fused;
    private final List<GroupKey> keys = new ArrayList<>();
    private final List<AggregateCall> calls;
    private final int[] strides;
    private final boolean isSet;
    private final int words;
    private final int places;
    private final long maxPlaces;
    private final LoopSources sources = new LoopSources();
    private final LoopTerms terms;
    private final Map<Integer, Integer> joinDigits = new HashMap<>();
    private final List<LoopCompiler.Update> updates = new ArrayList<>();
    private final int[] firstWord;
    private Term place;
    private Window window; // or null
    private volatile boolean isLeft;

    /// The form, or null if there is none.
    ///
    /// @param columns of the scan, as indexes into the table's
    static FusedGroups of(FusedPipeline fused, Table table, int[] columns, DeviceConfig config) {
        if (!(fused.pipeline().sink() instanceof Sink.Aggregate sink)
                || table == null
                || config.tier() != DeviceConfig.Tier.COMPILED && table.stats().rowCount() < MIN_ROWS) {
            return null;
        }
        try {
            return new FusedGroups(fused, sink, table, columns, config.threads(), false);
        } catch (NotFused _) {
            // Rows may still lie clustered by their key.
        }
        try {
            return new FusedGroups(fused, sink, table, columns, config.threads(), true);
        } catch (NotFused _) {
            return null;
        }
    }

    private FusedGroups(
            FusedPipeline fused,
            Sink.Aggregate sink,
            Table table,
            int[] tableColumns,
            int threads,
            boolean isWindowed) {
        this.fused = fused;
        this.calls = sink.calls();
        this.isSet = calls.isEmpty() && !sink.keys().isEmpty();
        long share = fused.budget().availableBytes() / Long.BYTES / 4 / Math.max(1, threads);
        long rows = table.stats().rowCount();
        long maxWords = Math.min(share, Math.max(MAX_WORDS, Math.min(MANY_WORDS, isSet ? rows : rows * 4)));
        maxPlaces = isSet ? Math.min(maxWords * Long.SIZE, MAX_BITS) : maxWords;
        firstWord = new int[calls.size()];
        int next = 1;
        for (int call = 0; call < calls.size(); call++) {
            firstWord[call] = next;
            next += words(calls.get(call));
        }
        words = next;
        if (isWindowed) {
            int values = (int) Math.min(share, WINDOW_WORDS) / words;
            keys.add(GroupKey.window(sink, fused, values));
        }
        long product = isWindowed ? keys.getFirst().values() : 1;
        for (int output : sink.keys()) {
            if (isWindowed) {
                break;
            }
            GroupKey key = GroupKey.of(fused.outputs().get(output), fused, table, tableColumns, maxPlaces);
            keys.add(key);
            product *= key.values();
            if (product == 0 || product > maxPlaces) {
                throw new NotFused();
            }
        }
        if (product * words > maxPlaces) {
            throw new NotFused();
        }
        places = (int) product;
        strides = new int[keys.size()];
        int stride = words;
        for (int key = 0; key < strides.length; key++) {
            strides[key] = stride;
            stride *= keys.get(key).values();
        }
        terms = new LoopTerms(fused, sink, sources);
        for (int call = 0; call < calls.size(); call++) {
            if (calls.get(call).argument() >= 0 && calls.get(call).kind() != AggregateKind.COUNT) {
                Term value = terms.value(fused.outputs().get(calls.get(call).argument()));
                updates.add(new LoopCompiler.Update(fold(calls.get(call)), value, firstWord[call]));
            } else if (calls.get(call).argument() >= 0) {
                checkPresent(fused.outputs().get(calls.get(call).argument()));
            }
        }
        for (int key = 0; key < strides.length; key++) {
            addDigit(key);
        }
        for (Map.Entry<Integer, Integer> entry : joinDigits.entrySet()) {
            addToPlace(joinDigit(entry.getKey()));
        }
    }

    private void addDigit(int key) {
        switch (keys.get(key)) {
            case GroupKey.Codes code -> {
                CellSource.Codes source = new CellSource.Codes(code, strides[key]);
                addToPlace(new Term.Element(
                        sources.boundArray(source), new Term.Cell(sources.column(source), false), false));
            }
            case GroupKey.Range(int input, DataType type, long least, int _) -> {
                Term cell = terms.cell(input, type);
                Term base = new Term.Scalar(sources.scalar(least), cell.isWide());
                addToPlace(new Term.Scaled(
                        new Term.Offset(cell, base), new Term.Scalar(sources.scalar(strides[key]), false)));
            }
            case GroupKey.Window(int input, DataType type, int _) -> {
                Term cell = terms.cell(input, type);
                Term stride = new Term.Scalar(sources.scalar(strides[key]), false);
                window = new Window(sources.column(new CellSource.Values(input)), sources.ownScalar(), type);
                Term base = new Term.Scalar(window.baseScalar(), cell.isWide());
                addToPlace(new Term.Scaled(new Term.Offset(cell, base), stride));
            }
            case GroupKey.Payload payload -> joinDigits.merge(payload.join(), key, (first, _) -> first);
        }
    }

    /// The digits of all keys of one join, added up by build row, or by the place of its key.
    private Term joinDigit(int join) {
        JoinTable build = fused.table(join);
        int[] digits = new int[(int) build.rowCount()];
        for (int key = 0; key < strides.length; key++) {
            if (keys.get(key) instanceof GroupKey.Payload payload && payload.join() == join) {
                for (int row = 0; row < digits.length; row++) {
                    digits[row] += payload.numberOf()[row] * strides[key];
                }
            }
        }
        Term dense = terms.densePlace(join);
        if (dense == null) {
            return new Term.Element(sources.array(digits), terms.match(join), false);
        }
        int[] numbers = build.index().denseNumbers();
        int[] byPlace = new int[numbers.length];
        for (int at = 0; at < numbers.length; at++) {
            byPlace[at] = numbers[at] < 0 ? 0 : digits[numbers[at]];
        }
        return new Term.Element(sources.array(byPlace), dense, false);
    }

    private void addToPlace(Term digit) {
        place = place == null ? digit : new Term.Sum(place, digit);
    }

    private DataType argumentType(AggregateCall call) {
        return fused.outputTypes().get(call.argument());
    }

    private int words(AggregateCall call) {
        if (call.filter() >= 0) {
            throw new NotFused();
        }
        return switch (call.kind()) {
            case COUNT_STAR, COUNT -> 0;
            case SUM, AVG, MIN, MAX -> fold(call).words();
            default -> throw new NotFused();
        };
    }

    private Fold fold(AggregateCall call) {
        DataType type = argumentType(call);
        boolean isSum = call.kind() == AggregateKind.SUM || call.kind() == AggregateKind.AVG;
        if (!isSum && LoopTerms.isNarrow(type)) {
            return call.kind() == AggregateKind.MIN ? Fold.MIN : Fold.MAX;
        }
        return switch (type) {
            case DataType.Int16 _, DataType.Int32 _ -> Fold.SUM;
            case DataType.Int64 _ -> Fold.WIDE_SUM;
            case DataType.Decimal _ when LoopTerms.isNarrow(type) -> Fold.WIDE_SUM;
            default -> throw new NotFused();
        };
    }

    private void checkPresent(Origin origin) {
        switch (origin) {
            case Origin.Input(int input, DataType _) -> sources.column(new CellSource.Present(input));
            case Origin.Payload(int join, int column, DataType _) -> {
                if (!fused.table(join).payload(column).isAllPresent()) {
                    throw new NotFused();
                }
            }
            case Origin.Constant(int slot, DataType _) -> {
                if (fused.slotValues().get(slot).isNull()) {
                    throw new NotFused();
                }
            }
            case Origin.Computed _ -> terms.value(origin);
        }
    }

    // ---- for the workers

    /// What tells where a window's keys are, or null where every key has its place.
    public Window window() {
        return window;
    }

    /// Says that a worker has left the window: rows are not clustered, or memory is short. All others should, too.
    void leave() {
        isLeft = true;
    }

    boolean isLeft() {
        return isLeft;
    }

    /// The stage that the loop makes superfluous, or null.
    Stage.Runs replaced() {
        return terms.replaced();
    }

    List<GroupKey> keys() {
        return keys;
    }

    List<AggregateCall> calls() {
        return calls;
    }

    DataType type(AggregateCall call) {
        return argumentType(call);
    }

    /// Whether a place is a bit; otherwise it has `words()`.
    boolean isSet() {
        return isSet;
    }

    int words() {
        return words;
    }

    /// Words of all places.
    int stateWords() {
        return isSet ? Bits.words(places) : places * words;
    }

    int places() {
        return places;
    }

    int stride(int key) {
        return strides[key];
    }

    int firstWord(int call) {
        return firstWord[call];
    }

    List<LoopCompiler.Update> updates() {
        return updates;
    }

    List<CellSource> columns() {
        return sources.columns();
    }

    Map<Integer, CellSource> boundArrays() {
        return sources.boundArrays();
    }

    DataType inputType(int input) {
        return fused.pipeline().source().types().get(input);
    }

    LoopInput newInput() {
        return sources.newInput();
    }

    /// The loop's shape.
    LoopCompiler.GroupShape shape() {
        return new LoopCompiler.GroupShape(place, updates, isSet);
    }
}
