package dev.quarrel.core.cpu.simd;

import static dev.quarrel.core.column.LittleEndian.FLOAT32;
import static dev.quarrel.core.column.LittleEndian.FLOAT64;
import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The range tests in plain Java: bits first into a word, without a branch.
final class ScalarRangeKernels implements RangeKernels {
    ScalarRangeKernels() {}

    @Override
    public void int8(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits) {
        for (int first = 0; first < rows; first += 64) {
            long before = bits[first >>> 6];
            if (before != 0) {
                bits[first >>> 6] =
                        before & int8Word(column, offset + first, Math.min(64, rows - first), low, high, flip);
            }
        }
    }

    static long int8Word(MemorySegment column, long offset, int rows, int low, int high, long flip) {
        long inside = 0;
        for (int row = 0; row < rows; row++) {
            int value = column.get(ValueLayout.JAVA_BYTE, offset + row);
            inside |= (value >= low & value <= high ? 1L : 0L) << row;
        }
        return (inside ^ flip) & -1L >>> -rows;
    }

    @Override
    public void int16(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits) {
        for (int first = 0; first < rows; first += 64) {
            long before = bits[first >>> 6];
            if (before != 0) {
                bits[first >>> 6] =
                        before & int16Word(column, offset + first * 2L, Math.min(64, rows - first), low, high, flip);
            }
        }
    }

    static long int16Word(MemorySegment column, long offset, int rows, int low, int high, long flip) {
        long inside = 0;
        for (int row = 0; row < rows; row++) {
            int value = column.get(INT16, offset + row * 2L);
            inside |= (value >= low & value <= high ? 1L : 0L) << row;
        }
        return (inside ^ flip) & -1L >>> -rows;
    }

    @Override
    public void int32(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits) {
        for (int first = 0; first < rows; first += 64) {
            long before = bits[first >>> 6];
            if (before != 0) {
                bits[first >>> 6] =
                        before & int32Word(column, offset + first * 4L, Math.min(64, rows - first), low, high, flip);
            }
        }
    }

    static long int32Word(MemorySegment column, long offset, int rows, int low, int high, long flip) {
        long inside = 0;
        for (int row = 0; row < rows; row++) {
            int value = column.get(INT32, offset + row * 4L);
            inside |= (value >= low & value <= high ? 1L : 0L) << row;
        }
        return (inside ^ flip) & -1L >>> -rows;
    }

    @Override
    public void int64(MemorySegment column, long offset, int rows, long low, long high, long flip, long[] bits) {
        for (int first = 0; first < rows; first += 64) {
            long before = bits[first >>> 6];
            if (before != 0) {
                bits[first >>> 6] =
                        before & int64Word(column, offset + first * 8L, Math.min(64, rows - first), low, high, flip);
            }
        }
    }

    static long int64Word(MemorySegment column, long offset, int rows, long low, long high, long flip) {
        long inside = 0;
        for (int row = 0; row < rows; row++) {
            long value = column.get(INT64, offset + row * 8L);
            inside |= (value >= low & value <= high ? 1L : 0L) << row;
        }
        return (inside ^ flip) & -1L >>> -rows;
    }

    @Override
    public void float32(
            MemorySegment column, long offset, int rows, float low, float high, boolean nan, long flip, long[] bits) {
        for (int first = 0; first < rows; first += 64) {
            long before = bits[first >>> 6];
            if (before != 0) {
                bits[first >>> 6] = before
                        & float32Word(column, offset + first * 4L, Math.min(64, rows - first), low, high, nan, flip);
            }
        }
    }

    static long float32Word(
            MemorySegment column, long offset, int rows, float low, float high, boolean nan, long flip) {
        long inside = 0;
        for (int row = 0; row < rows; row++) {
            float value = column.get(FLOAT32, offset + row * 4L);
            inside |= (value >= low & value <= high | nan & Float.isNaN(value) ? 1L : 0L) << row;
        }
        return (inside ^ flip) & -1L >>> -rows;
    }

    @Override
    public void float64(
            MemorySegment column, long offset, int rows, double low, double high, boolean nan, long flip, long[] bits) {
        for (int first = 0; first < rows; first += 64) {
            long before = bits[first >>> 6];
            if (before != 0) {
                bits[first >>> 6] = before
                        & float64Word(column, offset + first * 8L, Math.min(64, rows - first), low, high, nan, flip);
            }
        }
    }

    static long float64Word(
            MemorySegment column, long offset, int rows, double low, double high, boolean nan, long flip) {
        long inside = 0;
        for (int row = 0; row < rows; row++) {
            double value = column.get(FLOAT64, offset + row * 8L);
            inside |= (value >= low & value <= high | nan & Double.isNaN(value) ? 1L : 0L) << row;
        }
        return (inside ^ flip) & -1L >>> -rows;
    }

    @Override
    public void members16(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip, long[] bits) {
        for (int first = 0; first < rows; first += 64) {
            long before = bits[first >>> 6];
            if (before != 0) {
                bits[first >>> 6] = before
                        & members16Word(
                                column, offset + first * 2L, Math.min(64, rows - first), bitmap, from, last, flip);
            }
        }
    }

    static long members16Word(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip) {
        long inside = 0;
        for (int row = 0; row < rows; row++) {
            int place = column.get(INT16, offset + row * 2L) - from;
            int safe = Integer.compareUnsigned(place, last) <= 0 ? place : 0;
            long is = Integer.compareUnsigned(place, last) <= 0 ? 1 : 0;
            inside |= (bitmap[safe >>> 5] >>> safe & is) << row;
        }
        return (inside ^ flip) & -1L >>> -rows;
    }

    @Override
    public void members32(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip, long[] bits) {
        for (int first = 0; first < rows; first += 64) {
            long before = bits[first >>> 6];
            if (before != 0) {
                bits[first >>> 6] = before
                        & members32Word(
                                column, offset + first * 4L, Math.min(64, rows - first), bitmap, from, last, flip);
            }
        }
    }

    static long members32Word(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip) {
        long inside = 0;
        for (int row = 0; row < rows; row++) {
            int place = column.get(INT32, offset + row * 4L) - from;
            int safe = Integer.compareUnsigned(place, last) <= 0 ? place : 0;
            long is = Integer.compareUnsigned(place, last) <= 0 ? 1 : 0;
            inside |= (bitmap[safe >>> 5] >>> safe & is) << row;
        }
        return (inside ^ flip) & -1L >>> -rows;
    }
}
