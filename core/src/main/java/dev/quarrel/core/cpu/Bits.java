package dev.quarrel.core.cpu;

import java.util.Arrays;

/// Words of bits, one bit a row, least significant first.
final class Bits {
    private Bits() {}

    /// Words that hold `rows` bits.
    static int words(int rows) {
        return (rows + 63) >>> 6;
    }

    static boolean get(long[] bits, int row) {
        return (bits[row >>> 6] >>> row & 1) != 0;
    }

    static void set(long[] bits, int row, boolean value) {
        long bit = 1L << row;
        long old = bits[row >>> 6];
        bits[row >>> 6] = value ? old | bit : old & ~bit;
    }

    static void fill(long[] bits, boolean value) {
        Arrays.fill(bits, value ? -1L : 0L);
    }
}
