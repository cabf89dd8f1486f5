package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Validity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Copies a column of an Arrow type that we lack into one that holds all its values.
///
/// | case | becomes |
/// |---|---|
/// | `INT8`, `UINT8` | int16 |
/// | `UINT16` | int32 |
/// | `UINT32` | int64 |
/// | `UINT64` | decimal(20,0) |
/// | `FLOAT16` | float32 |
/// | `DECIMAL32`, `DECIMAL64` | decimal of the same precision and scale |
/// | `DATE_MILLIS` | date |
/// | `SECONDS`, `MILLIS`, `NANOS` | timestamp in microseconds; nanoseconds are rounded down |
enum Widening {
    INT8(1, 2),
    UINT8(1, 2),
    UINT16(2, 4),
    UINT32(4, 8),
    UINT64(8, 16),
    FLOAT16(2, 4),
    DECIMAL32(4, 16),
    DECIMAL64(8, 16),
    DATE_MILLIS(8, 4),
    SECONDS(8, 8),
    MILLIS(8, 8),
    NANOS(8, 8);

    private static final long MILLIS_PER_DAY = 86_400_000;
    private static final ValueLayout.OfShort INT16_LAYOUT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT32_LAYOUT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong INT64_LAYOUT =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final int sourceBytes;
    private final int targetBytes;

    Widening(int sourceBytes, int targetBytes) {
        this.sourceBytes = sourceBytes;
        this.targetBytes = targetBytes;
    }

    int sourceBytes() {
        return sourceBytes;
    }

    int targetBytes() {
        return targetBytes;
    }

    /// - Shape: `source` and `target` hold `rowCount` values of their widths.
    /// - Errors: [ArithmeticException] when a present value is outside the target's range.
    void copy(MemorySegment source, MemorySegment target, int rowCount, Validity validity) {
        switch (this) {
            case INT8 -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT16_LAYOUT, row * 2L, source.get(ValueLayout.JAVA_BYTE, row));
                }
            }
            case UINT8 -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT16_LAYOUT, row * 2L, (short) (source.get(ValueLayout.JAVA_BYTE, row) & 0xFF));
                }
            }
            case UINT16 -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT32_LAYOUT, row * 4L, source.get(INT16_LAYOUT, row * 2L) & 0xFFFF);
                }
            }
            case UINT32 -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT64_LAYOUT, row * 8L, source.get(INT32_LAYOUT, row * 4L) & 0xFFFF_FFFFL);
                }
            }
            case UINT64 -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT64_LAYOUT, row * 16L, source.get(INT64_LAYOUT, row * 8L));
                    target.set(INT64_LAYOUT, row * 16L + 8, 0);
                }
            }
            case FLOAT16 -> {
                for (int row = 0; row < rowCount; row++) {
                    float value = Float.float16ToFloat(source.get(INT16_LAYOUT, row * 2L));
                    target.set(INT32_LAYOUT, row * 4L, Float.floatToRawIntBits(value));
                }
            }
            case DECIMAL32 -> {
                for (int row = 0; row < rowCount; row++) {
                    setInt128(target, row, source.get(INT32_LAYOUT, row * 4L));
                }
            }
            case DECIMAL64 -> {
                for (int row = 0; row < rowCount; row++) {
                    setInt128(target, row, source.get(INT64_LAYOUT, row * 8L));
                }
            }
            case DATE_MILLIS -> {
                for (int row = 0; row < rowCount; row++) {
                    long days = Math.floorDiv(source.get(INT64_LAYOUT, row * 8L), MILLIS_PER_DAY);
                    if (days != (int) days && validity.isPresent(row)) {
                        throw new ArithmeticException("date out of range");
                    }
                    target.set(INT32_LAYOUT, row * 4L, (int) days);
                }
            }
            case SECONDS -> multiply(source, target, rowCount, validity, 1_000_000);
            case MILLIS -> multiply(source, target, rowCount, validity, 1_000);
            case NANOS -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT64_LAYOUT, row * 8L, Math.floorDiv(source.get(INT64_LAYOUT, row * 8L), 1_000L));
                }
            }
        }
    }

    private static void setInt128(MemorySegment target, int row, long value) {
        target.set(INT64_LAYOUT, row * 16L, value);
        target.set(INT64_LAYOUT, row * 16L + 8, value >> 63);
    }

    private static void multiply(
            MemorySegment source, MemorySegment target, int rowCount, Validity validity, long factor) {
        long limit = Long.MAX_VALUE / factor;
        for (int row = 0; row < rowCount; row++) {
            long value = source.get(INT64_LAYOUT, row * 8L);
            if ((value > limit || value < -limit) && validity.isPresent(row)) {
                throw new ArithmeticException("timestamp out of range");
            }
            target.set(INT64_LAYOUT, row * 8L, value * factor);
        }
    }
}
