package dev.quarrel.core.cpu.sort;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.ir.SortKey;
import dev.quarrel.core.spill.SpillFile;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/// Merges sorted runs, whose last column is the index of the morsel that a row came from: rows with equal keys come out
/// in the order of their morsels, and those of one morsel in the order of their runs, which is the scan's.
///
/// One thread at a time uses it.
public final class RowMerge implements AutoCloseable {
    private final Form form;
    private final Schema schema;
    private final int width; // columns without the morsel's
    private final MemoryBudget budget;
    private final Reservation reservation;
    private final RunCursor[] cursors;
    private final boolean isFirstKeyPlain;
    private final int[] losers; // a tournament: node → the cursor that lost there; node 0 → the winner
    private int[] pickedRows = new int[0];
    private int[] pickedCursors = new int[0];
    private final MemorySegment[] sources; // values of one column, by run

    /// What holds for all rows of some runs, and so for every part of them.
    ///
    /// Threads share it.
    static final class Form {
        private final Schema schema;
        private final Dictionary[] dictionaries; // of columns that have the same one in all chunks
        private final boolean[] mayBeNull; // by column
        private final RunKey[] keys;

        /// @param runs each at least one chunk
        Form(List<SortKey> keys, List<List<SpillFile.Chunk>> runs, Reservation reservation) {
            this.schema = runs.isEmpty()
                    ? new Schema(List.of())
                    : runs.getFirst().getFirst().schema();
            this.dictionaries = new Dictionary[Math.max(0, schema.size() - 1)];
            for (int column = 0; column < dictionaries.length; column++) {
                dictionaries[column] = commonDictionary(runs, column);
            }
            this.mayBeNull = new boolean[schema.size()];
            for (int column = 0; column < mayBeNull.length; column++) {
                int index = column;
                mayBeNull[column] = runs.stream().flatMap(List::stream).anyMatch(chunk -> chunk.hasNulls(index));
            }
            this.keys = new RunKey[runs.isEmpty() ? 0 : keys.size()];
            for (int key = 0; key < this.keys.length; key++) {
                this.keys[key] =
                        RunKey.of(keys.get(key), dictionaries[keys.get(key).output()], reservation);
            }
        }

        private static Dictionary commonDictionary(List<List<SpillFile.Chunk>> runs, int column) {
            Dictionary common = runs.getFirst().getFirst().dictionary(column);
            for (List<SpillFile.Chunk> run : runs) {
                for (SpillFile.Chunk chunk : run) {
                    if (chunk.dictionary(column) != common) {
                        return null;
                    }
                }
            }
            return common;
        }

        /// Whether the first key's words alone order rows where they differ: it has no NULL.
        private boolean isFirstKeyPlain() {
            return keys.length > 0 && !mayBeNull[keys[0].output()];
        }
    }

