package dev.quarrel.cuda.group;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.budget.BudgetArena;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.device.AggregateLayout;
import dev.quarrel.core.ir.Pipeline;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Schema;
import dev.quarrel.cuda.encode.EncodedPipeline;
import dev.quarrel.cuda.encode.EncodedPipeline.CallWords;
import dev.quarrel.cuda.encode.GroupKey;
import dev.quarrel.cuda.facts.PipelineFacts;
import dev.quarrel.cuda.vm.VmProgram;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// The groups' cells of the device as partial aggregates, in the layout that devices share.
final class GroupCells {
    private static final int BATCH_GROUPS = 1 << 14;

    private final Pipeline pipeline;
    private final EncodedPipeline encoded;
    private final PipelineFacts facts;
    private final MemorySegment cells;
    private final MemorySegment keys;
    private final Map<Integer, MemorySegment> values;
    private final int words;

    /// @param keys of the groups, by slot; null where a group is its number
    /// @param values of grouping columns by their places in tables, by column
    GroupCells(
            Pipeline pipeline,
            EncodedPipeline encoded,
            PipelineFacts facts,
            MemorySegment cells,
            MemorySegment keys,
            Map<Integer, MemorySegment> values) {
        this.pipeline = pipeline;
        this.encoded = encoded;
        this.facts = facts;
        this.cells = cells;
        this.keys = keys;
        this.values = values;
        this.words = encoded.program().words();
        if (encoded.keys().isEmpty()) {
            for (int part = 1; part < encoded.groups(); part++) {
                addPart(part);
            }
        }
    }

    /// Without keys exact sums and registers lie in several parts, so that not all threads meet at one.
    private void addPart(int part) {
        Set<Integer> done = new HashSet<>();
        for (CallWords call : encoded.calls()) {
            for (int sum : call.sums()) {
                if (done.add(sum)) {
                    cells.setAtIndex(ValueLayout.JAVA_LONG, sum, word(0, sum) | word(part, sum));
                    for (int limb = sum + 1; limb < sum + VmProgram.FLOAT_WORDS; limb++) {
                        cells.setAtIndex(ValueLayout.JAVA_LONG, limb, word(0, limb) + word(part, limb));
                    }
                }
            }
            if (call.registerBits() > 0 && done.add(call.value())) {
                HllCells.raise(cells(0, call.value()), cells(part, call.value()), call.registerBits());
            }
        }
    }

    /// The cells from a group's word on.
    private MemorySegment cells(int group, int word) {
        return cells.asSlice(((long) group * words + word) * Long.BYTES);
    }

    /// Hands over the groups that have rows.
    ///
    /// - Memory: each batch belongs to the receiver.
    void forEachBatch(MemoryBudget budget, Consumer<Batch> receiver) {
        int[] groups = new int[BATCH_GROUPS];
        int count = 0;
        for (int group = 0; group < encoded.groups(); group++) {
            if (word(group, 0) != 0) {
                groups[count++] = group;
            }
            if (count == BATCH_GROUPS || count > 0 && group == encoded.groups() - 1) {
                receiver.accept(batch(groups, count, budget));
                count = 0;
            }
        }
    }

    private Batch batch(int[] groups, int count, MemoryBudget budget) {
        Schema layout = AggregateLayout.of(pipeline);
        BudgetArena arena = new BudgetArena(budget);
        try {
            List<Column> columns = new ArrayList<>();
            for (int key = 0; key < encoded.keys().size(); key++) {
                columns.add(key(key, groups, count, arena));
            }
            List<DataType> outputs = pipeline.lastProgram().outputTypes();
            Sink.Aggregate sink = (Sink.Aggregate) pipeline.sink();
            for (int call = 0; call < sink.calls().size(); call++) {
                int argument = sink.calls().get(call).argument();
                addCall(
                        encoded.calls().get(call),
                        argument < 0 ? null : outputs.get(argument),
                        groups,
                        count,
                        arena,
                        columns);
            }
            return Batch.owning(layout, columns, count, arena::close);
        } catch (RuntimeException | Error problem) {
            arena.close();
            throw problem;
        }
    }

    private long word(int group, int word) {
        return cells.getAtIndex(ValueLayout.JAVA_LONG, (long) group * words + word);
    }

    // ---- keys

