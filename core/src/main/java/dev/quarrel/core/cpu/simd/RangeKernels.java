package dev.quarrel.core.cpu.simd;

import java.lang.foreign.MemorySegment;

/// The kernels that test column memory against a range, 64 rows per word: a row's bit in `bits` stays set where
/// its value lies within [low, high], or outside of it where `flip` is all ones.
///
/// - Shape: `rows` values from byte `offset` of `column` on, little endian; `ceil(rows / 64)` words. Words that are 0
///   are left alone, bits past the last row are cleared.
/// - Floats: -0 = 0; a NaN lies in the range iff `nan`.
/// - Members: a value's bit is number `value - from` of `bitmap`, 32 bits an element; values whose number, unsigned,
///   is above `last` are no members.
public sealed interface RangeKernels permits ScalarRangeKernels, VectorRangeKernels, MixedRangeKernels {
    void int8(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits);

    void int16(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits);

    void int32(MemorySegment column, long offset, int rows, int low, int high, long flip, long[] bits);

    void int64(MemorySegment column, long offset, int rows, long low, long high, long flip, long[] bits);

    void float32(
            MemorySegment column, long offset, int rows, float low, float high, boolean nan, long flip, long[] bits);

    void float64(
            MemorySegment column, long offset, int rows, double low, double high, boolean nan, long flip, long[] bits);

    /// Keeps the rows whose value is a member of a set, or is none where `flip` is all ones.
    void members16(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip, long[] bits);

    /// As `members16`, of wider values.
    void members32(
            MemorySegment column, long offset, int rows, int[] bitmap, int from, int last, long flip, long[] bits);

    /// The fastest kernels that are ready.
    static RangeKernels current() {
        return KernelWarmUp.ranges();
    }
}
