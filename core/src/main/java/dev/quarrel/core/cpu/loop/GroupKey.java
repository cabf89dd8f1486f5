package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.join.JoinTable;
import dev.quarrel.core.cpu.loop.FlatPipeline.Origin;
import dev.quarrel.core.cpu.rows.IntStore;
import dev.quarrel.core.cpu.rows.TextStore;
import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// A grouping column whose values are few, and have numbers, before a loop runs.
sealed interface GroupKey {
    /// Build rows whose values are counted beforehand.
    int MAX_BUILD_ROWS = 1 << 20;
    /// Values of a window that are worth it.
    int MIN_WINDOW = 1 << 8;

    /// How many values it has.
    int values();

    /// The column of some groups, by the values' numbers.
    Column column(int[] numbers, int count, Allocator allocator);

    /// Codes of a table's dictionary.
    record Codes(int input, Dictionary dictionary) implements GroupKey {
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
    record Range(int input, DataType type, long least, int values) implements GroupKey {
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
    record Window(int input, DataType type, int values) implements GroupKey {
        @Override
        public Column column(int[] numbers, int count, Allocator allocator) {
            throw new IllegalStateException("numbers of a window that moves");
        }
    }

    /// A column of a build side.
    ///
    /// @param numberOf by build row
    /// @param rowOf by the value's number: a build row that has it
    record Payload(int join, ValueStore store, int[] numberOf, int[] rowOf) implements GroupKey {
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

    /// The key that a column makes.
    ///
    /// - Errors: [NotFused] where its values are not known, or are too many.
    ///
    /// @param tableColumns of the scan, as indexes into the table's
    /// @param maxPlaces how many values it may have
    static GroupKey of(Origin origin, FusedPipeline fused, Table table, int[] tableColumns, long maxPlaces) {
        return switch (origin) {
            case Origin.Input(int column, DataType.Utf8 _) -> {
                Dictionary dictionary = table.dictionary(tableColumns[column]);
                if (dictionary == null) {
                    throw new NotFused();
                }
                yield new Codes(column, dictionary);
            }
            case Origin.Input(int column, DataType type) -> {
                if (!LoopTerms.isInteger(type)) {
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
                yield new Range(column, type, least, (int) width + 1);
            }
            case Origin.Payload(int join, int column, DataType _) -> payload(fused.table(join), join, column);
            case Origin.Computed _, Origin.Constant _ -> throw new NotFused();
        };
    }

    /// The key of groups whose rows lie clustered.
    ///
    /// - Errors: [NotFused] where it is not one integer, or so few values are not worth it.
    ///
    /// @param values how many there are at a time
    static Window window(Sink.Aggregate sink, FusedPipeline fused, int values) {
        if (sink.calls().isEmpty()
                || values < MIN_WINDOW
                || sink.keys().size() != 1
                || !(fused.outputs().get(sink.keys().getFirst()) instanceof Origin.Input(int column, DataType type))
                || !LoopTerms.isInteger(type)) {
            throw new NotFused();
        }
        return new Window(column, type, values);
    }

    private static Payload payload(JoinTable build, int join, int column) {
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
        return new Payload(join, store, numberOf, Arrays.copyOf(rowOf, count));
    }
}
