package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Instruction;
import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import java.util.Map;

/// Instructions that narrow the rows.
final class MaskEncoder {
    private final Body body;
    private final Facts facts;
    private final ProgramWriter code;
    private final SlotAllocator slots;
    private final Hand hand;
    private final Usage known;
    private final Usage seen;

    MaskEncoder(Body body, Encoding encoding) {
        this.body = body;
        this.facts = encoding.facts();
        this.code = encoding.code();
        this.slots = encoding.slots();
        this.hand = encoding.hand();
        this.known = encoding.known();
        this.seen = encoding.seen();
    }

    void encode(Instruction instruction, int at) {
        int result = instruction.result();
        Rows outer = body.rows(instruction.mask());
        Rows inner = new Rows(outer);
        inner.uses = body.useOfRows[result];
        for (Map.Entry<Integer, Integer> entry : body.merged.entrySet()) {
            inner.uses += entry.getValue() == result ? body.useOfRows[entry.getKey()] : 0;
        }
        if (body.rangeOf.containsKey(result)) {
            hand.moveTo(outer);
            hand.used(outer);
            hand.spillRows();
            encodeRange(body.rangeOf.get(result), skipFlag(result, at));
        } else {
            narrow(instruction, outer, at);
        }
        body.rows[result] = inner;
        hand.rows = inner;
    }

    private void encodeRange(long[] range, int flags) {
        Value column = body.in.get((int) range[0]);
        ColumnForm form = facts.form(column.input);
        long low = Math.max(range[1], form.least());
        long high = Math.min(range[2], form.greatest());
        if (low > high) {
            code.emit(VmOpcode.BOOL_CONST, 0, 2, 0, 0, 0);
            hand.truth = null;
            code.emit(VmOpcode.FILTER_TRUE, flags, 0, 0, 0, 0);
            return;
        }
        if (hand.isInHand(column) || hand.isStored(column)) {
            hand.bring(column);
            hand.spillTruth();
            code.emit(VmOpcode.RANGE, 0, 0, code.constant(low), code.constant(high), 0);
            code.emit(VmOpcode.FILTER_TRUE, flags, 0, 0, 0, 0);
            return;
        }
        hand.spillValue();
        seen.fetch(column.input);
        int number = code.column(column.input);
        boolean isFetchedAgain = known.fetches(column.input) > 1;
        boolean isAdded = form.base() != 0 && isFetchedAgain;
        VmOpcode op =
                switch (form.physical()) {
                    case I8 -> VmOpcode.LOAD_RANGE_I8;
                    case I16 -> VmOpcode.LOAD_RANGE_I16;
                    case I24 -> VmOpcode.LOAD_RANGE_I24;
                    default -> VmOpcode.LOAD_RANGE_I32;
                };
        code.emit(
                op,
                flags | (isAdded ? VmInstruction.IMMEDIATE : 0),
                number,
                code.constant(low - form.base()),
                code.constant(high - form.base()),
                isAdded ? code.base(form) : 0);
        hand.value = null;
        if (form.base() == 0 || isAdded) {
            hand.value = column;
            hand.valueRows = hand.rows;
            if (column.slot < 0 && isFetchedAgain) {
                hand.store(column);
            }
        }
    }

    private void narrow(Instruction instruction, Rows outer, int at) {
        switch (instruction.op()) {
            case MASK_TRUE, MASK_NOT_TRUE, MASK_NOT_FALSE -> {
                Value argument = body.values[instruction.arguments().getFirst()];
                hand.moveTo(outer);
                hand.bringTruth(argument);
                hand.used(argument);
                hand.used(outer);
                hand.spillRows();
                VmOpcode op =
                        switch (instruction.op()) {
                            case MASK_TRUE -> VmOpcode.FILTER_TRUE;
                            case MASK_NOT_TRUE -> VmOpcode.FILTER_NOT_TRUE;
                            default -> VmOpcode.FILTER_NOT_FALSE;
                        };
                code.emit(op, skipFlag(instruction.result(), at), 0, 0, 0, 0);
            }
            case MASK_PRESENT -> {
                Value argument = body.values[instruction.arguments().getFirst()];
                hand.moveTo(outer);
                if (argument.isTruth()) {
                    hand.bringTruth(argument);
                    hand.used(argument);
                    hand.spillTruth();
                    hand.used(outer);
                    hand.spillRows();
                    code.emit(VmOpcode.BOOL_IS_NULL, VmInstruction.NEGATE, 0, 0, 0, 0);
                    code.emit(VmOpcode.FILTER_TRUE, skipFlag(instruction.result(), at), 0, 0, 0, 0);
                } else {
                    hand.bring(argument);
                    hand.used(argument);
                    hand.used(outer);
                    hand.spillRows();
                    code.emit(VmOpcode.FILTER_PRESENT, skipFlag(instruction.result(), at), 0, 0, 0, 0);
                }
            }
            case MASK_MINUS -> {
                Rows less = body.rows(instruction.arguments().getFirst());
                if (less == hand.rows && less.slot < 0) {
                    less.slot = slots.newMaskSlots(1);
                    code.emit(VmOpcode.MASK_STORE, 0, less.slot, 0, 0, 0);
                }
                hand.moveTo(outer);
                hand.used(outer);
                hand.spillRows();
                code.emit(VmOpcode.FILTER_MINUS, skipFlag(instruction.result(), at), less.slot, 0, 0, 0);
                hand.used(less);
            }
            default -> throw NoKernel.of(instruction);
        }
    }

    /// SKIP, where all that follows acts on these rows or fewer.
    private int skipFlag(int mask, int at) {
        for (int next = at + 1; next < body.program.code().size(); next++) {
            Instruction instruction = body.program.code().get(next);
            if (body.isLive[instruction.result()]
                    && !Body.isDeferred(instruction)
                    && !isWithin(instruction.mask(), mask)) {
                return 0;
            }
        }
        return isWithin(body.program.selection(), mask) ? hand.skip() : 0;
    }

    private boolean isWithin(int inner, int outer) {
        for (int mask = inner; mask != outer; mask = body.writer[mask].mask()) {
            if (mask == 0) {
                return false;
            }
        }
        return true;
    }
}
