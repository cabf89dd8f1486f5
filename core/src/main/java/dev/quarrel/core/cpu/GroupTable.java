package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.FusedGroups.Key;
import dev.quarrel.core.cpu.FusedGroups.RangeKey;
import dev.quarrel.core.cpu.FusedGroups.Source;
import dev.quarrel.core.cpu.LoopCompiler.Fold;
import dev.quarrel.core.cpu.LoopCompiler.Update;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.run.BudgetArena;
import dev.quarrel.core.run.MemoryBudget;
import dev.quarrel.core.run.Reservation;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/// One worker's states of fused groups; they go to the aggregate sink, in the neutral layout, when somebody
/// asks for it.
final class GroupTable implements AutoCloseable {
    /// Groups handed to the sink at a time.
    private static final int FLUSHED = 1 << 16;

    private final FusedGroups groups;
    private final MemoryBudget budget;
    private final Reservation reservation;
    private final GroupLoop loop;
    private final LoopInput input;
    // Of the batch, by number of the loop's columns.
    private final StoredIntegers[] memory;
    private final long[] states;
    private final long[] scratch;
    private final Map<Source.Codes, Map<Dictionary, int[]>> digits = new HashMap<>();
    private boolean isEmpty = true;
    private boolean isFlushed;

    GroupTable(FusedGroups groups, int tileRows, MemoryBudget budget) {
        this.groups = groups;
        this.budget = budget;
        this.reservation = new Reservation(budget);
        int size = groups.stateWords();
        reservation.grow(size * 8L);
        this.states = new long[size];
        this.input = groups.newInput();
        this.scratch = new long[Bits.words(tileRows)];
        this.loop = LoopCompiler.groups(groups.shape());
        this.memory = new StoredIntegers[groups.columns().size()];
        for (int number = 0; number < memory.length; number++) {
            input.columns[number] = switch (groups.columns().get(number)) {
                case Source.Values(int column) when groups.inputType(column).byteWidth() >= 8 -> new long[tileRows];
                case Source.Values _, Source.Codes _ -> new int[tileRows];
                case Source.Present _, Source.Matches _, Source.Output _ -> null;
            };
        }
        clear();
    }

    private void clear() {
        Arrays.fill(states, 0);
        for (Update update : groups.updates()) {
            long first =
                    switch (update.fold()) {
                        case SUM, WIDE_SUM -> 0;
                        case MIN -> Long.MAX_VALUE;
                        case MAX -> Long.MIN_VALUE;
                    };
            for (int at = update.at(); first != 0 && at < states.length; at += groups.words()) {
                states[at] = first;
            }
        }
        isEmpty = true;
    }

    /// Binds a batch's columns; false if the loop cannot read it.
    boolean moveTo(Batch batch) {
        for (int number = 0; number < memory.length; number++) {
            switch (groups.columns().get(number)) {
                case Source.Values(int column) -> {
                    memory[number] = StoredIntegers.of(batch, column);
                    if (memory[number] == null || !memory[number].validity().isAllPresent()) {
                        return false;
                    }
                }
                case Source.Present(int column) -> {
                    if (!batch.column(column).validity().isAllPresent()) {
                        return false;
                    }
                }
                case Source.Codes codes -> {
                    if (!(batch.column(codes.key().input()) instanceof DictionaryColumn encoded)
                            || !encoded.validity().isAllPresent()
                            || encoded.dictionary().table() != codes.key().dictionary()) {
                        return false;
                    }
                    memory[number] = new StoredIntegers(encoded.codes(), encoded.codeBytes(), 0, encoded.validity());
                }
                case Source.Matches _, Source.Output _ -> throw new IllegalStateException("no column");
            }
        }
        groups.boundArrays().forEach((number, source) -> {
            if (source instanceof Source.Codes codes) {
                Dictionary dictionary =
                        ((DictionaryColumn) batch.column(codes.key().input())).dictionary();
                input.arrays[number] = digits.computeIfAbsent(codes, _ -> new IdentityHashMap<>())
                        .computeIfAbsent(dictionary, key -> digits(key, codes.stride()));
            }
        });
        return true;
    }

    private static int[] digits(Dictionary dictionary, int stride) {
        int[] digits = new int[dictionary.size()];
        int[] tableCodes = dictionary.tableCodes();
        for (int code = 0; code < digits.length; code++) {
            digits[code] = (tableCodes == null ? code : tableCodes[code]) * stride;
        }
        return digits;
    }

    /// Gives the loop an array that changes from tile to tile.
    void bind(int number, Object array) {
        input.arrays[number] = array;
    }

