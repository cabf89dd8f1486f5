package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.core.ir.Opcode;
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
            case EQ_INT16, EQ_INT32, EQ_INT64, EQ_DATE, EQ_TIMESTAMP, EQ_TIME, EQ_DECIMAL ->
                comparisons.encode("EQ", instruction, value);
            case NE_INT16, NE_INT32, NE_INT64, NE_DATE, NE_TIMESTAMP, NE_TIME, NE_DECIMAL ->
                comparisons.encode("NE", instruction, value);
            case LT_INT16, LT_INT32, LT_INT64, LT_DATE, LT_TIMESTAMP, LT_TIME, LT_DECIMAL ->
                comparisons.encode("LT", instruction, value);
            case LE_INT16, LE_INT32, LE_INT64, LE_DATE, LE_TIMESTAMP, LE_TIME, LE_DECIMAL ->
                comparisons.encode("LE", instruction, value);
            case GT_INT16, GT_INT32, GT_INT64, GT_DATE, GT_TIMESTAMP, GT_TIME, GT_DECIMAL ->
                comparisons.encode("GT", instruction, value);
            case GE_INT16, GE_INT32, GE_INT64, GE_DATE, GE_TIMESTAMP, GE_TIME, GE_DECIMAL ->
                comparisons.encode("GE", instruction, value);
            case EQ_FLOAT32,
                    NE_FLOAT32,
                    LT_FLOAT32,
                    LE_FLOAT32,
                    GT_FLOAT32,
                    GE_FLOAT32,
                    EQ_FLOAT64,
                    NE_FLOAT64,
                    LT_FLOAT64,
                    LE_FLOAT64,
                    GT_FLOAT64,
                    GE_FLOAT64 -> comparisons.floats(instruction, value);
            case ADD_INT16, ADD_INT32, ADD_INT64, ADD_DECIMAL ->
                arithmetic.exact(VmOpcode.ADD, VmOpcode.ADD, instruction, value);
            case SUB_INT16, SUB_INT32, SUB_INT64, SUB_DECIMAL ->
                arithmetic.exact(VmOpcode.SUBTRACT, VmOpcode.SUBTRACT_FROM, instruction, value);
            case MUL_INT16, MUL_INT32, MUL_INT64, MUL_DECIMAL ->
                arithmetic.exact(VmOpcode.MULTIPLY, VmOpcode.MULTIPLY, instruction, value);
            case DIV_INT16, DIV_INT32, DIV_INT64 -> arithmetic.exact(VmOpcode.DIVIDE, null, instruction, value);
            case MOD_INT16, MOD_INT32, MOD_INT64, MOD_DECIMAL ->
                arithmetic.exact(VmOpcode.REMAINDER, null, instruction, value);
            case NEG_INT16, NEG_INT32, NEG_INT64, NEG_DECIMAL -> arithmetic.unary(VmOpcode.NEGATE, instruction, value);
            case ABS_INT16, ABS_INT32, ABS_INT64, ABS_DECIMAL ->
                arithmetic.unary(VmOpcode.ABSOLUTE, instruction, value);
            case NEG_FLOAT64 -> arithmetic.unary(VmOpcode.FLOAT_NEGATE, instruction, value);
            case ABS_FLOAT64 -> arithmetic.unary(VmOpcode.FLOAT_ABSOLUTE, instruction, value);
            case ADD_FLOAT64 -> arithmetic.floats(VmOpcode.FLOAT_ADD, instruction, value);
            case SUB_FLOAT64 -> arithmetic.floats(VmOpcode.FLOAT_SUBTRACT, instruction, value);
            case MUL_FLOAT64 -> arithmetic.floats(VmOpcode.FLOAT_MULTIPLY, instruction, value);
            case DIV_FLOAT64 -> arithmetic.floats(VmOpcode.FLOAT_DIVIDE, instruction, value);
            case ADD_DATE_INT32, SUB_DATE_INT32, SUB_DATE_DATE -> arithmetic.days(instruction, value);
            case EXTRACT_DATE -> arithmetic.extract(instruction, value);
            case CAST -> casts.encode(instruction, value);
            case LENGTH, LENGTH_BINARY -> length(instruction, value);
            case EQ_UTF8, NE_UTF8, LT_UTF8, LE_UTF8, GT_UTF8, GE_UTF8 ->
                throw new NoKernel("text is compared with constants alone by CUDA kernels");
            default -> throw NoKernel.of(instruction.op());
        }
    }

    /// Of text without a dictionary.
    private void length(Instruction instruction, Value value) {
        Value of = text.lengthOf(instruction);
        if (of == null) {
            throw NoKernel.of(instruction.op());
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
