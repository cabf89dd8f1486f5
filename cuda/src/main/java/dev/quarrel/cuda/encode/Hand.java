package dev.quarrel.cuda.encode;

import dev.quarrel.core.ir.Literal;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/// What the interpreter has in hand where the code written so far ends: the current rows, a value, a truth. It writes
/// what moves them: to slots when others take their place, and back.
final class Hand {
    private final ProgramWriter code;
    private final SlotAllocator slots;
    private final Fetch fetch;
    private final Usage known;

    Rows rows;
    Value value;
    Rows valueRows; // where it was fetched
    Value truth;
    Rows truthRows;
    /// Whether rows that are not current come back in this tile: then a warp without rows must not leave it.
    boolean isLooped;
    /// What is gone through once a match, the outermost first.
    final List<JoinEncoder.Loop> loops = new ArrayList<>();

    Hand(ProgramWriter code, SlotAllocator slots, Fetch fetch, Usage known) {
        this.code = code;
        this.slots = slots;
        this.fetch = fetch;
        this.known = known;
        this.rows = new Rows(null);
    }

    void used(Value value) {
        value.uses--;
        if (value.uses > 0 || value.isFetched()) {
            return;
        }
        if (value.isTruth() && value.slot >= 0) {
            slots.freeMasks(value.slot, 2);
            value.slot = -1;
        } else if (value.slot >= 0) {
            slots.free(value.slot);
            value.slot = -1;
            if (value.valid >= 0) {
                slots.freeMasks(value.valid, 1);
                value.valid = -1;
            }
        }
    }

    void used(Rows rows) {
        rows.uses--;
        if (rows.uses <= 0 && rows.slot >= 0) {
            slots.freeMasks(rows.slot, 1);
            rows.slot = -1;
        }
    }

    // ---- rows

    /// Keeps the current rows if they are needed again.
    void spillRows() {
        if (rows.uses > 0 && rows.slot < 0) {
            rows.slot = slots.newMaskSlots(1);
            code.emit(VmOpcode.MASK_STORE, 0, rows.slot, 0, 0, 0);
        }
    }

    void moveTo(Rows to) {
        if (to == rows) {
            return;
        }
        spillRows();
        if (to.slot < 0) {
            throw new IllegalStateException("rows are gone");
        }
        code.emit(VmOpcode.MASK_LOAD, 0, to.slot, 0, 0, 0);
        rows = to;
    }

    /// SKIP, where it may be.
    int skip() {
        return isLooped ? 0 : VmInstruction.SKIP;
    }

    /// Nothing is in hand, and other rows are current.
    void leave(Rows to) {
        spillValue();
        spillTruth();
        rows = to;
    }

    // ---- values in hand

    void spillValue() {
        if (value != null && value.uses > 0 && !value.isFetched() && value.slot < 0) {
            store(value);
        }
        value = null;
    }

    void spillTruth() {
        if (truth != null && truth.uses > 0 && !truth.isFetched() && truth.slot < 0) {
            storeTruth(truth);
        }
        truth = null;
    }

    /// Puts the value in hand into a slot.
    void store(Value value) {
        value.slot = slots.newSlot();
        value.valid = value.isNullable ? slots.newMaskSlots(1) : -1;
        value.storedIn = valueRows;
        code.emit(
                VmOpcode.VALUE_STORE,
                value.isNullable ? VmInstruction.VALID : 0,
                0,
                0,
                value.slot,
                Math.max(value.valid, 0));
    }

    void storeTruth(Value value) {
        value.slot = slots.newMaskSlots(2);
        value.storedIn = truthRows;
        code.emit(VmOpcode.BOOL_STORE, 0, value.slot, 0, 0, 0);
    }

    /// The value is in hand now, computed by the instruction before.
    void take(Value value) {
        this.value = value;
        valueRows = rows;
    }

    void takeTruth(Value value) {
        truth = value;
        truthRows = rows;
    }

    boolean isStored(Value value) {
        return value.slot >= 0 && (!value.isFetched() || rows.isWithin(value.storedIn));
    }

    boolean isInHand(Value value) {
        return this.value == value && (!value.isFetched() || rows.isWithin(valueRows));
    }

