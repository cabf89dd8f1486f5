package dev.quarrel.cuda.encode;

import dev.quarrel.core.device.PairSum;
import dev.quarrel.core.ir.AggregateCall;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.ir.Sink;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.encode.EncodedPipeline.CallWords;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import dev.quarrel.cuda.vm.VmProgram;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Aggregates: rows are added to the cells of their groups, or to those of the thread.
final class AggregateEncoder {
    /// Digits of decimals whose squares are summed as integers (`AggregateLayout`).
    private static final int MAX_SQUARED_DIGITS = 18;

    private final Sink.Aggregate sink;
    private final ProgramWriter code;
    private final Hand hand;
    private final EncodedCells cells;
    private final int split; // mask slots, or -1
    private final boolean isClustered;
    private boolean isWhole = true; // whether all rows of groups are current, and present
    private final FloatSumEncoder floats;
    private final SketchEncoder sketches;
    private final List<CallWords> calls = new ArrayList<>();
    private final Map<List<Integer>, Integer> counts = new HashMap<>(); // by argument and filter: the word that counts

    /// @param split the mask slots by which rows are split into groups; -1 where blocks have no cells of groups
    /// @param isClustered whether most rows near each other are of one group
    AggregateEncoder(Encoding encoding, EncodedCells cells, int split, boolean isClustered) {
        this.split = split;
        this.isClustered = isClustered;
        this.sink = (Sink.Aggregate) encoding.pipeline().sink();
        this.code = encoding.code();
        this.hand = encoding.hand();
        this.cells = cells;
        this.floats = new FloatSumEncoder(encoding, cells);
        this.sketches = new SketchEncoder(encoding, cells);
    }

    /// Words that a group may come to have at most.
    static int mostWords(Sink.Aggregate sink, List<Value> outputs) {
        int words = 1;
        for (AggregateCall call : sink.calls()) {
            boolean isFloat = call.argument() >= 0 && isFloat(outputs.get(call.argument()).type);
            words += switch (call.kind()) {
                case SUM, AVG, VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP ->
                    isFloat ? 1 + 2 * VmProgram.FLOAT_WORDS : 5;
                case HLL_COUNT, HLL_SKETCH ->
                    1
                            + VmProgram.hllWords(SketchEncoder.registerBits(
                                    outputs.get(call.arguments().get(1))));
                default -> call.kind().isPair() ? 1 + PairSum.of(call.kind()).size() * VmProgram.FLOAT_WORDS : 3;
            };
        }
        return words;
    }

    private static boolean isFloat(DataType type) {
        return type instanceof DataType.Float32 || type instanceof DataType.Float64;
    }

    /// Writes what adds rows to cells.
    ///
    /// @param group where the number of the group is, or null without keys
    /// @return where the calls are in a group's words
    List<CallWords> encode(List<Value> outputs, Value group) {
        boolean isGrouped = group != null;
        List<Integer> order = new ArrayList<>();
        for (int call = 0; call < sink.calls().size(); call++) {
            order.add(call);
            calls.add(null);
        }
        // Rows are counted with the first sum of values that are always there.
        int counting = -1;
        for (int call = 0; call < sink.calls().size() && counting < 0; call++) {
            AggregateCall candidate = sink.calls().get(call);
            boolean isSum = candidate.kind() == AggregateKind.SUM || candidate.kind() == AggregateKind.AVG;
            if (isSum && candidate.filter() < 0) {
                Value argument = outputs.get(candidate.argument());
                boolean isNarrow = argument.type instanceof DataType.Int16 || argument.type instanceof DataType.Int32;
                counting = isNarrow && !argument.isNullable ? call : -1;
            }
        }
        if (counting < 0) {
            count(group, 0, false);
        }
        Rows all = hand.rows;
        Map<List<Object>, CallWords> known = new HashMap<>();
        counts.clear();
        for (int number : order) {
            AggregateCall call = sink.calls().get(number);
            List<Object> same = List.of(
                    call.kind() == AggregateKind.AVG ? AggregateKind.SUM : call.kind(),
                    call.arguments(),
                    call.filter());
            CallWords found = known.get(same);
            if (found != null) {
                calls.set(number, found.of(call));
                release(call, outputs);
                continue;
            }
            if (call.filter() >= 0) {
                all.uses = Value.OTHERS;
                hand.spillRows();
                Value filter = outputs.get(call.filter());
                hand.bringTruth(filter);
                code.emit(VmOpcode.FILTER_TRUE);
                hand.rows = new Rows(all);
            }
            CallWords made = call(call, outputs, group, number == counting);
            known.put(same, made);
            calls.set(number, made);
            release(call, outputs);
            if (call.filter() >= 0) {
                code.emit(VmOpcode.MASK_LOAD, 0, all.slot, 0, 0, 0);
                hand.rows = all;
            }
        }
        if (cells.ownWords() > VmProgram.MAX_OWN_WORDS) {
            throw new NoKernel("so many aggregates at a time have no CUDA kernel");
        }
        return calls;
    }

