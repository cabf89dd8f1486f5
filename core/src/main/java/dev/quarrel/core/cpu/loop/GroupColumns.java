package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.loop.LoopCompiler.Fold;
import dev.quarrel.core.cpu.loop.LoopCompiler.Update;
import dev.quarrel.core.cpu.number.NumericMath;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// Columns of fused groups, from their states.
///
/// @param states a group's lie one after the other
record GroupColumns(FusedGroups groups, long[] states) {
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

    /// The results of one aggregate.
    Column result(int number, int[] at, int count, Allocator allocator) {
        AggregateCall call = groups.calls().get(number);
        int word = groups.firstWord(number);
        return switch (call.kind()) {
            case COUNT_STAR, COUNT -> int64(at, count, 0, allocator);
            case SUM -> {
                if (!isWide(word)) {
                    yield int64(at, count, word, allocator);
                }
                DataType type = call.resultType(groups.type(call));
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

    /// The keys and partial columns as [dev.quarrel.core.device.AggregateLayout] has them.
    ///
    /// @param at where the groups' states start
    List<Column> partials(int[] at, int count, Allocator allocator) {
        List<Column> columns = new ArrayList<>();
        for (int key = 0; key < groups.keys().size(); key++) {
            columns.add(keyColumn(key, at, count, allocator));
        }
        addPartials(at, count, allocator, columns);
        return columns;
    }

    /// The partial columns alone.
    void addPartials(int[] at, int count, Allocator allocator, List<Column> to) {
        for (int call = 0; call < groups.calls().size(); call++) {
            addPartials(call, at, count, allocator, to);
        }
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
}