    /// Whether what the loop relies on holds in a tile: the statistics that places are made of, and that
    /// decimals of few
    /// digits fit 64 bits.
    boolean holds(Batch batch, int firstRow, int rows) {
        for (Key key : groups.keys()) {
            if (key instanceof RangeKey(int column, DataType _, long least, int values)) {
                StoredIntegers keys = StoredIntegers.of(batch, column);
                if (!ColumnTests.isWithin(keys, firstRow, rows, least, least + values - 1, scratch)) {
                    return false;
                }
            }
        }
        for (int number = 0; number < memory.length; number++) {
            if (groups.columns().get(number) instanceof Source.Values(int column)
                    && !memory[number].isNarrow(groups.inputType(column), firstRow, rows)) {
                return false;
            }
        }
        return true;
    }

    void add(int firstRow, Mask rows) {
        isEmpty = false;
        for (int number = 0; number < memory.length; number++) {
            switch (input.columns[number]) {
                case int[] ints -> {
                    boolean isCode = groups.columns().get(number) instanceof Source.Codes;
                    ColumnCells.ints(memory[number], isCode, firstRow, rows, ints);
                }
                case long[] longs -> ColumnCells.longs(memory[number], firstRow, rows, longs);
                case null, default -> {} // only its presence counts
            }
        }
        loop.add(rows.indexes(), rows.count(), input.columns, input.arrays, input.scalars, states);
    }

    boolean hasKeys() {
        return !groups.keys().isEmpty();
    }

    int places() {
        return groups.places();
    }

    /// Finds the groups of places [from, end) that rows have come to: as many as there is room for.
    ///
    /// @param at where their states start, for [#results]; the last one found says where to go on
    int collect(int from, int end, int[] at) {
        int count = 0;
        if (groups.isSet()) {
            for (int word = from >>> 6; word < Bits.words(end) && count < at.length; word++) {
                long rest = states[word];
                if (word == from >>> 6) {
                    rest &= -1L << from;
                }
                for (; rest != 0 && count < at.length; rest &= rest - 1) {
                    at[count++] = (word << 6) + Long.numberOfTrailingZeros(rest);
                }
            }
            return count;
        }
        int words = groups.words();
        for (int place = from; place < end && count < at.length; place++) {
            at[count] = place * words;
            count += states[place * words] != 0 ? 1 : 0;
        }
        return count;
    }

    /// The place behind one that was collected.
    int placeAfter(int at) {
        return at / groups.words() + 1;
    }

    /// Whether the groups were never handed over in parts.
    boolean isWhole() {
        return !isFlushed;
    }

    /// Adds another worker's states of places [from, end), `from` a multiple of 64.
    void merge(GroupTable other, int from, int end) {
        int words = groups.words();
        long[] into = states;
        long[] more = other.states;
        if (groups.isSet()) {
            for (int word = from >>> 6; word < Bits.words(end); word++) {
                into[word] |= more[word];
            }
            return;
        }
        for (int at = from * words; at < end * words; at += words) {
            if (more[at] == 0) {
                continue;
            }
            into[at] += more[at];
            for (Update update : groups.updates()) {
                int word = at + update.at();
                switch (update.fold()) {
                    case SUM -> into[word] += more[word];
                    case WIDE_SUM -> {
                        long sum = into[word] + more[word];
                        into[word + 1] += more[word + 1] + (Long.compareUnsigned(sum, more[word]) < 0 ? 1 : 0);
                        into[word] = sum;
                    }
                    case MIN -> into[word] = Math.min(into[word], more[word]);
                    case MAX -> into[word] = Math.max(into[word], more[word]);
                }
            }
        }
    }

    /// The rows of some groups: keys, then results.
    ///
    /// @param at where their states start
    List<Column> results(int[] at, int count, Allocator allocator) {
        List<Column> columns = new ArrayList<>();
        for (int key = 0; key < groups.keys().size(); key++) {
            columns.add(keyColumn(key, at, count, allocator));
        }
        for (int call = 0; call < groups.calls().size(); call++) {
            columns.add(result(call, at, count, allocator));
        }
        return columns;
    }

    private Column result(int number, int[] at, int count, Allocator allocator) {
        AggregateCall call = groups.calls().get(number);
        int word = groups.firstWord(number);
        return switch (call.kind()) {
            case COUNT_STAR, COUNT -> int64(at, count, 0, allocator);
            case SUM -> {
                if (!isWide(word)) {
                    yield int64(at, count, word, allocator);
                }
                DataType type = call.kind().resultType(groups.type(call));
                ColumnWriter writer = new ColumnWriter(type, allocator, count);
                for (int index = 0; index < count; index++) {
                    if (type instanceof DataType.Numeric) {
                        writer.appendNumeric(states[at[index] + word + 1], states[at[index] + word], 0);
                    } else {
                        writer.appendDecimal(states[at[index] + word + 1], states[at[index] + word]);
                    }
                }
                yield writer.finish();
            }
            case AVG -> average(call, word, at, count, allocator);
            case MIN, MAX -> extremes(call, word, at, count, allocator);
            default -> throw new IllegalStateException(call.kind() + " is not fused");
        };
    }