    /// Fetches a value into the hand.
    void bring(Value value) {
        if (isInHand(value)) {
            return;
        }
        if (value.isTruth()) {
            throw new NoKernel("a boolean value has no CUDA kernel here");
        }
        boolean isRowInHand = value.row != null && this.value == value.row;
        spillValue();
        if (isStored(value)) {
            code.emit(
                    VmOpcode.VALUE_LOAD,
                    value.valid >= 0 ? VmInstruction.VALID : 0,
                    0,
                    0,
                    value.slot,
                    Math.max(value.valid, 0));
        } else if (value.constant != null) {
            if (value.constant.isNull()) {
                code.emit(VmOpcode.VALUE_NULL);
            } else {
                code.emit(VmOpcode.VALUE_LOAD, VmInstruction.IMMEDIATE, 0, 0, code.constant(number(value.constant)), 0);
            }
        } else if (value.input >= 0) {
            fetch.column(value);
        } else if (value.join >= 0) {
            fetch.payload(value, isRowInHand);
        } else {
            throw new IllegalStateException("a value is gone");
        }
        take(value);
        boolean isFetchedAgain = value.input >= 0 && value.slot < 0 && known.fetches(value.input) > 1;
        if (isFetchedAgain) {
            store(value);
        }
    }

    void bringTruth(Value value) {
        if (truth == value && (!value.isFetched() || rows.isWithin(truthRows))) {
            return;
        }
        spillTruth();
        if (isStored(value)) {
            code.emit(VmOpcode.BOOL_LOAD, 0, value.slot, 0, 0, 0);
        } else if (value.constant != null) {
            int kind = value.constant.isNull() ? 0 : (Boolean) value.constant.value() ? 1 : 2;
            code.emit(VmOpcode.BOOL_CONST, 0, kind, 0, 0, 0);
        } else if (value.condition != null) {
            bring(value.text);
            fetch.condition(value);
        } else if (value.test != null) {
            spillValue(); // it takes the place
            fetch.truth(value.test);
        } else if (value.input >= 0) {
            spillValue(); // its presence is overwritten
            fetch.truth(value);
        } else {
            throw new NoKernel("a boolean column of a build side has no CUDA kernel");
        }
        takeTruth(value);
    }

    boolean isOperand(Value value) {
        return isStored(value) || value.constant != null && !value.constant.isNull();
    }

    Operand operand(Value value) {
        if (!isOperand(value)) {
            bring(value);
            if (value.slot < 0 || !isStored(value)) {
                if (value.slot >= 0) {
                    value.slot = -1; // what is stored there is of other rows
                }
                boolean isNullable = value.isNullable || value.constant != null;
                value.isNullable = isNullable;
                store(value);
            }
        }
        if (isStored(value)) {
            return new Operand(value.valid >= 0 ? VmInstruction.MASKED : 0, value.slot, Math.max(value.valid, 0));
        }
        return new Operand(VmInstruction.IMMEDIATE, code.constant(number(value.constant)), 0);
    }

    static long number(Literal literal) {
        return switch (literal.value()) {
            case Long number -> number;
            case Double number -> Double.doubleToLongBits(number);
            case Float number -> Float.floatToIntBits(number);
            case BigDecimal number -> {
                BigInteger unscaled = number.unscaledValue();
                if (unscaled.bitLength() > 63) {
                    throw new NoKernel("a constant of more than 64 bits has no CUDA kernel");
                }
                yield unscaled.longValue();
            }
            default -> throw new NoKernel("a constant of " + literal.type() + " has no CUDA kernel");
        };
    }

    /// Brings one of two values into the hand; the other becomes the operand.
    ///
    /// @return the operand, and whether it is the first of the two
    Sides sides(Value x, Value y, boolean isReversible) {
        if (isReversible && isOperand(x) && !isInHand(x) && !isOperand(y)) {
            bring(y);
            return new Sides(operand(x), true);
        }
        if (!isOperand(y)) {
            if (isReversible && isInHand(x) && x != y) {
                operand(x); // puts it into a slot
                bring(y);
                return new Sides(operand(x), true);
            }
            operand(y);
        }
        bring(x);
        return new Sides(operand(y), false);
    }

    /// A slot with the values in hand, of use until the next instruction has run.
    int scratch() {
        int slot = slots.newSlot();
        code.emit(VmOpcode.VALUE_STORE, 0, 0, 0, slot, 0);
        slots.free(slot);
        return slot;
    }
}