    /// Counts how often the sink asks for each output: nobody else does.
    static void countUses(Sink.Aggregate sink, List<Value> outputs) {
        outputs.forEach(value -> value.uses = 0);
        sink.keys().forEach(key -> outputs.get(key).uses++);
        for (AggregateCall call : sink.calls()) {
            call.arguments().forEach(argument -> outputs.get(argument).uses++);
            if (call.filter() >= 0) {
                outputs.get(call.filter()).uses++;
            }
        }
    }

    /// A call needs its values no longer: their slots are free when no other does.
    private void release(AggregateCall call, List<Value> outputs) {
        call.arguments().forEach(argument -> hand.used(outputs.get(argument)));
        if (call.filter() >= 0) {
            hand.used(outputs.get(call.filter()));
        }
    }

    private void count(Value group, int word, boolean present) {
        aggregate(VmOpcode.OWN_COUNT, VmOpcode.GROUP_COUNT, group, present ? VmInstruction.VALID : 0, word, 0);
    }

    private void aggregate(VmOpcode own, VmOpcode grouped, Value group, int flags, int word, int k) {
        if (group == null) {
            code.emit(own, flags, k, word, 0, 0);
        } else {
            if (split >= 0) {
                aggregateInBlock(grouped, group, flags, word, k);
            } else {
                code.emit(grouped, isClustered ? flags | VmInstruction.CLUSTERED : flags, k, word, group.slot, 0);
            }
        }
    }

    private void aggregateInBlock(VmOpcode grouped, Value group, int flags, int word, int k) {
        int all = isWhole ? VmInstruction.SKIP : 0;
        switch (grouped) {
            case GROUP_COUNT -> code.emit(VmOpcode.BLOCK_COUNT, flags | all, k, word, group.slot, split);
            case GROUP_COUNT_TRUTH -> code.emit(VmOpcode.BLOCK_COUNT_TRUTH, flags, k, word, group.slot, split);
            case GROUP_SUM -> code.emit(VmOpcode.BLOCK_SUM, flags | all, k, word, group.slot, split);
            case GROUP_SUM_COUNT -> {
                code.emit(VmOpcode.BLOCK_COUNT, all, 0, 0, group.slot, split);
                code.emit(VmOpcode.BLOCK_SUM, flags | all, k, word, group.slot, split);
            }
            case GROUP_WIDE_SUM -> {
                cells.pair(word);
                code.emit(VmOpcode.BLOCK_WIDE_SUM, flags | all, k, word, group.slot, split);
            }
            case GROUP_BEST -> code.emit(VmOpcode.BLOCK_BEST, flags, k, word, group.slot, 0);
            case GROUP_BITS -> code.emit(VmOpcode.BLOCK_BITS, flags, k, word, group.slot, 0);
            default -> throw new IllegalArgumentException("what is " + grouped);
        }
    }

