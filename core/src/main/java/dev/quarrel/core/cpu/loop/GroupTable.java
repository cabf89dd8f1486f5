package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.cpu.loop.LoopCompiler.Fold;
import dev.quarrel.core.cpu.loop.LoopCompiler.Update;
import dev.quarrel.core.cpu.loop.LoopSources.CellSource;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.type.DataType;
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
    private final GroupColumns columns;
    private final GroupStretch window; // or null: every key has its place
    private final PackedGroups packed; // what the window has left
    private final long[] scratch;
    private final Map<CellSource.Codes, Map<Dictionary, int[]>> digits = new HashMap<>();
    private boolean isEmpty = true;
    private boolean isFlushed;

    GroupTable(FusedGroups groups, int tileRows, MemoryBudget budget) {
        this.groups = groups;
        this.budget = budget;
        this.reservation = new Reservation(budget);
        int size = groups.stateWords();
        reservation.grow(size * 8L);
        this.states = new long[size];
        this.columns = new GroupColumns(groups, states);
        this.packed = groups.window() == null ? null : new PackedGroups(groups, budget);
        this.window = groups.window() == null ? null : new GroupStretch(groups, states, tileRows, packed);
        this.input = groups.newInput();
        this.scratch = new long[Bits.words(tileRows)];
        this.loop = LoopCompiler.groups(groups.shape());
        this.memory = new StoredIntegers[groups.columns().size()];
        for (int number = 0; number < memory.length; number++) {
            input.columns[number] = switch (groups.columns().get(number)) {
                case CellSource.Values(int column) when groups.inputType(column).byteWidth() >= 8 -> new long[tileRows];
                case CellSource.Values _, CellSource.Codes _ -> new int[tileRows];
                case CellSource.Present _, CellSource.Matches _, CellSource.Output _ -> null;
            };
        }
        clear();
    }

    private void clear() {
        Arrays.fill(states, 0);
        for (Update update : groups.updates()) {
            long first = update.fold().initial();
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
                case CellSource.Values(int column) -> {
                    memory[number] = StoredIntegers.of(batch, column);
                    if (memory[number] == null || !memory[number].validity().isAllPresent()) {
                        return false;
                    }
                }
                case CellSource.Present(int column) -> {
                    if (!batch.column(column).validity().isAllPresent()) {
                        return false;
                    }
                }
                case CellSource.Codes codes -> {
                    if (!(batch.column(codes.key().input()) instanceof DictionaryColumn encoded)
                            || !encoded.validity().isAllPresent()
                            || encoded.dictionary().table() != codes.key().dictionary()) {
                        return false;
                    }
                    memory[number] = new StoredIntegers(encoded.codes(), encoded.codeBytes(), 0, encoded.validity());
                }
                case CellSource.Matches _, CellSource.Output _ -> throw new IllegalStateException("no column");
            }
        }
        groups.boundArrays().forEach((number, source) -> {
            if (source instanceof CellSource.Codes codes) {
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

    /// Whether what the loop relies on holds in a tile: the statistics that places are made of, and that decimals of
    /// few digits fit 64 bits.
    boolean holds(Batch batch, int firstRow, int rows) {
        for (GroupKey key : groups.keys()) {
            if (key instanceof GroupKey.Range(int column, DataType _, long least, int values)) {
                StoredIntegers keys = StoredIntegers.of(batch, column);
                if (!ColumnScans.isWithin(keys, firstRow, rows, least, least + values - 1, scratch)) {
                    return false;
                }
            }
        }
        for (int number = 0; number < memory.length; number++) {
            if (groups.columns().get(number) instanceof CellSource.Values(int column)
                    && !memory[number].isNarrow(groups.inputType(column), firstRow, rows)) {
                return false;
            }
        }
        return true;
    }

    /// Adds rows; false, with none of them added, where the groups should be handed over and others take these rows.
    boolean add(int firstRow, Mask rows) {
        isEmpty = false;
        for (int number = 0; number < memory.length; number++) {
            switch (input.columns[number]) {
                case int[] ints -> {
                    boolean isCode = groups.columns().get(number) instanceof CellSource.Codes;
                    ColumnCells.ints(memory[number], isCode, firstRow, rows, ints);
                }
                case long[] longs -> ColumnCells.longs(memory[number], firstRow, rows, longs);
                case null, default -> {} // only its presence counts
            }
        }
        if (window != null) {
            return window.add(loop, rows.indexes(), rows.count(), input);
        }
        loop.add(rows.indexes(), rows.count(), input.columns, input.arrays, input.scalars, states);
        return true;
    }

    /// All groups of a window, packed; null for a table whose keys have a place each.
    PackedGroups packed() {
        if (window != null) {
            window.pack();
        }
        return packed;
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
                update.merge(into, at, more[word], update.fold() == Fold.WIDE_SUM ? more[word + 1] : 0);
            }
        }
    }

    /// The rows of some groups: keys, then results.
    ///
    /// @param at where their states start
    List<Column> results(int[] at, int count, Allocator allocator) {
        return columns.results(at, count, allocator);
    }

    /// Hands the groups over to the sink, and starts anew.
    void flushTo(TileSink sink) {
        isFlushed = true;
        if (isEmpty) {
            return;
        }
        if (window != null) {
            isEmpty = true;
            packed().flushTo(sink);
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
            batch = Batch.owning(sink.layout(), columns.partials(places, count, arena), count, arena::close);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
        sink.transferIn(batch);
    }

    @Override
    public void close() {
        if (packed != null) {
            packed.close();
        }
        reservation.close();
    }
}
