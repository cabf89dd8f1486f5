package dev.quarrel.core.cpu.simd;

import java.lang.foreign.MemorySegment;

/// Each kernel by the Vector API once that is ready, by its scalar twin until then.
///
/// @param ready a bit a kernel, numbered as below
record MixedRangeKernels(int ready, RangeKernels scalar, RangeKernels vector) implements RangeKernels {
    static final int INT32 = 0;
    static final int MEMBERS32 = 1;
    static final int INT8 = 2;
    static final int FLOAT64 = 3;
    static final int INT64 = 4;
    static final int INT16 = 5;
    static final int FLOAT32 = 6;
    static final int MEMBERS16 = 7;
    static final int KERNELS = 8;

    private RangeKernels of(int kernel) {
        return (ready >>> kernel & 1) != 0 ? vector : scalar;
    }

    MixedRangeKernels with(int kernel) {
        return new MixedRangeKernels(ready | 1 << kernel, scalar, vector);
    }

    @Override
    public void int8(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits) {
        of(INT8).int8(column, offset, rows, low, high, flip, bits);
    }

    @Override
    public void int16(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits) {
        of(INT16).int16(column, offset, rows, low, high, flip, bits);
    }

    @Override
    public void int32(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits) {
        of(INT32).int32(column, offset, rows, low, high, flip, bits);
    }

    @Override
    public void int64(MemorySegment column, long offset, int rows, long low, long high, long flip, long[] bits) {
        of(INT64).int64(column, offset, rows, low, high, flip, bits);
    }

    @Override
    public void float32(
            MemorySegment column, long offset, int rows, float low, float high, boolean nan, long flip, long[] bits) {
        of(FLOAT32).float32(column, offset, rows, low, high, nan, flip, bits);
    }

    @Override
    public void float64(
            MemorySegment column, long offset, int rows, double low, double high, boolean nan, long flip, long[] bits) {
        of(FLOAT64).float64(column, offset, rows, low, high, nan, flip, bits);
    }

    @Override
    public void members16(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip, long[] bits) {
        of(MEMBERS16).members16(column, offset, rows, bitmap, from, last, flip, bits);
    }

    @Override
    public void members32(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip, long[] bits) {
        of(MEMBERS32).members32(column, offset, rows, bitmap, from, last, flip, bits);
    }
}
