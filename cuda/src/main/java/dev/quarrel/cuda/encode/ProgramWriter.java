package dev.quarrel.cuda.encode;

import dev.quarrel.cuda.vm.ColumnForm;
import dev.quarrel.cuda.vm.Physical;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import dev.quarrel.cuda.vm.VmProgram;
import java.util.ArrayList;
import java.util.List;

/// The program as far as it is written: code, and what its numbers mean.
final class ProgramWriter {
    private final Facts facts;
    private final int laneBytes;
    private final List<VmInstruction> code = new ArrayList<>();
    private final List<Long> constants = new ArrayList<>();
    private int launchConstants; // the first ones
    private final List<Integer> inputs = new ArrayList<>();
    private final List<ColumnForm> forms = new ArrayList<>();
    private final List<TableUse> tables = new ArrayList<>();

    ProgramWriter(Facts facts, int laneBytes) {
        this.facts = facts;
        this.laneBytes = laneBytes;
    }

    /// Bytes of a value in hand.
    int laneBytes() {
        return laneBytes;
    }

    void emit(VmOpcode op, int flags, int k, int a, int b, int c) {
        if (code.size() >= VmProgram.MAX_CODE || k > 255) {
            throw new NoKernel("the program is too long for the CUDA kernel");
        }
        code.add(new VmInstruction(op, flags, k, a, b, c));
    }

    /// The number of the instruction that comes next.
    int next() {
        return code.size();
    }

    void emit(VmOpcode op) {
        emit(op, 0, 0, 0, 0, 0);
    }

    /// The number of a constant.
    int constant(long value) {
        if (laneBytes == Lanes.NARROW && value != (int) value) {
            throw new NoKernel("a constant is wider than its CUDA kernel's lanes");
        }
        int known = constants.subList(launchConstants, constants.size()).indexOf(value);
        return known >= 0 ? launchConstants + known : newConstant(value);
    }

    /// The number of the constant that is what a stored 0 means. In lanes of 32 bits sums are right modulo 2^32.
    int base(ColumnForm form) {
        return constant(laneBytes == Lanes.NARROW ? (int) form.base() : form.base());
    }

    /// The number of a constant that each launch sets; before all others are asked for.
    int launchConstant(long value) {
        launchConstants++;
        return newConstant(value);
    }

    private int newConstant(long value) {
        if (constants.size() == VmProgram.MAX_CONSTANTS) {
            throw new NoKernel("more than " + VmProgram.MAX_CONSTANTS + " constants in a CUDA kernel");
        }
        constants.add(value);
        return constants.size() - 1;
    }

    /// The number of a column of the source.
    int column(int input) {
        int known = inputs.indexOf(input);
        if (known >= 0) {
            return known;
        }
        return newColumn(input, facts.form(input));
    }

    /// The number of a column that the device writes.
    int deviceColumn(Physical physical) {
        return newColumn(-1, ColumnForm.of(physical));
    }

    private int newColumn(int input, ColumnForm form) {
        if (inputs.size() == VmProgram.MAX_COLUMNS) {
            throw new NoKernel("more than " + VmProgram.MAX_COLUMNS + " columns in a CUDA kernel");
        }
        inputs.add(input);
        forms.add(form);
        return inputs.size() - 1;
    }

    /// Numbers columns and tables as another program does, whose code comes first.
    void startFrom(ProgramWriter before) {
        inputs.addAll(before.inputs);
        forms.addAll(before.forms);
        tables.addAll(before.tables);
    }

    /// The number of a table.
    int table(TableUse use) {
        int known = tables.indexOf(use);
        if (known >= 0) {
            return known;
        }
        if (tables.size() == VmProgram.MAX_TABLES) {
            throw new NoKernel("more than " + VmProgram.MAX_TABLES + " tables in a CUDA kernel");
        }
        tables.add(use);
        return tables.size() - 1;
    }

    ColumnForm form(int column) {
        return forms.get(column);
    }

    List<ColumnForm> forms() {
        return List.copyOf(forms);
    }

    List<Integer> inputs() {
        return List.copyOf(inputs);
    }

    List<TableUse> tables() {
        return List.copyOf(tables);
    }

    /// Ends the program.
    ///
    /// @param cells what its sink needs of cells
    VmProgram finish(SlotAllocator slots, EncodedCells cells) {
        return finish(slots, cells, VmProgram.Block.NONE);
    }

    /// @param block those of them that blocks have for themselves
    VmProgram finish(SlotAllocator slots, EncodedCells cells, VmProgram.Block block) {
        emit(VmOpcode.END);
        Fusion.fuse(code);
        code.replaceAll(instruction -> {
            VmOpcode.Use use = instruction.op().fields().get(VmOpcode.Field.A);
            return use == VmOpcode.Use.FLOAT_WORDS || use == VmOpcode.Use.HLL_WORDS
                    ? new VmInstruction(
                            instruction.op(),
                            instruction.flags(),
                            instruction.k(),
                            cells.place(instruction.a()),
                            instruction.b(),
                            instruction.c())
                    : instruction;
        });
        return new VmProgram(
                laneBytes,
                code,
                constants,
                slots.count(),
                slots.maskCount(),
                cells.words(),
                cells.ownWords(),
                cells.isGrouped(),
                cells.wordKinds(),
                forms.stream().map(ColumnForm::physical).toList(),
                tables.stream().map(TableUse::kind).toList(),
                block);
    }
}
