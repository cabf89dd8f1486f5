package dev.quarrel.core.cpu.tile;

import java.util.Arrays;

/// The operations on words of bits, one bit per row, least significant first.
public final class Bits {
    private Bits() {}

    /// Words that hold `rows` bits.
    public static int words(int rows) {
        return (rows + 63) >>> 6;
    }

    public static boolean get(long[] bits, int row) {
        return (bits[row >>> 6] >>> row & 1) != 0;
    }

    public static void set(long[] bits, int row, boolean value) {
        long bit = 1L << row;
        long old = bits[row >>> 6];
        bits[row >>> 6] = value ? old | bit : old & ~bit;
    }

    public static void fill(long[] bits, boolean value) {
        Arrays.fill(bits, value ? -1L : 0L);
    }
}
