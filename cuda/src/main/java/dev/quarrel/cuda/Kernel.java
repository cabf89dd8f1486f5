package dev.quarrel.cuda;

import dev.quarrel.cuda.vm.VmProgram;

/// The entry points of the kernels.
public enum Kernel {
    /// The interpreter over lanes of 32 bits.
    VM_I32("vm_i32", 4),
    /// The interpreter over lanes of 64 bits.
    VM_I64("vm_i64", 8),
    /// The interpreter over lanes of 64 bits that has all opcodes.
    VM_FULL("vm_full", 8),
    /// Counts become the sums of those before them.
    SCAN_CELLS("scan_cells", 0),
    /// Bytes become bits.
    PACK_BITS("pack_bits", 0);

    private final String symbol;
    private final int laneBytes;

    Kernel(String symbol, int laneBytes) {
        this.symbol = symbol;
        this.laneBytes = laneBytes;
    }

    /// The function's name, without mangling.
    public String symbol() {
        return symbol;
    }

    /// Bytes of one value in the interpreter's hand; 0 for a kernel that is no interpreter.
    public int laneBytes() {
        return laneBytes;
    }

    /// The interpreter for a program.
    public static Kernel vm(VmProgram program) {
        if (program.isFull()) {
            return VM_FULL;
        }
        return program.laneBytes() == VM_I32.laneBytes ? VM_I32 : VM_I64;
    }
}