    private CallWords call(AggregateCall call, List<Value> outputs, Value group, boolean isCounting) {
        isWhole = false;
        if (call.kind() == AggregateKind.COUNT_STAR) {
            if (call.filter() < 0) {
                return new CallWords(call, 0, -1, false);
            }
            int word = cells.take(1, VmProgram.REDUCE_ADD);
            count(group, word, false);
            return new CallWords(call, word, -1, false);
        }
        if (call.kind().isPair()) {
            return pairCall(call, outputs, group);
        }
        switch (call.kind()) {
            case COUNT,
                    SUM,
                    AVG,
                    MIN,
                    MAX,
                    BOOL_AND,
                    BOOL_OR,
                    BIT_AND,
                    BIT_OR,
                    BIT_XOR,
                    VAR_POP,
                    VAR_SAMP,
                    STDDEV_POP,
                    STDDEV_SAMP,
                    HLL_COUNT,
                    HLL_SKETCH -> {}
            default -> throw new NoKernel(call.kind().name().toLowerCase(Locale.ROOT) + " has no CUDA kernel");
        }
        Value argument = outputs.get(call.argument());
        boolean isNull = argument.constant != null && argument.constant.isNull();
        boolean isAlways = !argument.isNullable && !isNull && !argument.isTruth();
        if (call.kind() == AggregateKind.COUNT && isAlways && call.filter() < 0) {
            return new CallWords(call, 0, -1, false);
        }
        if (argument.isTruth()) {
            return truthCall(call, argument, group);
        }
        isWhole = isAlways && call.filter() < 0;
        boolean isSketch = call.kind() == AggregateKind.HLL_COUNT || call.kind() == AggregateKind.HLL_SKETCH;
        if (call.kind() != AggregateKind.COUNT && !isSketch) {
            checkCall(call, argument.type);
        }
        hand.bring(argument);
        int count = 0;
        if (!isAlways || call.filter() >= 0) {
            List<Integer> counted = List.of(call.argument(), call.filter());
            count = counts.getOrDefault(counted, 0);
            if (count == 0) {
                count = cells.take(1, VmProgram.REDUCE_ADD);
                count(group, count, true);
                counts.put(counted, count);
            }
        }
        switch (call.kind()) {
            case COUNT -> {
                return new CallWords(call, count, -1, false);
            }
            case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> {
                if (!isFloat(argument.type)) {
                    return exactVariance(call, argument, group, count);
                }
                List<Integer> sums = floats.encode(argument, group, call.argument(), call.filter(), true);
                return new CallWords(call, count, -1, false, sums, 0);
            }
            case HLL_COUNT, HLL_SKETCH -> {
                int bits =
                        SketchEncoder.registerBits(outputs.get(call.arguments().get(1)));
                int word = sketches.encode(argument, group, bits);
                return new CallWords(call, count, word, false, List.of(), bits);
            }
            case SUM, AVG -> {
                if (isFloat(argument.type)) {
                    List<Integer> sums = floats.encode(argument, group, call.argument(), call.filter(), false);
                    return new CallWords(call, count, -1, false, sums, 0);
                }
                boolean isWide = isWide(argument.type);
                int word = cells.take(isWide ? 2 : 1, VmProgram.REDUCE_ADD);
                if (isWide) {
                    aggregate(VmOpcode.OWN_WIDE_SUM, VmOpcode.GROUP_WIDE_SUM, group, 0, word, 0);
                } else {
                    VmOpcode grouped = isCounting ? VmOpcode.GROUP_SUM_COUNT : VmOpcode.GROUP_SUM;
                    aggregate(VmOpcode.OWN_SUM, grouped, group, 0, word, isCounting && group == null ? 1 : 0);
                }
                return new CallWords(call, count, word, isWide);
            }
            case MIN, MAX -> {
                if (isFloat(argument.type)) {
                    hand.spillValue();
                    if (argument.type instanceof DataType.Float32) {
                        code.emit(VmOpcode.FLOAT_WIDEN);
                    }
                    code.emit(VmOpcode.FLOAT_RANK);
                }
                int word = cells.take(1, VmProgram.REDUCE_MAX);
                int flags = call.kind() == AggregateKind.MIN ? VmInstruction.NEGATE : 0;
                aggregate(VmOpcode.OWN_BEST, VmOpcode.GROUP_BEST, group, flags, word, 0);
                return new CallWords(call, count, word, false);
            }
            default -> {
                boolean isXor = call.kind() == AggregateKind.BIT_XOR;
                int word = cells.take(1, isXor ? VmProgram.REDUCE_XOR : VmProgram.REDUCE_OR);
                int flags = call.kind() == AggregateKind.BIT_AND ? VmInstruction.NEGATE : 0;
                aggregate(VmOpcode.OWN_BITS, VmOpcode.GROUP_BITS, group, flags, word, isXor ? 1 : 0);
                return new CallWords(call, count, word, false);
            }
        }
    }

