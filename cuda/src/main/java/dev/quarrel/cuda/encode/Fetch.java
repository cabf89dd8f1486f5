package dev.quarrel.cuda.encode;

import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;

/// Writes what brings a value from where it lies: a column, or a build side.
final class Fetch {
    private final Facts facts;
    private final ProgramWriter code;
    private final Usage seen;

    Fetch(Facts facts, ProgramWriter code, Usage seen) {
        this.facts = facts;
        this.code = code;
        this.seen = seen;
    }

    /// A column's values into the hand.
    void column(Value value) {
        int column = code.column(value.input);
        ColumnForm form = code.form(column);
        if (form.physical() == Physical.TEXT) {
            requireWide();
            code.emit(VmOpcode.TEXT_PRESENT, 0, column, 0, 0, 0); // all that anybody asks of it here
            return;
        }
        seen.fetch(value.input);
        VmOpcode op =
                switch (form.physical()) {
                    case BITS -> throw new IllegalStateException("bits are a truth");
                    case U8 -> VmOpcode.LOAD_U8;
                    case U16 -> VmOpcode.LOAD_U16;
                    case I8 -> VmOpcode.LOAD_I8;
                    case I16 -> VmOpcode.LOAD_I16;
                    case I24 -> VmOpcode.LOAD_I24;
                    case I32 -> VmOpcode.LOAD_I32;
                    case I64 -> VmOpcode.LOAD_I64;
                    case TEXT -> throw new IllegalStateException("text is no value");
                };
        int flags = value.isNullable ? VmInstruction.NULLABLE : 0;
        if (form.base() == 0) {
            code.emit(op, flags, column, 0, 0, 0);
        } else {
            code.emit(op, flags | VmInstruction.IMMEDIATE, column, code.base(form), 0, 0);
        }
    }

    /// Values of a column of a build side into the hand.
    ///
    /// @param isRowInHand whether the build row is there, and in a slot too
    void payload(Value value, boolean isRowInHand) {
        Lanes.require(value.type);
        seen.askForRows(value.join);
        Value row = value.row;
        if (!isRowInHand) {
            code.emit(
                    VmOpcode.VALUE_LOAD,
                    row.valid >= 0 ? VmInstruction.VALID : 0,
                    0,
                    0,
                    row.slot,
                    Math.max(row.valid, 0));
        }
        if (value.isNullable && row.valid < 0 || hasNulls(value)) {
            code.emit(
                    VmOpcode.GATHER_VALID,
                    0,
                    code.table(new TableUse.PayloadPresent(value.join, value.payload)),
                    0,
                    0,
                    0);
        }
        boolean isWide = value.type.byteWidth() > 4;
        int array = code.table(new TableUse.Payload(value.join, value.payload, isWide));
        code.emit(isWide ? VmOpcode.GATHER_I64 : VmOpcode.GATHER_I32, 0, array, 0, 0, 0);
    }

    private boolean hasNulls(Value payload) {
        BuildSide build = facts.build(payload.join);
        return build != null && build.hasNulls(payload.payload);
    }

    /// A boolean column's truth.
    void truth(Value value) {
        code.emit(VmOpcode.LOAD_BOOL, value.isNullable ? VmInstruction.NULLABLE : 0, code.column(value.input), 0, 0, 0);
    }

    /// The truth of a condition on text without a dictionary.
    void truth(TextCondition test) {
        requireWide();
        int flags = (test.isNegated() ? VmInstruction.NEGATE : 0) | (test.ignoresCase() ? VmInstruction.VALID : 0);
        code.emit(test.op(), flags, code.column(test.input()), code.table(new TableUse.Texts(test.texts())), 0, 0);
    }

    /// Lengths of text without a dictionary into the hand.
    ///
    /// @param slot of use until the next instruction has run
    void length(int input, boolean inBytes, int slot) {
        requireWide();
        code.emit(VmOpcode.TEXT_LENGTH, inBytes ? VmInstruction.NEGATE : 0, code.column(input), slot, 0, 0);
    }

    private void requireWide() {
        if (code.laneBytes() == Lanes.NARROW) {
            throw new WiderLanes();
        }
    }

    /// The truth of a condition on the text whose codes are in hand.
    void condition(Value value) {
        code.emit(VmOpcode.TEST_BITS, 0, code.table(new TableUse.TextSet(value.text.input, value.condition)), 0, 0, 0);
    }
}