    private Column average(AggregateCall call, int word, int[] at, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.NUMERIC, allocator, count);
        boolean isWide = isWide(word);
        int scale = groups.type(call) instanceof DataType.Decimal(int _, int digits) ? digits : 0;
        WideNumber number = new WideNumber();
        for (int index = 0; index < count; index++) {
            long low = states[at[index] + word];
            long high = isWide ? states[at[index] + word + 1] : low >> 63;
            int shown = NumericMath.divide(high, low, scale, 0, states[at[index]], 0, number);
            writer.appendNumeric(number.high(), number.low(), shown);
        }
        return writer.finish();
    }

    private Column int64(int[] at, int count, int word, Allocator allocator) {
        MemorySegment out = allocator.allocate(count * 8L);
        for (int index = 0; index < count; index++) {
            out.set(LoopMath.INT64, index * 8L, states[at[index] + word]);
        }
        return new FixedColumn(DataType.INT64, count, out, Validity.allPresent());
    }

    private boolean isWide(int word) {
        for (Update update : groups.updates()) {
            if (update.at() == word && update.fold() == Fold.WIDE_SUM) {
                return true;
            }
        }
        return false;
    }

    /// Hands the groups over to the sink, and starts anew.
    void flushTo(TileSink sink) {
        isFlushed = true;
        if (isEmpty) {
            return;
        }
        int[] places = new int[Math.min(groups.places(), FLUSHED)];
        for (int from = 0; from < groups.places(); ) {
            int count = collect(from, groups.places(), places);
            if (count > 0) {
                flush(places, count, sink);
            }
            from = count < places.length ? groups.places() : placeAfter(places[count - 1]);
        }
        clear();
    }

    private void flush(int[] places, int count, TileSink sink) {
        BudgetArena arena = new BudgetArena(budget);
        Batch batch;
        try {
            List<Column> columns = new ArrayList<>();
            for (int key = 0; key < groups.keys().size(); key++) {
                columns.add(keyColumn(key, places, count, arena));
            }
            for (int call = 0; call < groups.calls().size(); call++) {
                addPartials(call, places, count, arena, columns);
            }
            batch = Batch.owning(sink.layout(), columns, count, arena::close);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
        sink.transferIn(batch);
    }

    private Column keyColumn(int key, int[] places, int count, Allocator allocator) {
        int[] numbers = new int[count];
        int stride = groups.stride(key);
        int values = groups.keys().get(key).values();
        boolean isLast = key == groups.keys().size() - 1;
        for (int index = 0; index < count; index++) {
            int number = places[index] / stride;
            numbers[index] = isLast ? number : number % values;
        }
        return groups.keys().get(key).column(numbers, count, allocator);
    }

    /// The partial columns as [dev.quarrel.core.device.AggregateLayout] has them.
    private void addPartials(int number, int[] places, int count, Allocator allocator, List<Column> to) {
        AggregateCall call = groups.calls().get(number);
        int word = groups.firstWord(number);
        switch (call.kind()) {
            case COUNT_STAR, COUNT -> to.add(words(places, count, 0, allocator));
            case SUM -> addSum(word, places, count, allocator, to);
            case AVG -> {
                addSum(word, places, count, allocator, to);
                to.add(words(places, count, 0, allocator));
            }
            case MIN, MAX -> to.add(extremes(call, word, places, count, allocator));
            default -> throw new IllegalStateException(call.kind() + " is not fused");
        }
    }

    private Column extremes(AggregateCall call, int word, int[] at, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(groups.type(call), allocator, count);
        for (int index = 0; index < count; index++) {
            long value = states[at[index] + word];
            switch (groups.type(call).byteWidth()) {
                case 2 -> writer.appendInt16((short) value);
                case 4 -> writer.appendInt32((int) value);
                case 16 -> writer.appendDecimal(value >> 63, value);
                default -> writer.appendInt64(value);
            }
        }
        return writer.finish();
    }

    private void addSum(int word, int[] places, int count, Allocator allocator, List<Column> to) {
        to.add(words(places, count, word, allocator));
        boolean isWide =
                groups.updates().stream().anyMatch(update -> update.at() == word && update.fold() == Fold.WIDE_SUM);
        if (isWide) {
            to.add(words(places, count, word + 1, allocator));
            ColumnWriter signs = new ColumnWriter(DataType.INT64, allocator, count);
            for (int index = 0; index < count; index++) {
                signs.appendInt64(states[places[index] + word + 1] >> 63);
            }
            to.add(signs.finish());
        }
    }

    private Column words(int[] places, int count, int word, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.INT64, allocator, count);
        for (int index = 0; index < count; index++) {
            writer.appendInt64(states[places[index] + word]);
        }
        return writer.finish();
    }

    @Override
    public void close() {
        reservation.close();
    }
}
