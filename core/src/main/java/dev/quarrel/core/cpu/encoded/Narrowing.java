package dev.quarrel.core.cpu.encoded;

import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.cpu.loop.ColumnScans;
import dev.quarrel.core.cpu.loop.LoopMath;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies rows of integers into fewer bytes, on one worker.
///
/// Between two copies by the block stand arrays: loops over them become vector instructions.
public final class Narrowing {
    /// Rows at a time at most.
    public static final int MAX_ROWS = ColumnEncoding.TILE_ROWS;

    private final int width;
    private final long base;
    private final long least; // less the base
    private final long greatest; // likewise
    private final boolean isBounded; // within what the width has room for
    private final long[] wide = new long[ColumnEncoding.TILE_ROWS];
    private final long[] words = new long[2 * ColumnEncoding.TILE_ROWS]; // of decimals
    private final int[] ints = new int[ColumnEncoding.TILE_ROWS];
    private final short[] shorts = new short[ColumnEncoding.TILE_ROWS];
    private final byte[] bytes = new byte[ColumnEncoding.TILE_ROWS];

    /// @param width bytes that a value will take: 1, 2 or 4
    /// @param base what a stored 0 means
    public Narrowing(int width, long base) {
        this(width, base, base - (1L << Byte.SIZE * width - 1), base - 1 + (1L << Byte.SIZE * width - 1));
    }

    /// @param width 1 to 4
    /// @param least value that fits
    /// @param greatest likewise; the width has room for both
    public Narrowing(int width, long base, long least, long greatest) {
        this.width = width;
        this.base = base;
        this.least = least - base;
        this.greatest = greatest - base;
        this.isBounded = this.greatest - this.least < (1L << Byte.SIZE * width) - 1;
    }

    /// Copies up to [#MAX_ROWS] rows to the same places of `to`; false if a value does not fit. Not for 3 bytes.
    public boolean run(FixedColumn column, int first, int count, MemorySegment to) {
        boolean fits = load(column.values(), column.type().byteWidth(), first, count);
        if (base != 0) {
            subtract(wide, count, base);
        }
        long lost;
        switch (width) {
            case 1 -> {
                lost = narrow(wide, count, bytes);
                MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, first, count);
            }
            case 2 -> {
                lost = narrow(wide, count, shorts);
                MemorySegment.copy(shorts, 0, to, LoopMath.INT16, first * 2L, count);
            }
            default -> {
                lost = narrow(wide, count, ints);
                MemorySegment.copy(ints, 0, to, LoopMath.INT32, first * 4L, count);
            }
        }
        return fits && lost == 0 && areWithin(count) || isOfNulls(column, first, count);
    }

    /// What up to [#MAX_ROWS] rows are as 32 bits, until the next call; null if a value does not fit the width.
    public int[] numbers(FixedColumn column, int first, int count) {
        boolean fits = load(column.values(), column.type().byteWidth(), first, count);
        if (base != 0) {
            subtract(wide, count, base);
        }
        long lost = narrow(wide, count, Long.SIZE - Byte.SIZE * width, ints);
        return fits && lost == 0 && areWithin(count) || isOfNulls(column, first, count) ? ints : null;
    }

    /// False if some value, a decimal, has more than 64 bits.
    private boolean load(MemorySegment from, int byteWidth, int first, int count) {
        switch (byteWidth) {
            case 2 -> {
                MemorySegment.copy(from, LoopMath.INT16, first * 2L, shorts, 0, count);
                widen(shorts, count, wide);
            }
            case 4 -> {
                MemorySegment.copy(from, LoopMath.INT32, first * 4L, ints, 0, count);
                widen(ints, count, wide);
            }
            case 8 -> MemorySegment.copy(from, LoopMath.INT64, first * 8L, wide, 0, count);
            default -> {
                MemorySegment.copy(from, LoopMath.INT64, first * 16L, words, 0, 2 * count);
                return lowWords(words, count, wide) == 0;
            }
        }
        return true;
    }

    private static void widen(short[] from, int count, long[] to) {
        for (int row = 0; row < count; row++) {
            to[row] = from[row];
        }
    }

    private static void widen(int[] from, int count, long[] to) {
        for (int row = 0; row < count; row++) {
            to[row] = from[row];
        }
    }

    private static void subtract(long[] values, int count, long base) {
        for (int row = 0; row < count; row++) {
            values[row] -= base;
        }
    }

    // Each gives 0 if nothing is lost.

    private static long lowWords(long[] words, int count, long[] to) {
        long lost = 0;
        for (int row = 0; row < count; row++) {
            long low = words[2 * row];
            to[row] = low;
            lost |= low >> 63 ^ words[2 * row + 1];
        }
        return lost;
    }

    private static long narrow(long[] wide, int count, byte[] to) {
        long lost = 0;
        for (int row = 0; row < count; row++) {
            to[row] = (byte) wide[row];
            lost |= wide[row] ^ (byte) wide[row];
        }
        return lost;
    }

    private static long narrow(long[] wide, int count, short[] to) {
        long lost = 0;
        for (int row = 0; row < count; row++) {
            to[row] = (short) wide[row];
            lost |= wide[row] ^ (short) wide[row];
        }
        return lost;
    }

    private static long narrow(long[] wide, int count, int[] to) {
        long lost = 0;
        for (int row = 0; row < count; row++) {
            to[row] = (int) wide[row];
            lost |= wide[row] ^ (int) wide[row];
        }
        return lost;
    }

    private static long narrow(long[] wide, int count, int shift, int[] to) {
        long lost = 0;
        for (int row = 0; row < count; row++) {
            to[row] = (int) wide[row];
            lost |= wide[row] ^ wide[row] << shift >> shift;
        }
        return lost;
    }

    /// Whether values that lose nothing are within bounds: no difference of such overflows.
    private boolean areWithin(int count) {
        long outside = 0;
        for (int row = 0; isBounded && row < count; row++) {
            outside |= wide[row] - least | greatest - wide[row];
        }
        return outside >= 0;
    }

    /// Whether only rows that are NULL do not fit.
    private boolean isOfNulls(FixedColumn column, int first, int count) {
        boolean isDecimal = column.type() instanceof DataType.Decimal;
        for (int row = 0; row < count; row++) {
            boolean fits = wide[row] >= least
                    && wide[row] <= greatest
                    && (!isDecimal || ColumnScans.isNarrow(column.values(), first + row, 1));
            if (!fits && column.validity().isPresent(first + row)) {
                return false;
            }
        }
        return true;
    }
}
