package dev.quarrel.cuda;

/// The entry points of the kernels.
public enum Kernel {
    /// The interpreter over lanes of 32 bits.
    VM_I32("vm_i32", 4),
    /// The interpreter over lanes of 64 bits.
    VM_I64("vm_i64", 8);

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

    /// Bytes of one value in the interpreter's hand.
    public int laneBytes() {
        return laneBytes;
    }

    /// The interpreter for programs of some lanes.
    public static Kernel vm(int laneBytes) {
        for (Kernel kernel : values()) {
            if (kernel.laneBytes == laneBytes) {
                return kernel;
            }
        }
        throw new IllegalArgumentException("no interpreter has lanes of " + laneBytes + " bytes");
    }
}