    private Column key(int number, int[] groups, int count, Allocator allocator) {
        GroupKey key = encoded.keys().get(number);
        long[] numbers = new long[count];
        for (int index = 0; index < count; index++) {
            long group = keys == null ? groups[index] : keys.getAtIndex(ValueLayout.JAVA_LONG, groups[index]);
            numbers[index] = group / encoded.strides().get(number) % key.values();
        }
        return switch (key) {
            case GroupKey.Range range -> range(range, numbers, allocator);
            case GroupKey.Codes codes -> codes(codes, numbers, allocator);
            case GroupKey.Truth _ -> {
                ColumnWriter writer = new ColumnWriter(DataType.BOOL, allocator, count);
                for (long value : numbers) {
                    if (value == key.nullNumber()) {
                        writer.appendNull();
                    } else {
                        writer.appendBool(value == 1);
                    }
                }
                yield writer.finish();
            }
            case GroupKey.Found found -> {
                ColumnWriter writer = new ColumnWriter(found.type(), allocator, count);
                MemorySegment places = values.get(found.column());
                for (long value : numbers) {
                    if (value == found.nullNumber()) {
                        writer.appendNull();
                    } else {
                        append(
                                writer,
                                found.type(),
                                value == found.slots() ? -1 : places.getAtIndex(ValueLayout.JAVA_LONG, value));
                    }
                }
                yield writer.finish();
            }
            case GroupKey.OfBuild of -> {
                int[] rows = new int[count];
                for (int index = 0; index < count; index++) {
                    rows[index] = numbers[index] == key.nullNumber()
                            ? -1
                            : of.numbering().rowOf()[(int) numbers[index]];
                }
                yield facts.build(of.join()).gather(of.column(), rows, allocator);
            }
        };
    }

    private static Column range(GroupKey.Range key, long[] numbers, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(key.type(), allocator, numbers.length);
        for (long number : numbers) {
            if (number == key.nullNumber()) {
                writer.appendNull();
            } else {
                append(writer, key.type(), key.least() + number * key.step());
            }
        }
        return writer.finish();
    }

    private static Column codes(GroupKey.Codes key, long[] numbers, Allocator allocator) {
        MemorySegment codes = allocator.allocate(numbers.length * 4L);
        ColumnWriter presence = new ColumnWriter(DataType.INT16, allocator, numbers.length);
        for (int index = 0; index < numbers.length; index++) {
            boolean isNull = numbers[index] == key.nullNumber();
            codes.set(INT32, index * 4L, isNull ? 0 : (int) numbers[index]);
            if (isNull) {
                presence.appendNull();
            } else {
                presence.appendInt16((short) 0);
            }
        }
        Validity validity = presence.finish().validity();
        return new DictionaryColumn(numbers.length, codes, 4, key.dictionary(), validity);
    }

    /// @param value of floats: as an integer of their order
    private static void append(ColumnWriter writer, DataType type, long value) {
        switch (type) {
            case DataType.Float32 _ -> {
                int bits = value < 0 ? (int) -value | Integer.MIN_VALUE : (int) value;
                writer.appendFloat32(Float.intBitsToFloat(bits));
            }
            case DataType.Float64 _ ->
                writer.appendFloat64(Double.longBitsToDouble(value < 0 ? -value | Long.MIN_VALUE : value));
            default -> {
                switch (type.byteWidth()) {
                    case 2 -> writer.appendInt16((short) value);
                    case 4 -> writer.appendInt32((int) value);
                    case 8 -> writer.appendInt64(value);
                    default -> writer.appendDecimal(value >> 63, value);
                }
            }
        }
    }

    // ---- calls

    private void addCall(
            CallWords call, DataType argument, int[] groups, int count, Allocator allocator, List<Column> to) {
        if (call.call().kind().isPair()) {
            to.add(counts(call, argument, groups, count, allocator));
            call.sums().forEach(sum -> addFloats(call, sum, groups, count, allocator, to));
            return;
        }
        switch (call.call().kind()) {
            case COUNT_STAR, COUNT -> to.add(counts(call, argument, groups, count, allocator));
            case SUM -> addSum(call, groups, count, allocator, to);
            case AVG -> {
                addSum(call, groups, count, allocator, to);
                to.add(counts(call, argument, groups, count, allocator));
            }
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> {
                addSum(call, groups, count, allocator, to);
                to.add(counts(call, argument, groups, count, allocator));
                if (call.sums().isEmpty()) {
                    int squares = call.value() + (call.isWide() ? 2 : 1);
                    addIntegers(call, squares, true, groups, count, allocator, to);
                } else {
                    addFloats(call, call.sums().getLast(), groups, count, allocator, to);
                }
            }
            case HLL_COUNT, HLL_SKETCH -> to.add(sketches(call, groups, count, allocator));
            case MIN, MAX, BIT_AND, BIT_OR, BIT_XOR -> to.add(values(call, argument, groups, count, allocator));
            case BOOL_AND, BOOL_OR -> to.add(truths(call, groups, count, allocator));
            default -> throw new IllegalStateException(call.call().kind() + " has no cells");
        }
    }

