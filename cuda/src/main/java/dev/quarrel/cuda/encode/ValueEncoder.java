package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;

/// Instructions that give values: which encoder has each, and those of truths.
final class ValueEncoder {
    private final Body body;
    private final ProgramWriter code;
    private final SlotAllocator slots;
    private final Hand hand;
    private final ComparisonEncoder comparisons;
    private final ArithmeticEncoder arithmetic;
    private final CastEncoder casts;
    private final TimeEncoder times;
    private final TextConditions text;
    private final Fetch fetch;

    ValueEncoder(Body body, Encoding encoding, TextConditions text) {
        this.body = body;
        this.text = text;
        this.fetch = new Fetch(encoding.facts(), encoding.code(), encoding.seen());
        this.code = encoding.code();
        this.slots = encoding.slots();
        this.hand = encoding.hand();
        this.comparisons = new ComparisonEncoder(body, encoding);
        this.arithmetic = new ArithmeticEncoder(body, encoding);
        this.casts = new CastEncoder(body, encoding);
        this.times = new TimeEncoder(body, encoding);
    }

    /// Writes an instruction that gives a value.
    void encode(Instruction instruction, Value value) {
        switch (instruction.op()) {
            case SELECT -> select(instruction, value);
            case AND, OR, EQ_BOOL, NE_BOOL -> connect(instruction, value);
            case NOT, IS_TRUE, IS_FALSE -> {
                Value argument = body.argument(instruction, 0);
                hand.bringTruth(argument);
                hand.used(argument);
                hand.spillTruth();
                code.emit(
                        switch (instruction.op()) {
                            case NOT -> VmOpcode.BOOL_NOT;
                            case IS_TRUE -> VmOpcode.BOOL_IS_TRUE;
                            default -> VmOpcode.BOOL_IS_FALSE;
                        });
                hand.takeTruth(value);
            }
            case IS_NULL, IS_NOT_NULL -> isNull(instruction, value);
            case ADD_DATE_INT32, SUB_DATE_INT32, SUB_DATE_DATE -> arithmetic.days(instruction, value);
            case EXTRACT_DATE -> arithmetic.extract(instruction, value);
            case BIN_TIMESTAMP -> times.bin(instruction, value);
            case TRUNC_TIMESTAMP -> times.truncate(instruction, value);
            case CAST -> {
                Value argument = body.argument(instruction, 0);
                if (argument.type instanceof DataType.Timestamp && value.type instanceof DataType.Date) {
                    times.date(argument, value);
                } else {
                    casts.encode(instruction, value);
                }
            }
            case LENGTH, LENGTH_BINARY -> length(instruction, value);
            default -> {
                if (instruction.op().relation() != null) {
                    comparisons.encode(instruction, value);
                } else if (instruction.op().arithmetic() != null) {
                    arithmetic.encode(instruction.op().arithmetic(), instruction, value);
                } else {
                    throw NoKernel.of(instruction);
                }
            }
        }
    }

    /// Of text without a dictionary.
    private void length(Instruction instruction, Value value) {
        Value of = text.lengthOf(instruction);
        if (of == null) {
            throw NoKernel.of(instruction);
        }
        hand.spillValue();
        int slot = slots.newSlot();
        fetch.length(of.input, instruction.op() == Opcode.LENGTH_BINARY, slot);
        slots.free(slot);
        value.isNullable = of.isNullable;
        hand.take(value);
    }

    private void select(Instruction instruction, Value value) {
        Rows first = body.rows(instruction.arguments().getFirst());
        Value inside = body.argument(instruction, 1);
        Value outside = body.argument(instruction, 2);
        value.isNullable = inside.isNullable
                || outside.isNullable
                || inside.constant != null && inside.constant.isNull()
                || outside.constant != null && outside.constant.isNull();
        value.bounds = Value.union(inside.bounds, outside.bounds);
        value.sure = Value.union(inside.sureBounds(), outside.sureBounds());
        if (first == hand.rows) {
            first.slot = first.slot < 0 ? slots.newMaskSlots(1) : first.slot;
            code.emit(VmOpcode.MASK_STORE, 0, first.slot, 0, 0, 0);
        }
        if (value.isTruth()) {
            if (!hand.isStored(inside)) {
                hand.bringTruth(inside);
                storeAgain(inside);
            }
            hand.bringTruth(outside);
            hand.used(outside);
            hand.spillTruth();
            code.emit(VmOpcode.BOOL_SELECT, 0, inside.slot, first.slot, 0, 0);
            hand.used(inside);
            hand.used(first);
            hand.takeTruth(value);
            return;
        }
        Lanes.require(value.type);
        Operand operand = hand.operand(inside);
        hand.bring(outside);
        hand.used(outside);
        hand.spillValue();
        code.emit(VmOpcode.SELECT, operand.flags(), 0, first.slot, operand.b(), operand.c());
        hand.used(inside);
        hand.used(first);
        hand.take(value);
    }

    private void storeAgain(Value value) {
        value.slot = -1;
        hand.storeTruth(value);
    }

    private void connect(Instruction instruction, Value value) {
        Value x = body.argument(instruction, 0);
        Value y = body.argument(instruction, 1);
        Value inHand = hand.truth == y && !y.isFetched() && hand.isStored(x) ? y : x;
        Value other = inHand == x ? y : x;
        if (!hand.isStored(other)) {
            // What is fetched is fetched in the current rows: those of x, which are no fewer than y's.
            hand.bringTruth(other);
            storeAgain(other);
        }
        hand.bringTruth(inHand);
        hand.used(inHand);
        hand.spillTruth();
        VmOpcode op =
                switch (instruction.op()) {
                    case AND -> VmOpcode.BOOL_AND;
                    case OR -> VmOpcode.BOOL_OR;
                    default -> VmOpcode.BOOL_EQUAL;
                };
        int flags = instruction.op() == Opcode.NE_BOOL ? VmInstruction.NEGATE : 0;
        code.emit(op, flags, other.slot, 0, 0, 0);
        hand.used(other);
        hand.takeTruth(value);
    }

    private void isNull(Instruction instruction, Value value) {
        Value argument = body.argument(instruction, 0);
        int flags = instruction.op() == Opcode.IS_NOT_NULL ? VmInstruction.NEGATE : 0;
        if (argument.isTruth()) {
            hand.bringTruth(argument);
            hand.used(argument);
            hand.spillTruth();
            code.emit(VmOpcode.BOOL_IS_NULL, flags, 0, 0, 0, 0);
        } else {
            hand.bring(argument);
            hand.used(argument);
            hand.spillTruth();
            code.emit(VmOpcode.VALUE_IS_NULL, flags, 0, 0, 0, 0);
        }
        hand.takeTruth(value);
    }
}
