package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.ir.Relation;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;

/// Comparisons of numbers, dates and times.
final class ComparisonEncoder {
    private final Body body;
    private final ProgramWriter code;
    private final Hand hand;

    ComparisonEncoder(Body body, Encoding encoding) {
        this.body = body;
        this.code = encoding.code();
        this.hand = encoding.hand();
    }

    void encode(Instruction instruction, Value value) {
        Value x = body.argument(instruction, 0);
        Value y = body.argument(instruction, 1);
        Relation relation = instruction.op().relation();
        switch (instruction.op().arguments().getFirst()) {
            case INT16, INT32, INT64, DECIMAL, DATE, TIMESTAMP, TIME -> compare(relation, x, y, value);
            case FLOAT32, FLOAT64 -> compare(relation, ordered(x), ordered(y), value);
            case UTF8 -> throw new NoKernel("text is compared with constants alone by CUDA kernels");
            default -> throw NoKernel.of(instruction);
        }
    }

    private void compare(Relation relation, Value x, Value y, Value value) {
        Lanes.require(x.type);
        Sides sides = hand.sides(x, y, true);
        VmOpcode op =
                switch (relation) {
                    case EQ, NE -> VmOpcode.EQUAL;
                    case LT, GE -> sides.isReversed() ? VmOpcode.LESS_EQUAL : VmOpcode.LESS;
                    default -> sides.isReversed() ? VmOpcode.LESS : VmOpcode.LESS_EQUAL;
                };
        // x < y is "hand less than operand", or, with y in hand, "not (hand at most operand)".
        boolean isNegated =
                switch (relation) {
                    case EQ -> false;
                    case NE -> true;
                    case LT, LE -> sides.isReversed();
                    default -> !sides.isReversed();
                };
        hand.spillTruth();
        Value inHand = sides.isReversed() ? y : x;
        inHand.uses--;
        boolean isMasked = (sides.operand().flags() & VmInstruction.MASKED) != 0;
        if (isMasked) {
            hand.spillValue(); // the instruction takes presence away from the value in hand
        }
        code.emit(
                op,
                sides.operand().flags() | (isNegated ? VmInstruction.NEGATE : 0),
                0,
                0,
                sides.operand().b(),
                sides.operand().c());
        inHand.uses++;
        hand.used(x);
        hand.used(y);
        hand.takeTruth(value);
    }

    /// A float as an integer of its order: -0 is 0, NaN is greatest.
    private Value ordered(Value value) {
        boolean isDouble = value.type instanceof DataType.Float64;
        Value order = new Value(isDouble ? DataType.INT64 : DataType.INT32);
        order.uses = 1;
        order.isNullable = value.isNullable;
        if (value.constant != null && !value.constant.isNull()) {
            hand.used(value);
            long number = isDouble ? order((Double) value.constant.value()) : order((Float) value.constant.value());
            order.constant = new Literal(order.type, number);
            return order;
        }
        hand.bring(value);
        hand.used(value);
        hand.spillValue();
        code.emit(isDouble ? VmOpcode.FLOAT_ORDER : VmOpcode.FLOAT32_ORDER);
        hand.take(order);
        return order;
    }

    static long order(double value) {
        long bits = Double.doubleToLongBits(value);
        return bits < 0 ? -(bits & Long.MAX_VALUE) : bits;
    }

    static long order(float value) {
        int bits = Float.floatToIntBits(value);
        return bits < 0 ? -(bits & Integer.MAX_VALUE) : bits;
    }
}