    private Column counts(CallWords call, DataType argument, int[] groups, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.INT64, allocator, count);
        boolean isTruth = argument instanceof DataType.Bool;
        for (int index = 0; index < count; index++) {
            long rows = word(groups[index], call.count());
            writer.appendInt64(isTruth ? rows + word(groups[index], call.count() + 1) : rows);
        }
        return writer.finish();
    }

    private void addFloats(CallWords call, int sum, int[] groups, int count, Allocator allocator, List<Column> to) {
        FloatCells floats = new FloatCells(count, allocator);
        for (int index = 0; index < count; index++) {
            floats.add(cells(groups[index], sum), word(groups[index], call.count()) != 0);
        }
        floats.finish(to);
    }

    private Column sketches(CallWords call, int[] groups, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.UTF8, allocator, count);
        for (int index = 0; index < count; index++) {
            if (word(groups[index], call.count()) == 0) {
                writer.appendNull();
            } else {
                byte[] text = HllCells.sketch(cells(groups[index], call.value()), call.registerBits());
                writer.appendUtf8(MemorySegment.ofArray(text), 0, text.length);
            }
        }
        return writer.finish();
    }

    private void addSum(CallWords call, int[] groups, int count, Allocator allocator, List<Column> to) {
        if (call.sums().isEmpty()) {
            addIntegers(call, call.value(), call.isWide(), groups, count, allocator, to);
        } else {
            addFloats(call, call.sums().getFirst(), groups, count, allocator, to);
        }
    }

    private void addIntegers(
            CallWords call, int first, boolean isWide, int[] groups, int count, Allocator allocator, List<Column> to) {
        ColumnWriter low = new ColumnWriter(DataType.INT64, allocator, count);
        ColumnWriter middle = new ColumnWriter(DataType.INT64, allocator, count);
        ColumnWriter high = new ColumnWriter(DataType.INT64, allocator, count);
        for (int index = 0; index < count; index++) {
            int group = groups[index];
            if (word(group, call.count()) == 0) {
                low.appendNull();
                middle.appendInt64(0);
                high.appendInt64(0);
                continue;
            }
            if (!isWide) {
                low.appendInt64(word(group, first));
                continue;
            }
            // lower + upper * 2^32, in 128 bits; the lower part is not negative.
            long lower = word(group, first);
            long upper = word(group, first + 1);
            long sum = (upper << 32) + lower;
            long carry = Long.compareUnsigned(sum, lower) < 0 ? 1 : 0;
            long top = (upper >> 32) + carry;
            low.appendInt64(sum);
            middle.appendInt64(top);
            high.appendInt64(top >> 63);
        }
        to.add(low.finish());
        if (isWide) {
            to.add(middle.finish());
            to.add(high.finish());
        }
    }

    private Column values(CallWords call, DataType type, int[] groups, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(type, allocator, count);
        for (int index = 0; index < count; index++) {
            int group = groups[index];
            if (word(group, call.count()) == 0) {
                writer.appendNull();
                continue;
            }
            long word = word(group, call.value());
            long value =
                    switch (call.call().kind()) {
                        case MAX -> word ^ Long.MIN_VALUE;
                        case MIN -> ~word ^ Long.MIN_VALUE;
                        case BIT_AND -> ~word;
                        default -> word;
                    };
            switch (type) {
                case DataType.Float32 _ -> writer.appendFloat32((float) ofRank(value));
                case DataType.Float64 _ -> writer.appendFloat64(ofRank(value));
                default -> append(writer, type, value);
            }
        }
        return writer.finish();
    }

    /// The float that an integer of the order with -0 below 0 stands for.
    private static double ofRank(long rank) {
        return Double.longBitsToDouble(rank ^ rank >> 63 & Long.MAX_VALUE);
    }

    private Column truths(CallWords call, int[] groups, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.BOOL, allocator, count);
        for (int index = 0; index < count; index++) {
            long whenTrue = word(groups[index], call.value());
            long whenFalse = word(groups[index], call.value() + 1);
            if (whenTrue + whenFalse == 0) {
                writer.appendNull();
            } else {
                writer.appendBool(
                        call.call().kind() == dev.quarrel.core.ir.AggregateKind.BOOL_AND
                                ? whenFalse == 0
                                : whenTrue > 0);
            }
        }
        return writer.finish();
    }
}
