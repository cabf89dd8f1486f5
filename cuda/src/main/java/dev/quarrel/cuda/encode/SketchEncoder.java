package dev.quarrel.cuda.encode;

import dev.quarrel.core.type.DataType;
import dev.quarrel.cuda.vm.VmInstruction;
import dev.quarrel.cuda.vm.VmOpcode;
import dev.quarrel.cuda.vm.VmProgram;

/// HyperLogLog registers.
final class SketchEncoder {
    private final Facts facts;
    private final ProgramWriter code;
    private final Hand hand;
    private final EncodedCells cells;

    SketchEncoder(Encoding encoding, EncodedCells cells) {
        this.facts = encoding.facts();
        this.code = encoding.code();
        this.hand = encoding.hand();
        this.cells = cells;
    }

    /// How many bits of a hash name a register.
    ///
    /// - Errors: [NoKernel] unless all rows have one number, which is right.
    static int registerBits(Value bits) {
        if (bits.constant == null
                || !(bits.constant.value() instanceof Long number)
                || number < VmProgram.MIN_HLL_BITS
                || number > VmProgram.MAX_HLL_BITS) {
            throw new NoKernel("a sketch of so many registers has no CUDA kernel");
        }
        return number.intValue();
    }

    /// Raises registers by the value in hand.
    ///
    /// @param group where the number of the group is, or null
    /// @return the first word of the registers
    int encode(Value value, Value group, int bits) {
        int flags = group == null ? VmInstruction.IMMEDIATE : 0;
        boolean isChanged = true;
        switch (value.type) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ -> isChanged = false;
            case DataType.Decimal _ -> {
                flags |= VmInstruction.VALID;
                isChanged = false;
            }
            case DataType.Float32 _, DataType.Float64 _ -> {
                hand.spillValue();
                if (value.type instanceof DataType.Float32) {
                    code.emit(VmOpcode.FLOAT_WIDEN);
                }
                // -0 becomes 0, and every NaN one.
                code.emit(VmOpcode.FLOAT_ADD, VmInstruction.IMMEDIATE, 0, 0, code.constant(0), 0);
            }
            case DataType.Utf8 _ -> {
                if (value.input >= 0 && facts.isPlainText(value.input)) {
                    throw new NoKernel("a sketch of text without a dictionary has no CUDA kernel");
                }
                hand.spillValue();
                code.emit(VmOpcode.GATHER_I64, 0, code.table(new TableUse.TextHashes(value.input)), 0, 0, 0);
                flags |= VmInstruction.NEGATE;
            }
            default -> throw new NoKernel("a sketch of " + value.type + " has no CUDA kernel");
        }
        int slot = !isChanged && hand.isStored(value) ? value.slot : hand.scratch();
        hand.spillValue();
        int word = cells.takeShared(VmProgram.hllWords(bits));
        code.emit(VmOpcode.HLL_ADD, flags, bits, word, group == null ? code.constant(0) : group.slot, slot);
        return word;
    }
}
