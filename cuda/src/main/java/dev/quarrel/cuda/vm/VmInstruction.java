package dev.quarrel.cuda.vm;

/// One instruction of the interpreter on the device. Numbers are those of slots, constants, columns and tables:
/// [ParameterBlock] makes places of them.
///
/// @param flags a sum of the constants here
/// @param c with MASKED and VALID: the mask slot of the rows in which operand `b` is present
public record VmInstruction(VmOpcode op, int flags, int k, int a, int b, int c) {
    /// Operand `b` is a constant.
    public static final int IMMEDIATE = 1;

    /// A warp without rows goes to its next tile. Of what adds to the block's cells: all rows that were split act.
    public static final int SKIP = 2;
    public static final int NULLABLE = 4;
    /// Operand `b` is present in the rows of mask slot `c` alone.
    public static final int MASKED = 8;

    public static final int NEGATE = 16;
    /// Of a slot that is loaded or stored: presence goes with it, in mask slot `c`. Of counts: of present values.
    public static final int VALID = 32;
    /// Of arithmetic: no result of a row that is present is out of range.
    public static final int SURE = 64;
    /// Of what adds to groups' cells in device memory: most rows of a tile are of one group, and are added up first.
    public static final int CLUSTERED = 128;

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    @Override
    public String toString() {
        return op + " flags " + flags + " k " + k + " a " + a + " b " + b + " c " + c;
    }
}