    /// @param form of all runs
    /// @param ranges the parts of them to merge
    RowMerge(Form form, SpillFile file, List<RunRange> ranges, MemoryBudget budget) {
        this.form = form;
        this.schema = form.schema;
        this.width = form.dictionaries.length;
        this.isFirstKeyPlain = form.isFirstKeyPlain();
        this.budget = budget;
        this.reservation = new Reservation(budget);
        this.cursors = new RunCursor[ranges.size()];
        this.sources = new MemorySegment[ranges.size()];
        this.losers = new int[Math.max(1, ranges.size())];
        boolean done = false;
        try {
            for (int run = 0; run < cursors.length; run++) {
                cursors[run] = new RunCursor(run, file, ranges.get(run), form.keys, budget);
            }
            start();
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private void start() {
        int count = cursors.length;
        if (count == 0) {
            return;
        }
        int[] winners = new int[2 * count];
        for (int leaf = 0; leaf < count; leaf++) {
            winners[count + leaf] = leaf;
        }
        for (int node = count - 1; node > 0; node--) {
            int one = winners[2 * node];
            int other = winners[2 * node + 1];
            boolean isFirst = isBefore(one, other);
            winners[node] = isFirst ? one : other;
            losers[node] = isFirst ? other : one;
        }
        losers[0] = winners[1];
    }

    private void replay(int cursor) {
        int winner = cursor;
        for (int node = cursor + cursors.length >>> 1; node > 0; node >>>= 1) {
            if (isBefore(losers[node], winner)) {
                int loser = winner;
                winner = losers[node];
                losers[node] = loser;
            }
        }
        losers[0] = winner;
    }

    private boolean isBefore(int one, int other) {
        RunCursor a = cursors[one];
        RunCursor b = cursors[other];
        if (isFirstKeyPlain && a.head() != b.head()) {
            return a.head() < b.head();
        }
        if (a.isAtEnd() || b.isAtEnd()) {
            return !a.isAtEnd() || b.isAtEnd() && one < other;
        }
        int order = a.compare(b);
        return order != 0 ? order < 0 : one < other;
    }

    public boolean isAtEnd() {
        return cursors.length == 0 || cursors[losers[0]].isAtEnd();
    }

    /// The next rows, fewer only at the end; null after it.
    ///
    /// - Memory: the caller closes the batch.
    public Batch next(int maxRows) {
        if (isAtEnd()) {
            return null;
        }
        if (pickedRows.length < maxRows) {
            reservation.grow((maxRows - pickedRows.length) * 8L);
            pickedRows = new int[maxRows];
            pickedCursors = new int[maxRows];
        }
        BudgetArena arena = new BudgetArena(budget);
        try {
            List<Filler> fillers = new ArrayList<>();
            for (int column = 0; column < schema.size(); column++) {
                fillers.add(new Filler(column, maxRows, arena));
            }
            int filled = 0;
            int picked = 0;
            while (filled + picked < maxRows) {
                RunCursor winner = cursors[losers[0]];
                if (winner.isAtEnd()) {
                    break;
                }
                pickedCursors[picked] = winner.run();
                pickedRows[picked++] = winner.row();
                if (winner.isLastOfChunk()) {
                    // Its chunk goes now.
                    fill(fillers, filled, picked);
                    filled += picked;
                    picked = 0;
                }
                winner.advance();
                replay(winner.run());
            }
            fill(fillers, filled, picked);
            filled += picked;
            int rowCount = filled;
            List<Column> columns =
                    fillers.stream().map(filler -> filler.finish(rowCount)).toList();
            return Batch.owning(schema, columns, rowCount, arena::close);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    private void fill(List<Filler> fillers, int at, int count) {
        for (Filler filler : fillers) {
            filler.fill(at, count);
        }
    }

    /// One column of the rows that come out.
    private final class Filler {
        private final int column;
        private final DataType type;
        private final Dictionary dictionary;
        private final MemorySegment values;
        private final ColumnWriter text;
        private final MemorySegment validity;
        private long nulls;

        Filler(int column, int maxRows, BudgetArena arena) {
            this.column = column;
            this.type = schema.type(column);
            this.dictionary = column < width ? form.dictionaries[column] : null;
            boolean isText = type.byteWidth() < 0 && dictionary == null;
            this.text = isText ? new ColumnWriter(type, arena, maxRows) : null;
            long bytes = dictionary != null
                    ? maxRows * 4L
                    : type.byteWidth() > 0 ? (long) maxRows * type.byteWidth() : (maxRows + 63L) / 64 * 8;
            this.values = isText ? null : arena.allocate(bytes);
            this.validity =
                    isText ? null : arena.allocate((maxRows + 63L) / 64 * 8).fill((byte) -1);
        }

        void fill(int at, int count) {
            if (count == 0) {
                return;
            }
            if (text != null) {
                fillText(count);
                return;
            }
            fillValidity(at, count);
            if (dictionary != null) {
                for (int index = 0; index < count; index++) {
                    DictionaryColumn from = (DictionaryColumn) cursors[pickedCursors[index]].column(column);
                    values.set(INT32, (at + index) * 4L, from.code(pickedRows[index]));
                }
                return;
            }
            for (int run = 0; run < sources.length; run++) {
                sources[run] = cursors[run].isAtEnd() ? null : cursors[run].values(column);
            }
            switch (type.byteWidth()) {
                case 0 -> {
                    for (int index = 0; index < count; index++) {
                        BoolColumn from = (BoolColumn) cursors[pickedCursors[index]].column(column);
                        int row = pickedRows[index];
                        if ((from.bits().get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1) != 0) {
                            setBit(values, at + index, true);
                        }
                    }
                }
                case 4 -> {
                    for (int index = 0; index < count; index++) {
                        MemorySegment from = sources[pickedCursors[index]];
                        values.set(INT32, (at + index) * 4L, from.get(INT32, pickedRows[index] * 4L));
                    }
                }
                case 8 -> {
                    for (int index = 0; index < count; index++) {
                        MemorySegment from = sources[pickedCursors[index]];
                        values.set(INT64, (at + index) * 8L, from.get(INT64, pickedRows[index] * 8L));
                    }
                }
                default -> {
                    long bytes = type.byteWidth();
                    for (int index = 0; index < count; index++) {
                        MemorySegment from = sources[pickedCursors[index]];
                        MemorySegment.copy(from, pickedRows[index] * bytes, values, (at + index) * bytes, bytes);
                    }
                }
            }
        }

        private void fillValidity(int at, int count) {
            if (!form.mayBeNull[column]) {
                return;
            }
            for (int index = 0; index < count; index++) {
                if (!cursors[pickedCursors[index]].column(column).validity().isPresent(pickedRows[index])) {
                    setBit(validity, at + index, false);
                    nulls++;
                }
            }
        }

        private void fillText(int count) {
            for (int index = 0; index < count; index++) {
                Column from = cursors[pickedCursors[index]].column(column);
                int row = pickedRows[index];
                if (!from.validity().isPresent(row)) {
                    text.appendNull();
                    continue;
                }
                Utf8Column in;
                int entry;
                if (from instanceof DictionaryColumn codes) {
                    in = codes.dictionary().values();
                    entry = codes.code(row);
                } else {
                    in = (Utf8Column) from;
                    entry = row;
                }
                long start = in.offset(entry);
                text.appendUtf8(in.data(), start, (int) (in.offset(entry + 1) - start));
            }
        }

        private static void setBit(MemorySegment bits, int row, boolean value) {
            byte old = bits.get(ValueLayout.JAVA_BYTE, row >>> 3);
            int bit = 1 << (row & 7);
            bits.set(ValueLayout.JAVA_BYTE, row >>> 3, (byte) (value ? old | bit : old & ~bit));
        }

        Column finish(int rowCount) {
            if (text != null) {
                return text.finish();
            }
            Validity present = Validity.of(validity, rowCount, nulls);
            if (dictionary != null) {
                return new DictionaryColumn(rowCount, values, 4, dictionary, present);
            }
            return type.byteWidth() == 0
                    ? new BoolColumn(rowCount, values, present)
                    : new FixedColumn(type, rowCount, values, present);
        }
    }

    @Override
    public void close() {
        for (RunCursor cursor : cursors) {
            if (cursor != null) {
                cursor.close();
            }
        }
        reservation.close();
    }
}
