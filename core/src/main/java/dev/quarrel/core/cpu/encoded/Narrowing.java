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
    private final boolean isOf32Bits; // the bounds, and how far they are apart
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
        this.isOf32Bits =
                least >= Integer.MIN_VALUE && greatest <= Integer.MAX_VALUE && greatest - least <= Integer.MAX_VALUE;
    }

    /// Copies up to [#MAX_ROWS] rows to the same places of `to`; false if a value does not fit. Not for 3 bytes.
    public boolean run(FixedColumn column, int first, int count, MemorySegment to) {
        if (numbers(column, first, count) == null) {
            return false;
        }
        switch (width) {
            case 1 -> {
                cut(ints, count, bytes);
                MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, first, count);
            }
            case 2 -> {
                cut(ints, count, shorts);
                MemorySegment.copy(shorts, 0, to, LoopMath.INT16, first * 2L, count);
            }
            default -> MemorySegment.copy(ints, 0, to, LoopMath.INT32, first * 4L, count);
        }
        return true;
    }

    /// What up to [#MAX_ROWS] rows are as 32 bits, less the base, until the next call; null if a value does not fit.
    public int[] numbers(FixedColumn column, int first, int count) {
        int byteWidth = column.type().byteWidth();
        boolean fits;
        if (byteWidth <= Integer.BYTES && isOf32Bits) {
            loadInts(column.values(), byteWidth, first, count);
            // Differences wrap around: those of values within bounds are what they would be with more bits.
            fits = areWithin(ints, count, (int) (least + base), (int) (greatest - least));
            subtract(ints, count, (int) base);
        } else {
            fits = loadLongs(column.values(), byteWidth, first, count);
            subtract(wide, count, base);
            fits &= areWithin(wide, count, least, greatest);
            cut(wide, count, ints);
        }
        return fits || isOfNulls(column, first, count, byteWidth <= Integer.BYTES && isOf32Bits) ? ints : null;
    }

    private void loadInts(MemorySegment from, int byteWidth, int first, int count) {
        if (byteWidth == Integer.BYTES) {
            MemorySegment.copy(from, LoopMath.INT32, first * 4L, ints, 0, count);
            return;
        }
        MemorySegment.copy(from, LoopMath.INT16, first * 2L, shorts, 0, count);
        for (int row = 0; row < count; row++) {
            ints[row] = shorts[row];
        }
    }

    /// False if some value, a decimal, has more than 64 bits.
    private boolean loadLongs(MemorySegment from, int byteWidth, int first, int count) {
        switch (byteWidth) {
            case 2, 4 -> {
                loadInts(from, byteWidth, first, count);
                for (int row = 0; row < count; row++) {
                    wide[row] = ints[row];
                }
            }
            case 8 -> MemorySegment.copy(from, LoopMath.INT64, first * 8L, wide, 0, count);
            default -> {
                MemorySegment.copy(from, LoopMath.INT64, first * 16L, words, 0, 2 * count);
                return lowWords(words, count, wide) == 0;
            }
        }
        return true;
    }

    /// Gives 0 if nothing is lost.
    private static long lowWords(long[] words, int count, long[] to) {
        long lost = 0;
        for (int row = 0; row < count; row++) {
            long low = words[2 * row];
            to[row] = low;
            lost |= low >> 63 ^ words[2 * row + 1];
        }
        return lost;
    }

    // A loop does one thing each: those become vector instructions.

    private static void subtract(long[] values, int count, long base) {
        for (int row = 0; base != 0 && row < count; row++) {
            values[row] -= base;
        }
    }

    private static void subtract(int[] values, int count, int base) {
        for (int row = 0; base != 0 && row < count; row++) {
            values[row] -= base;
        }
    }

    private static void cut(long[] wide, int count, int[] to) {
        for (int row = 0; row < count; row++) {
            to[row] = (int) wide[row];
        }
    }

    private static void cut(int[] wide, int count, short[] to) {
        for (int row = 0; row < count; row++) {
            to[row] = (short) wide[row];
        }
    }

    private static void cut(int[] wide, int count, byte[] to) {
        for (int row = 0; row < count; row++) {
            to[row] = (byte) wide[row];
        }
    }

    /// Whether all are from `least` to `least + span`, which is below 2^31.
    private static boolean areWithin(int[] values, int count, int least, int span) {
        int outside = 0;
        for (int row = 0; row < count; row++) {
            int over = values[row] - least;
            outside |= over | span - over;
        }
        return outside >= 0;
    }

    /// Whether all are within bounds, which are 32 bits apart at most.
    private static boolean areWithin(long[] values, int count, long least, long greatest) {
        long outside = 0;
        long span = greatest - least;
        for (int row = 0; row < count; row++) {
            long over = values[row] - least;
            outside |= over | span - over;
        }
        return outside >= 0;
    }

    /// Whether only rows that are NULL do not fit.
    private boolean isOfNulls(FixedColumn column, int first, int count, boolean isOfInts) {
        boolean isDecimal = column.type() instanceof DataType.Decimal;
        for (int row = 0; row < count; row++) {
            boolean fits = isOfInts
                    ? Integer.compareUnsigned(ints[row] - (int) least, (int) (greatest - least)) <= 0
                    : wide[row] >= least
                            && wide[row] <= greatest
                            && (!isDecimal || ColumnScans.isNarrow(column.values(), first + row, 1));
            if (!fits && column.validity().isPresent(first + row)) {
                return false;
            }
        }
        return true;
    }
}