    private static boolean isWide(DataType type) {
        return !(type instanceof DataType.Int16 || type instanceof DataType.Int32);
    }

    /// The sum, then that of squares in two words: squares beyond 64 bits are the CPU's business.
    private CallWords exactVariance(AggregateCall call, Value argument, Value group, int count) {
        boolean isWide = isWide(argument.type);
        int word = cells.take(isWide ? 4 : 3, VmProgram.REDUCE_ADD);
        argument.uses++;
        Operand same = hand.operand(argument);
        hand.bring(argument);
        if (isWide) {
            aggregate(VmOpcode.OWN_WIDE_SUM, VmOpcode.GROUP_WIDE_SUM, group, 0, word, 0);
        } else {
            aggregate(VmOpcode.OWN_SUM, VmOpcode.GROUP_SUM, group, 0, word, 0);
        }
        hand.spillValue();
        code.emit(VmOpcode.MULTIPLY, same.flags(), 0, 0, same.b(), same.c());
        aggregate(VmOpcode.OWN_WIDE_SUM, VmOpcode.GROUP_WIDE_SUM, group, 0, word + (isWide ? 2 : 1), 0);
        argument.uses--;
        return new CallWords(call, count, word, isWide);
    }

    /// Over the rows in which both values are present.
    private CallWords pairCall(AggregateCall call, List<Value> outputs, Value group) {
        Rows all = hand.rows;
        all.uses = Value.OTHERS;
        hand.spillRows();
        Value y = outputs.get(call.arguments().get(0));
        Value x = outputs.get(call.arguments().get(1));
        for (Value value : List.of(y, x)) {
            hand.bring(value);
            code.emit(VmOpcode.FILTER_PRESENT);
            hand.rows = new Rows(hand.rows);
        }
        int count = cells.take(1, VmProgram.REDUCE_ADD);
        count(group, count, false);
        List<Integer> sums = floats.encodePairs(call.kind(), y, x, group);
        code.emit(VmOpcode.MASK_LOAD, 0, all.slot, 0, 0, 0);
        hand.rows = all;
        return new CallWords(call, count, -1, false, sums, 0);
    }

    private CallWords truthCall(AggregateCall call, Value argument, Value group) {
        List<Integer> counted = List.of(call.argument(), call.filter());
        int known = counts.getOrDefault(counted, 0);
        if (known > 0) {
            return new CallWords(call, known, known, false);
        }
        hand.bringTruth(argument);
        int word = cells.take(2, VmProgram.REDUCE_ADD);
        counts.put(counted, word);
        aggregate(VmOpcode.OWN_COUNT_TRUTH, VmOpcode.GROUP_COUNT_TRUTH, group, 0, word, 0);
        return new CallWords(call, word, word, false);
    }

    private static void checkCall(AggregateCall call, DataType type) {
        boolean isVariance =
                switch (call.kind()) {
                    case VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP -> true;
                    default -> false;
                };
        boolean isKnown =
                switch (type) {
                    case DataType.Int16 _, DataType.Int32 _, DataType.Int64 _ -> true;
                    case DataType.Decimal(int precision, int _) -> !isVariance || precision <= MAX_SQUARED_DIGITS;
                    case DataType.Float32 _, DataType.Float64 _ -> true;
                    case DataType.Date _, DataType.Time _, DataType.Timestamp _ ->
                        call.kind() == AggregateKind.MIN || call.kind() == AggregateKind.MAX;
                    default -> false;
                };
        if (!isKnown) {
            throw new NoKernel(call.kind().name().toLowerCase(Locale.ROOT) + " of " + type + " has no CUDA kernel");
        }
    }
}
