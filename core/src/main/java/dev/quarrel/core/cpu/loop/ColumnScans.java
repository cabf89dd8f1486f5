package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.cpu.join.KeySet;
import dev.quarrel.core.cpu.simd.RangeKernels;
import dev.quarrel.core.cpu.tile.Bits;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.device.KeyBloom;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Looks column values up in bit sets and arrays, straight from the column's memory.
///
/// A tile whose rows are mostly selected is read in order, 64 rows a word; of others the selected rows alone.
public final class ColumnScans {
    /// The vector kernel looks so many keys up while a loop over indexes does one: 0.75 and 7 to 9 ns.
    private static final int SPARSE_KEYS = 12;

    private ColumnScans() {}

    /// Keeps the rows of `mask` whose key is (or, if `isAnti`, is not) in a set of integers.
    ///
    /// @param bitmap bit `key - from` of the set, 32 bits an element; bit 0 is 0
    /// @param last the greatest place of a key
    public static void members(
            StoredIntegers keys, int first, int[] bitmap, long from, int last, boolean isAnti, Mask mask) {
        MemorySegment values = keys.values();
        int width = keys.width();
        long start = from - keys.base(); // of what is stored; both may wrap around, and meet again
        long flip = isAnti ? -1L : 0;
        boolean hasKernel = (width == 2 || width == 4) && (int) start == start && start + last <= Integer.MAX_VALUE;
        if (hasKernel ? mask.isSparse(SPARSE_KEYS) : mask.isSparse()) {
            int[] rows = mask.indexes();
            int count = mask.count();
            int anti = isAnti ? 1 : 0;
            int kept =
                    switch (width) {
                        case 1 -> sparse8(values, first, bitmap, start, last, anti, rows, count);
                        case 2 -> sparse16(values, first, bitmap, start, last, anti, rows, count);
                        case 4 -> sparse32(values, first, bitmap, start, last, anti, rows, count);
                        default -> sparse64(values, first, bitmap, start, last, anti, rows, count);
                    };
            mask.keepFirst(kept);
            return;
        }
        long[] bits = mask.bits();
        int rows = mask.rowCount();
        if (hasKernel) {
            RangeKernels kernels = RangeKernels.current();
            if (width == 2) {
                kernels.members16(values, first * 2L, rows, bitmap, (int) start, last, flip, bits);
            } else {
                kernels.members32(values, first * 4L, rows, bitmap, (int) start, last, flip, bits);
            }
            mask.recount();
            return;
        }
        for (int row = 0; row < rows; row += 64) {
            long before = bits[row >>> 6];
            if (before != 0) {
                int count = Math.min(64, rows - row);
                long offset = (long) (first + row) * width;
                long hits =
                        switch (width) {
                            case 1 -> word8(values, offset, count, bitmap, start, last);
                            case 2 -> word16(values, offset, count, bitmap, start, last);
                            case 4 -> word32(values, offset, count, bitmap, start, last);
                            default -> word64(values, offset, count, bitmap, start, last);
                        };
                bits[row >>> 6] = before & (hits ^ flip);
            }
        }
        mask.recount();
    }

