package dev.quarrel.cuda;

/// The entry points of the kernels.
public enum Kernel {
    /// The interpreter over lanes of 32 bits.
    VM_I32("vm_i32", 4, false),
    /// Likewise, its code behind a pointer.
    VM_I32_FAR("vm_i32_far", 4, true),
    /// The interpreter over lanes of 64 bits.
    VM_I64("vm_i64", 8, false),
    VM_I64_FAR("vm_i64_far", 8, true);

    private final String symbol;
    private final int laneBytes;
    private final boolean isFar;

    Kernel(String symbol, int laneBytes, boolean isFar) {
        this.symbol = symbol;
        this.laneBytes = laneBytes;
        this.isFar = isFar;
    }

    /// The function's name, without mangling.
    public String symbol() {
        return symbol;
    }

    /// Bytes of one value in the interpreter's hand.
    public int laneBytes() {
        return laneBytes;
    }

    /// Whether the code lies in device memory and not among the parameters.
    public boolean isFar() {
        return isFar;
    }

    /// The interpreter for a program.
    public static Kernel vm(int laneBytes, boolean isFar) {
        for (Kernel kernel : values()) {
            if (kernel.laneBytes == laneBytes && kernel.isFar == isFar) {
                return kernel;
            }
        }
        throw new IllegalArgumentException("no interpreter has lanes of " + laneBytes + " bytes");
    }
}
