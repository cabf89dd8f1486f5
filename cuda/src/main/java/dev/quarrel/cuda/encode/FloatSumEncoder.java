package dev.quarrel.cuda.encode;

import dev.quarrel.core.device.PairSum;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import dev.quarrel.cuda.vm.VmProgram;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Exact sums of floats, and of their products for variances, covariances and regressions.
final class FloatSumEncoder {
    /// Rows of which limbs hold the sums, two values a row.
    private static final long MAX_ROWS = 1L << 30;

    private final Facts facts;
    private final ProgramWriter code;
    private final SlotAllocator slots;
    private final Hand hand;
    private final EncodedCells cells;
    private final Map<List<Object>, Integer> sums = new HashMap<>(); // by what is added up, and its filter

    FloatSumEncoder(Encoding encoding, EncodedCells cells) {
        this.facts = encoding.facts();
        this.code = encoding.code();
        this.slots = encoding.slots();
        this.hand = encoding.hand();
        this.cells = cells;
    }

    /// The sum of a value, and with `hasSquares` that of its squares.
    ///
    /// @param group where the number of the group is, or null
    /// @param argument the number of the output, for sums that others ask for too
    /// @return the first words of the sums
    List<Integer> encode(Value value, Value group, int argument, int filter, boolean hasSquares) {
        requireRoom();
        List<Object> plain = List.of(PairSum.X, argument, filter);
        List<Object> squared = List.of(PairSum.XX, argument, filter);
        Integer sum = sums.get(plain);
        Integer squares = sums.get(squared);
        if (sum == null || hasSquares && squares == null) {
            value.uses += hasSquares ? 1 : 0;
            Value number = number(value, sum == null && hasSquares && squares == null);
            if (sum == null) {
                sum = newSum(plain);
                addValue(number, group, sum);
            }
            if (hasSquares && squares == null) {
                squares = newSum(squared);
                addProduct(number, number, group, squares, value.type instanceof DataType.Float64);
            }
            value.uses -= hasSquares ? 1 : 0;
            if (number != value) {
                number.uses = 1;
                hand.used(number);
            }
        }
        return hasSquares ? List.of(sum, squares) : List.of(sum);
    }

    /// The sums over pairs (y, x), both of which are present in the current rows.
    List<Integer> encodePairs(AggregateKind kind, Value y, Value x, Value group) {
        requireRoom();
        List<Integer> words = new ArrayList<>();
        y.uses++;
        x.uses++;
        for (PairSum part : PairSum.of(kind)) {
            int sum = cells.takeShared(VmProgram.FLOAT_WORDS);
            words.add(sum);
            switch (part) {
                case X -> addValue(x, group, sum);
                case Y -> addValue(y, group, sum);
                case XX -> addProduct(x, x, group, sum, true);
                case YY -> addProduct(y, y, group, sum, true);
                case XY -> addProduct(x, y, group, sum, true);
            }
        }
        y.uses--;
        x.uses--;
        return words;
    }

    private void requireRoom() {
        if (facts.rowCount() >= MAX_ROWS) {
            throw new NoKernel("sums of so many floats have no CUDA kernel");
        }
    }

    private int newSum(List<Object> key) {
        int sum = cells.takeShared(VmProgram.FLOAT_WORDS);
        sums.put(key, sum);
        return sum;
    }

    /// A float as float64, in hand.
    private Value number(Value value, boolean isNeededAgain) {
        hand.bring(value);
        if (value.type instanceof DataType.Float64) {
            return value;
        }
        hand.spillValue();
        Value number = new Value(DataType.FLOAT64);
        number.isNullable = value.isNullable || value.constant != null;
        number.uses = isNeededAgain ? 2 : 1;
        code.emit(VmOpcode.FLOAT_WIDEN);
        hand.take(number);
        return number;
    }

    private void addValue(Value value, Value group, int sum) {
        hand.bring(value);
        if (!hand.isStored(value) && !value.isFetched() && value.uses > 1) {
            hand.store(value);
        }
        int slot = hand.isStored(value) ? value.slot : hand.scratch();
        hand.value = null;
        add(slot, group, sum);
    }

    /// Adds the nearest float64s, and what they leave.
    private void addProduct(Value one, Value other, Value group, int sum, boolean hasRest) {
        Operand operand = hand.operand(other);
        hand.bring(one);
        hand.spillValue();
        code.emit(VmOpcode.FLOAT_MULTIPLY, operand.flags(), 0, 0, operand.b(), operand.c());
        add(hand.scratch(), group, sum);
        if (hasRest) {
            hand.bring(one);
            hand.spillValue();
            int slot = slots.newSlot();
            code.emit(VmOpcode.VALUE_STORE, 0, 0, 0, slot, 0);
            code.emit(VmOpcode.FLOAT_REST, operand.flags(), 0, slot, operand.b(), operand.c());
            add(slot, group, sum);
            slots.free(slot);
        }
    }

    private void add(int slot, Value group, int sum) {
        boolean isShared = group == null;
        code.emit(
                VmOpcode.FLOAT_SUM,
                isShared ? VmInstruction.IMMEDIATE : 0,
                0,
                sum,
                isShared ? code.constant(0) : group.slot,
                slot);
    }
}
