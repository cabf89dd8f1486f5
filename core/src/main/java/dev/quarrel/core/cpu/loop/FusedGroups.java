package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.loop.FlatPipeline.Origin;
import dev.quarrel.core.cpu.loop.FlatPipeline.Stage;
import dev.quarrel.core.cpu.loop.LoopCompiler.Fold;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.LongStore;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Program;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// How a flat pipeline's groups become places of one small array of states, which compiled loops fill: every key column
/// has few values, known beforehand (a dictionary's codes, a build side's values, a range by statistics), and every
/// aggregate is a count, a sum of integers, or a least or greatest one.
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
    /// Build rows whose values are counted beforehand.
    private static final int MAX_BUILD_ROWS = 1 << 20;
    /// Words of the states of a window: near the core.
    private static final int WINDOW_WORDS = 1 << 15;
    /// Values of a window that are worth it.
    private static final int MIN_WINDOW = 1 << 8;
    /// Tables below it do not pay for a compiled loop.
    private static final long MIN_ROWS = 50_000;

    /// A grouping column.
    sealed interface Key {
        /// How many values it has.
        int values();

        /// The column of some groups, by the values' numbers.
        Column column(int[] numbers, int count, Allocator allocator);
    }

    /// Codes of a table's dictionary.
    record CodeKey(int input, Dictionary dictionary) implements Key {
        @Override
        public int values() {
            return dictionary.size();
        }

        @Override
        public Column column(int[] numbers, int count, Allocator allocator) {
            MemorySegment codes = allocator.allocate(count * 4L);
            MemorySegment.copy(numbers, 0, codes, LoopMath.INT32, 0, count);
            return new DictionaryColumn(count, codes, 4, dictionary, Validity.allPresent());
        }
    }

    /// Integers and dates from `least` on.
    record RangeKey(int input, DataType type, long least, int values) implements Key {
        @Override
        public Column column(int[] numbers, int count, Allocator allocator) {
            int width = type.byteWidth();
            MemorySegment out = allocator.allocate((long) count * width);
            for (int index = 0; index < count; index++) {
                long value = least + numbers[index];
                switch (width) {
                    case 2 -> out.set(LoopMath.INT16, index * 2L, (short) value);
                    case 4 -> out.set(LoopMath.INT32, index * 4L, (int) value);
                    default -> out.set(LoopMath.INT64, index * 8L, value);
                }
            }
            return new FixedColumn(type, count, out, Validity.allPresent());
        }
    }

    /// Integers and dates, some thousand at a time: the key of a [GroupStretch].
    record WindowKey(int input, DataType type, int values) implements Key {
        @Override
        public Column column(int[] numbers, int count, Allocator allocator) {
            throw new IllegalStateException("numbers of a window that moves");
        }
    }

    /// What a [GroupStretch] needs to know.
    ///
    /// @param column of the loop: the keys
    /// @param baseScalar of the loop: the key at the first place
    /// @param type the key's
    record Window(int column, int baseScalar, DataType type) {}

    /// A column of a build side.
    ///
    /// @param numberOf by build row
    /// @param rowOf by the value's number: a build row that has it
    record PayloadKey(int join, ValueStore store, int[] numberOf, int[] rowOf) implements Key {
        @Override
        public int values() {
            return rowOf.length;
        }

        @Override
        public Column column(int[] numbers, int count, Allocator allocator) {
            int[] rows = new int[count];
            for (int index = 0; index < count; index++) {
                rows[index] = rowOf[numbers[index]];
            }
            return store.toColumn(rows, 0, count, allocator);
        }
    }

    /// Where a value of a loop comes from that is bound for each batch or tile.
    sealed interface CellSource {
        /// A fixed-width column of the batch.
        record Values(int input) implements CellSource {}

        /// A column of which only matters that all rows are present.
        record Present(int input) implements CellSource {}

        /// A text column's codes, and their digits by code in an array.
        record Codes(CodeKey key, int stride) implements CellSource {}

        /// The build row that each row of the tile matched.
        record Matches(int join) implements CellSource {}

        /// An output of a program that ran over the tile.
        record Output(int program, int output) implements CellSource {}
    }

    private final FusedPipeline fused;
    private final List<Key> keys = new ArrayList<>();
    private final List<AggregateCall> calls;
    private final int[] strides;
    private final boolean isSet;
    private final int words;
    private final int places;
    private final long maxPlaces;
    // Of the loop: what its numbers stand for.
    private final List<CellSource> columns = new ArrayList<>();
    private final Map<Integer, CellSource> boundArrays = new HashMap<>();
    private final List<Object> arrays = new ArrayList<>();
    private final List<Long> scalars = new ArrayList<>();
    private final Map<CellSource, Integer> columnOf = new HashMap<>();
    private final Map<Object, Integer> numbersOf = new HashMap<>();
    private final Map<Integer, Integer> joinDigits = new HashMap<>();
    private final List<LoopCompiler.Update> updates = new ArrayList<>();
    private final int[] firstWord;
    private final Stage.Runs replaced;
    private Term place;
    private Window window; // or null
    private volatile boolean isLeft;

    /// Says that a pipeline has no such form.
    private static final class NotFused extends RuntimeException {
        NotFused() {
            super(null, null, false, false);
        }
    }

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
            keys.add(windowKey(sink, values));
        }
        long product = isWindowed ? keys.getFirst().values() : 1;
        for (int output : sink.keys()) {
            if (isWindowed) {
                break;
            }
            Key key = key(fused.outputs().get(output), table, tableColumns);
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
        Stage.Runs last = lastProgram();
        replaced = last != null && isReplaceable(last, sink) ? last : null;
        for (int call = 0; call < calls.size(); call++) {
            if (calls.get(call).argument() >= 0 && calls.get(call).kind() != AggregateKind.COUNT) {
                Term value = value(fused.outputs().get(calls.get(call).argument()));
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

    // ---- keys

    private Key key(Origin origin, Table table, int[] tableColumns) {
        return switch (origin) {
            case Origin.Input(int column, DataType.Utf8 _) -> {
                Dictionary dictionary = table.dictionary(tableColumns[column]);
                if (dictionary == null) {
                    throw new NotFused();
                }
                yield new CodeKey(column, dictionary);
            }
            case Origin.Input(int column, DataType type) -> {
                if (!isInteger(type)) {
                    throw new NotFused();
                }
                ColumnStats stats = table.stats().columns().get(tableColumns[column]);
                if (!(stats.min() instanceof Long least) || !(stats.max() instanceof Long greatest)) {
                    throw new NotFused();
                }
                long width = greatest - least;
                if (width < 0 || width >= maxPlaces) {
                    throw new NotFused();
                }
                yield new RangeKey(column, type, least, (int) width + 1);
            }
            case Origin.Payload(int join, int column, DataType _) -> payloadKey(join, column);
            case Origin.Computed _, Origin.Constant _ -> throw new NotFused();
        };
    }

    private WindowKey windowKey(Sink.Aggregate sink, int values) {
        if (isSet
                || values < MIN_WINDOW
                || sink.keys().size() != 1
                || !(fused.outputs().get(sink.keys().getFirst()) instanceof Origin.Input(int column, DataType type))
                || !isInteger(type)) {
            throw new NotFused();
        }
        return new WindowKey(column, type, values);
    }

    private PayloadKey payloadKey(int join, int column) {
        JoinTable build = fused.table(join);
        int rows = (int) Math.min(build.rowCount(), Integer.MAX_VALUE);
        ValueStore store = build.payload(column);
        if (rows > MAX_BUILD_ROWS || !store.isAllPresent()) {
            throw new NotFused();
        }
        int[] values =
                switch (store) {
                    case IntStore ints -> ints.values();
                    case TextStore text when text.dictionary() != null -> text.codes();
                    default -> throw new NotFused();
                };
        int least = Integer.MAX_VALUE;
        int greatest = Integer.MIN_VALUE;
        for (int row = 0; row < rows; row++) {
            least = Math.min(least, values[row]);
            greatest = Math.max(greatest, values[row]);
        }
        long width = rows == 0 ? 0 : (long) greatest - least + 1;
        if (width > MAX_BUILD_ROWS) {
            throw new NotFused();
        }
        int[] numbers = new int[(int) width]; // value → number + 1
        int[] numberOf = new int[rows];
        int[] rowOf = new int[Math.min(rows, numbers.length)];
        int count = 0;
        for (int row = 0; row < rows; row++) {
            int at = values[row] - least;
            if (numbers[at] == 0) {
                rowOf[count++] = row;
                numbers[at] = count;
            }
            numberOf[row] = numbers[at] - 1;
        }
        return new PayloadKey(join, store, numberOf, Arrays.copyOf(rowOf, count));
    }

    private void addDigit(int key) {
        switch (keys.get(key)) {
            case CodeKey code -> {
                CellSource.Codes source = new CellSource.Codes(code, strides[key]);
                addToPlace(new Term.Element(boundArray(source), new Term.Cell(column(source), false), false));
            }
            case RangeKey(int input, DataType type, long least, int _) -> {
                Term cell = cell(input, type);
                Term base = new Term.Scalar(scalar(least), cell.isWide());
                addToPlace(new Term.Scaled(new Term.Offset(cell, base), new Term.Scalar(scalar(strides[key]), false)));
            }
            case WindowKey(int input, DataType type, int _) -> {
                Term cell = cell(input, type);
                Term stride = new Term.Scalar(scalar(strides[key]), false);
                scalars.add(0L); // of its own: it changes
                window = new Window(column(new CellSource.Values(input)), scalars.size() - 1, type);
                Term base = new Term.Scalar(window.baseScalar(), cell.isWide());
                addToPlace(new Term.Scaled(new Term.Offset(cell, base), stride));
            }
            case PayloadKey payload -> joinDigits.merge(payload.join(), key, (first, _) -> first);
        }
    }

    /// The digits of all keys of one join, added up by build row, or by the place of its key.
    private Term joinDigit(int join) {
        JoinTable build = fused.table(join);
        int[] digits = new int[(int) build.rowCount()];
        for (int key = 0; key < strides.length; key++) {
            if (keys.get(key) instanceof PayloadKey payload && payload.join() == join) {
                for (int row = 0; row < digits.length; row++) {
                    digits[row] += payload.numberOf()[row] * strides[key];
                }
            }
        }
        Term dense = densePlace(join);
        if (dense == null) {
            return new Term.Element(array(digits), match(join), false);
        }
        int[] numbers = build.index().denseNumbers();
        int[] byPlace = new int[numbers.length];
        for (int at = 0; at < numbers.length; at++) {
            byPlace[at] = numbers[at] < 0 ? 0 : digits[numbers[at]];
        }
        return new Term.Element(array(byPlace), dense, false);
    }

    private void addToPlace(Term digit) {
        place = place == null ? digit : new Term.Sum(place, digit);
    }

    // ---- values

    private static boolean isInteger(DataType type) {
        return switch (type) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ -> true;
            default -> false;
        };
    }

    /// Whether 64 bits hold every value.
    private static boolean isNarrow(DataType type) {
        return isInteger(type) || type instanceof DataType.Decimal(int precision, int _) && precision <= 18;
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
        if (!isSum && isNarrow(type)) {
            return call.kind() == AggregateKind.MIN ? Fold.MIN : Fold.MAX;
        }
        return switch (type) {
            case DataType.Int16 _, DataType.Int32 _ -> Fold.SUM;
            case DataType.Int64 _ -> Fold.WIDE_SUM;
            case DataType.Decimal _ when isNarrow(type) -> Fold.WIDE_SUM;
            default -> throw new NotFused();
        };
    }

    private void checkPresent(Origin origin) {
        switch (origin) {
            case Origin.Input(int input, DataType _) -> column(new CellSource.Present(input));
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
            case Origin.Computed _ -> value(origin);
        }
    }

    private Term value(Origin origin) {
        boolean isDecimal = origin.type() instanceof DataType.Decimal && isNarrow(origin.type());
        if (!isInteger(origin.type()) && !(isDecimal && origin instanceof Origin.Input)) {
            throw new NotFused();
        }
        boolean isWide = origin.type().byteWidth() >= 8;
        return switch (origin) {
            case Origin.Input(int column, DataType type) -> cell(column, type);
            case Origin.Constant(int slot, DataType _) -> constant(slot, isWide);
            case Origin.Payload(int join, int column, DataType _) -> {
                ValueStore store = fused.table(join).payload(column);
                if (!store.isAllPresent()) {
                    throw new NotFused();
                }
                Object values =
                        switch (store) {
                            case IntStore ints -> ints.values();
                            case LongStore longs -> longs.values();
                            default -> throw new NotFused();
                        };
                yield new Term.Element(array(values), buildRow(join), isWide);
            }
            case Origin.Computed(int program, int output, DataType _) ->
                replaced != null && program == replaced.program()
                        ? new Expression(replaced).term(lastProgramOutput(output))
                        : new Term.AtRow(boundArray(new CellSource.Output(program, output)), isWide);
        };
    }

    private int lastProgramOutput(int output) {
        return fused.pipeline().lastProgram().outputs().get(output);
    }

    private Term constant(int slot, boolean isWide) {
        if (!(fused.slotValues().get(slot).value() instanceof Long number)) {
            throw new NotFused();
        }
        return new Term.Scalar(scalar(number), isWide);
    }

    private Term cell(int input, DataType type) {
        return new Term.Cell(column(new CellSource.Values(input)), type.byteWidth() >= 8);
    }

    /// The place of a dense join's key, or null for another kind of join.
    private Term densePlace(int join) {
        for (Stage stage : fused.stages()) {
            if (stage instanceof Stage.Matches(int number, var _, List<Origin> origins) && number == join) {
                if (!fused.table(join).isDenseInteger()
                        || !(origins.getFirst() instanceof Origin.Input(int input, DataType type))) {
                    return null;
                }
                Term key = cell(input, type);
                return new Term.Offset(
                        key, new Term.Scalar(scalar(fused.table(join).index().denseBase() - 1), key.isWide()));
            }
        }
        throw new IllegalStateException("no join " + join);
    }

    private Term buildRow(int join) {
        Term dense = densePlace(join);
        return dense == null
                ? match(join)
                : new Term.Element(array(fused.table(join).index().denseNumbers()), dense, false);
    }

    private Term match(int join) {
        return new Term.AtRow(boundArray(new CellSource.Matches(join)), false);
    }

    // ---- the last program as terms

    private Stage.Runs lastProgram() {
        int last = fused.pipeline().programs().size() - 1;
        for (Stage stage : fused.stages()) {
            if (stage instanceof Stage.Runs runs && runs.program() == last) {
                return runs;
            }
        }
        return null;
    }

    /// Whether all that the last program does is to compute values that the loop can compute itself.
    private boolean isReplaceable(Stage.Runs last, Sink.Aggregate sink) {
        Program program = fused.pipeline().programs().get(last.program());
        if (program.selection() != 0) {
            return false;
        }
        try {
            Expression expression = new Expression(last);
            for (AggregateCall call : sink.calls()) {
                if (call.argument() >= 0) {
                    expression.term(program.outputs().get(call.argument()));
                }
            }
            return program.code().stream()
                    .allMatch(instruction ->
                            !instruction.op().canFail() || expression.used.contains(instruction.result()));
        } catch (NotFused _) {
            // What the attempt has numbered is no part of the loop.
            List.of(columns, arrays, scalars).forEach(List::clear);
            List.of(columnOf, numbersOf, boundArrays).forEach(Map::clear);
            return false;
        }
    }

    private final class Expression {
        private final Stage.Runs runs;
        private final Map<Integer, Instruction> writers = new HashMap<>();
        private final Program program;
        final Set<Integer> used = new HashSet<>();

        Expression(Stage.Runs runs) {
            this.runs = runs;
            this.program = fused.pipeline().programs().get(runs.program());
            program.code().forEach(instruction -> writers.put(instruction.result(), instruction));
        }

        Term term(int register) {
            Instruction made = writers.get(register);
            used.add(register);
            if (made.mask() != 0 && made.op().canFail()) {
                throw new NotFused(); // it acts on some rows alone
            }
            DataType type = program.valueType(register);
            if (!isInteger(type)) {
                throw new NotFused();
            }
            boolean isWide = type.byteWidth() == 8;
            return switch (made.op()) {
                case LOAD -> value(runs.inputs().get(made.immediate()));
                case CONST -> constant(made.immediate(), isWide);
                case ADD_INT16 -> call("addShort", made, false);
                case SUB_INT16 -> call("subtractShort", made, false);
                case MUL_INT16 -> call("multiplyShort", made, false);
                case ADD_INT32, ADD_INT64 -> call("add", made, isWide);
                case SUB_INT32, SUB_INT64 -> call("subtract", made, isWide);
                case MUL_INT32, MUL_INT64 -> call("multiply", made, isWide);
                case NEG_INT32, NEG_INT64 -> call("negate", made, isWide);
                case CAST -> cast(made, type);
                default -> throw new NotFused();
            };
        }

        private Term call(String method, Instruction made, boolean isWide) {
            Term right =
                    made.arguments().size() < 2 ? null : term(made.arguments().get(1));
            return new Term.Call(method, term(made.arguments().getFirst()), right, isWide);
        }

        private Term cast(Instruction made, DataType to) {
            int argument = made.arguments().getFirst();
            DataType from = program.valueType(argument);
            boolean isSmall = from instanceof DataType.Int16 || from instanceof DataType.Int32;
            if (isSmall && to instanceof DataType.Int64) {
                return new Term.Widened(term(argument));
            }
            if (from instanceof DataType.Int16 && to instanceof DataType.Int32) {
                return term(argument);
            }
            throw new NotFused();
        }
    }

    // ---- numbers

    private int column(CellSource source) {
        return columnOf.computeIfAbsent(source, key -> {
            columns.add(key);
            return columns.size() - 1;
        });
    }

    private int array(Object values) {
        for (int number = 0; number < arrays.size(); number++) {
            if (arrays.get(number) == values) {
                return number;
            }
        }
        arrays.add(values);
        return arrays.size() - 1;
    }

    private int boundArray(CellSource source) {
        return numbersOf.computeIfAbsent(source, _ -> {
            arrays.add(null);
            boundArrays.put(arrays.size() - 1, source);
            return arrays.size() - 1;
        });
    }

    private int scalar(long value) {
        int known = scalars.indexOf(value);
        if (known < 0) {
            scalars.add(value);
            known = scalars.size() - 1;
        }
        return known;
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
        return replaced;
    }

    List<Key> keys() {
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
        return columns;
    }

    Map<Integer, CellSource> boundArrays() {
        return boundArrays;
    }

    DataType inputType(int input) {
        return fused.pipeline().source().types().get(input);
    }

    LoopInput newInput() {
        LoopInput input = new LoopInput(
                columns.size(),
                arrays.size(),
                scalars.stream().mapToLong(Long::longValue).toArray());
        for (int number = 0; number < arrays.size(); number++) {
            input.arrays[number] = arrays.get(number);
        }
        return input;
    }

    /// The loop's shape.
    LoopCompiler.GroupShape shape() {
        return new LoopCompiler.GroupShape(place, updates, isSet);
    }
}