    /// Keeps the rows of `mask` whose value may be in a set that is a Bloom filter.
    static void members(StoredIntegers column, int first, KeySet keys, Mask mask) {
        int[] rows = mask.indexes();
        int count = mask.count();
        MemorySegment values = column.values();
        long base = column.base();
        int width = column.width();
        long least = keys.least();
        long greatest = keys.greatest();
        KeyBloom bloom = keys.bloom();
        int kept = 0;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            long at = (first + (long) row) * width;
            long value = base
                    + switch (width) {
                        case 1 -> values.get(ValueLayout.JAVA_BYTE, at);
                        case 2 -> values.get(LoopMath.INT16, at);
                        case 4 -> values.get(LoopMath.INT32, at);
                        default -> values.get(LoopMath.INT64, at);
                    };
            rows[kept] = row;
            kept += value >= least && value <= greatest && bloom.mayHold(value) ? 1 : 0;
        }
        mask.keepFirst(kept);
    }

    private static long word8(MemorySegment values, long offset, int count, int[] bitmap, long from, int last) {
        long hits = 0;
        for (int row = 0; row < count; row++) {
            long place = values.get(ValueLayout.JAVA_BYTE, offset + row) - from;
            int safe = Long.compareUnsigned(place, last) <= 0 ? (int) place : 0;
            hits |= (bitmap[safe >>> 5] >>> safe & 1L) << row;
        }
        return hits;
    }

    private static int sparse8(
            MemorySegment values, int first, int[] bitmap, long from, int last, int anti, int[] rows, int count) {
        int kept = 0;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            long place = values.get(ValueLayout.JAVA_BYTE, first + (long) row) - from;
            int safe = Long.compareUnsigned(place, last) <= 0 ? (int) place : 0;
            rows[kept] = row;
            kept += bitmap[safe >>> 5] >>> safe & 1 ^ anti;
        }
        return kept;
    }

    private static long word16(MemorySegment values, long offset, int count, int[] bitmap, long from, int last) {
        long hits = 0;
        for (int row = 0; row < count; row++) {
            long place = values.get(LoopMath.INT16, offset + row * 2L) - from;
            int safe = Long.compareUnsigned(place, last) <= 0 ? (int) place : 0;
            hits |= (bitmap[safe >>> 5] >>> safe & 1L) << row;
        }
        return hits;
    }

    private static int sparse16(
            MemorySegment values, int first, int[] bitmap, long from, int last, int anti, int[] rows, int count) {
        int kept = 0;
        long start = first * 2L;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            long place = values.get(LoopMath.INT16, start + row * 2L) - from;
            int safe = Long.compareUnsigned(place, last) <= 0 ? (int) place : 0;
            rows[kept] = row;
            kept += bitmap[safe >>> 5] >>> safe & 1 ^ anti;
        }
        return kept;
    }

    private static long word32(MemorySegment values, long offset, int count, int[] bitmap, long from, int last) {
        long hits = 0;
        for (int row = 0; row < count; row++) {
            long place = values.get(LoopMath.INT32, offset + row * 4L) - from;
            int safe = Long.compareUnsigned(place, last) <= 0 ? (int) place : 0;
            hits |= (bitmap[safe >>> 5] >>> safe & 1L) << row;
        }
        return hits;
    }

    private static int sparse32(
            MemorySegment values, int first, int[] bitmap, long from, int last, int anti, int[] rows, int count) {
        int kept = 0;
        long start = first * 4L;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            long place = values.get(LoopMath.INT32, start + row * 4L) - from;
            int safe = Long.compareUnsigned(place, last) <= 0 ? (int) place : 0;
            rows[kept] = row;
            kept += bitmap[safe >>> 5] >>> safe & 1 ^ anti;
        }
        return kept;
    }

    private static long word64(MemorySegment values, long offset, int count, int[] bitmap, long from, int last) {
        long hits = 0;
        for (int row = 0; row < count; row++) {
            long place = values.get(LoopMath.INT64, offset + row * 8L) - from;
            int safe = Long.compareUnsigned(place, last) <= 0 ? (int) place : 0;
            hits |= (bitmap[safe >>> 5] >>> safe & 1L) << row;
        }
        return hits;
    }

    private static int sparse64(
            MemorySegment values, int first, int[] bitmap, long from, int last, int anti, int[] rows, int count) {
        int kept = 0;
        long start = first * 8L;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            long place = values.get(LoopMath.INT64, start + row * 8L) - from;
            int safe = Long.compareUnsigned(place, last) <= 0 ? (int) place : 0;
            rows[kept] = row;
            kept += bitmap[safe >>> 5] >>> safe & 1 ^ anti;
        }
        return kept;
    }

    /// For each row of `mask`: `out[row] = numbers[key - from]`.
    public static void numbers(StoredIntegers keys, int first, int[] numbers, long from, Mask mask, int[] out) {
        MemorySegment values = keys.values();
        long start = from - keys.base();
        int[] rows = mask.indexes();
        int count = mask.count();
        switch (keys.width()) {
            case 1 -> {
                for (int index = 0; index < count; index++) {
                    int row = rows[index];
                    out[row] = numbers[(int) (values.get(ValueLayout.JAVA_BYTE, first + (long) row) - start)];
                }
            }
            case 2 -> {
                for (int index = 0; index < count; index++) {
                    int row = rows[index];
                    out[row] = numbers[(int) (values.get(LoopMath.INT16, (first + (long) row) * 2) - start)];
                }
            }
            case 4 -> {
                for (int index = 0; index < count; index++) {
                    int row = rows[index];
                    out[row] = numbers[(int) (values.get(LoopMath.INT32, (first + (long) row) * 4) - start)];
                }
            }
            default -> {
                for (int index = 0; index < count; index++) {
                    int row = rows[index];
                    out[row] = numbers[(int) (values.get(LoopMath.INT64, (first + (long) row) * 8) - start)];
                }
            }
        }
    }

    /// Keeps the rows of `mask` whose code's bit in `accepted` is 1; all of them are present.
    ///
    /// @param accepted room for every code that `codeBytes` can say, or a bit for each entry and one more
    public static void codes(DictionaryColumn codes, int first, long[] accepted, Mask mask) {
        MemorySegment values = codes.codes();
        int[] rows = mask.indexes();
        int count = mask.count();
        int last = accepted.length * 64 - 1;
        int kept = 0;
        switch (codes.codeBytes()) {
            case 1 -> {
                for (int index = 0; index < count; index++) {
                    int code = values.get(ValueLayout.JAVA_BYTE, first + (long) rows[index]) & 0xFF;
                    int safe = Math.min(code, last);
                    rows[kept] = rows[index];
                    kept += (int) (accepted[safe >>> 6] >>> safe & 1);
                }
            }
            case 2 -> {
                for (int index = 0; index < count; index++) {
                    int code = values.get(LoopMath.INT16, (first + (long) rows[index]) * 2) & 0xFFFF;
                    int safe = Math.min(code, last);
                    rows[kept] = rows[index];
                    kept += (int) (accepted[safe >>> 6] >>> safe & 1);
                }
            }
            default -> {
                for (int index = 0; index < count; index++) {
                    int code = values.get(LoopMath.INT32, (first + (long) rows[index]) * 4);
                    int safe = code < 0 ? last : Math.min(code, last);
                    rows[kept] = rows[index];
                    kept += (int) (accepted[safe >>> 6] >>> safe & 1);
                }
            }
        }
        mask.keepFirst(kept);
    }

    /// Keeps the rows of `mask` whose value lies in a range; those that are NULL are not among them.
    static void inRange(StoredIntegers column, int first, long low, long high, boolean outside, Mask mask) {
        inRange(column, first, mask.rowCount(), low, high, outside ? -1L : 0, mask.bits());
        mask.recount();
    }

    private static void inRange(
            StoredIntegers column, int first, int rows, long low, long high, long flip, long[] bits) {
        RangeKernels kernels = RangeKernels.current();
        MemorySegment values = column.values();
        int width = column.width();
        if (width == 8) {
            kernels.int64(values, first * 8L, rows, low, high, flip, bits);
            return;
        }
        if (width == 16) {
            decimals(values, first * 16L, rows, low, high, flip, bits);
            return;
        }
        // Bounds past what is stored are those of wider constants; none of the values reaches them.
        long reach = 1L << 8 * width - 1;
        long least = column.base() - reach;
        long greatest = column.base() + reach - 1;
        boolean isNone = low > greatest || high < least || low > high;
        int from = isNone ? 1 : (int) (Math.max(low, least) - column.base());
        int to = isNone ? 0 : (int) (Math.min(high, greatest) - column.base());
        switch (width) {
            case 1 -> kernels.int8(values, first, rows, from, to, flip, bits);
            case 2 -> kernels.int16(values, first * 2L, rows, from, to, flip, bits);
            default -> kernels.int32(values, first * 4L, rows, from, to, flip, bits);
        }
    }

    /// Those of decimals: values past 64 bits lie beyond every bound but the least and the greatest long, which stand
    /// for none.
    private static void decimals(
            MemorySegment values, long offset, int rows, long low, long high, long flip, long[] bits) {
        boolean isOpenBelow = low == Long.MIN_VALUE && low <= high;
        boolean isOpenAbove = high == Long.MAX_VALUE && low <= high;
        for (int first = 0; first < rows; first += 64) {
            long before = bits[first >>> 6];
            if (before == 0) {
                continue;
            }
            int count = Math.min(64, rows - first);
            long inside = 0;
            long wide = 0;
            for (int row = 0; row < count; row++) {
                long at = offset + (first + (long) row) * 16;
                long value = values.get(LoopMath.INT64, at);
                wide |= (value >> 63 ^ values.get(LoopMath.INT64, at + 8)) == 0 ? 0 : 1L << row;
                inside |= (value >= low & value <= high ? 1L : 0L) << row;
            }
            for (long rest = wide; rest != 0; rest &= rest - 1) {
                int row = Long.numberOfTrailingZeros(rest);
                boolean isNegative = values.get(LoopMath.INT64, offset + (first + (long) row) * 16 + 8) < 0;
                long bit = 1L << row;
                inside = (isNegative ? isOpenBelow : isOpenAbove) ? inside | bit : inside & ~bit;
            }
            bits[first >>> 6] = before & (inside ^ flip);
        }
    }

    /// Whether the rows' values all lie from `least` to `greatest`, both of them values of the column's type.
    ///
    /// @param scratch a bit a row
    public static boolean isWithin(
            StoredIntegers column, int first, int rows, long least, long greatest, long[] scratch) {
        int words = Bits.words(rows);
        Arrays.fill(scratch, 0, words, -1L);
        inRange(column, first, rows, least, greatest, 0, scratch);
        int inside = 0;
        for (int word = 0; word < words; word++) {
            inside += Long.bitCount(scratch[word]);
        }
        return inside == rows;
    }

    /// Whether the low word alone says each of the rows' decimals.
    public static boolean isNarrow(MemorySegment values, int first, int rows) {
        long wide = 0;
        for (int row = 0; row < rows; row++) {
            long at = (first + (long) row) * 16;
            wide |= values.get(LoopMath.INT64, at) >> 63 ^ values.get(LoopMath.INT64, at + 8);
        }
        return wide == 0;
    }
}
