package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.column.Validity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

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
/// | `DECIMAL256` | decimal of 38 digits at most |
/// | `DATE_MILLIS` | date |
/// | `SECONDS`, `MILLIS`, `NANOS` | timestamp in microseconds; nanoseconds are rounded down |
/// | `TIME_SECONDS`, `TIME_MILLIS`, `TIME_NANOS` | time in microseconds; nanoseconds are rounded down |
/// | `MONTHS`, `DAY_MILLIS`, `MONTH_DAY_NANO` | interval; nanoseconds are rounded down |
/// | `DURATION_SECONDS` to `DURATION_NANOS` | interval of microseconds alone; nanoseconds are rounded down |
enum Widening {
    INT8(1, 2),
    UINT8(1, 2),
    UINT16(2, 4),
    UINT32(4, 8),
    UINT64(8, 16),
    FLOAT16(2, 4),
    DECIMAL32(4, 16),
    DECIMAL64(8, 16),
    DECIMAL256(32, 16),
    DATE_MILLIS(8, 4),
    SECONDS(8, 8),
    MILLIS(8, 8),
    NANOS(8, 8),
    TIME_SECONDS(4, 8),
    TIME_MILLIS(4, 8),
    TIME_NANOS(8, 8),
    MONTHS(4, 16),
    DAY_MILLIS(8, 16),
    MONTH_DAY_NANO(16, 16),
    DURATION_SECONDS(8, 16),
    DURATION_MILLIS(8, 16),
    DURATION_MICROS(8, 16),
    DURATION_NANOS(8, 16);

    private static final long MILLIS_PER_DAY = 86_400_000;

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
                    target.set(INT16, row * 2L, source.get(ValueLayout.JAVA_BYTE, row));
                }
            }
            case UINT8 -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT16, row * 2L, (short) (source.get(ValueLayout.JAVA_BYTE, row) & 0xFF));
                }
            }
            case UINT16 -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT32, row * 4L, source.get(INT16, row * 2L) & 0xFFFF);
                }
            }
            case UINT32 -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT64, row * 8L, source.get(INT32, row * 4L) & 0xFFFF_FFFFL);
                }
            }
            case UINT64 -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT64, row * 16L, source.get(INT64, row * 8L));
                    target.set(INT64, row * 16L + 8, 0);
                }
            }
            case FLOAT16 -> {
                for (int row = 0; row < rowCount; row++) {
                    float value = Float.float16ToFloat(source.get(INT16, row * 2L));
                    target.set(INT32, row * 4L, Float.floatToRawIntBits(value));
                }
            }
            case DECIMAL32 -> {
                for (int row = 0; row < rowCount; row++) {
                    setInt128(target, row, source.get(INT32, row * 4L));
                }
            }
            case DECIMAL64 -> {
                for (int row = 0; row < rowCount; row++) {
                    setInt128(target, row, source.get(INT64, row * 8L));
                }
            }
            case DECIMAL256 -> {
                for (int row = 0; row < rowCount; row++) {
                    long low = source.get(INT64, row * 32L);
                    long high = source.get(INT64, row * 32L + 8);
                    boolean fits = source.get(INT64, row * 32L + 16) == high >> 63
                            && source.get(INT64, row * 32L + 24) == high >> 63
                            && isOf38Digits(high, low);
                    if (!fits && validity.isPresent(row)) {
                        throw new ArithmeticException("numeric of more than 38 digits");
                    }
                    target.set(INT64, row * 16L, low);
                    target.set(INT64, row * 16L + 8, high);
                }
            }
            case DATE_MILLIS -> {
                for (int row = 0; row < rowCount; row++) {
                    long days = Math.floorDiv(source.get(INT64, row * 8L), MILLIS_PER_DAY);
                    if (days != (int) days && validity.isPresent(row)) {
                        throw new ArithmeticException("date out of range");
                    }
                    target.set(INT32, row * 4L, (int) days);
                }
            }
            case SECONDS -> multiply(source, target, rowCount, validity, 1_000_000);
            case MILLIS -> multiply(source, target, rowCount, validity, 1_000);
            case NANOS, TIME_NANOS -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT64, row * 8L, Math.floorDiv(source.get(INT64, row * 8L), 1_000L));
                }
            }
            case TIME_SECONDS -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT64, row * 8L, source.get(INT32, row * 4L) * 1_000_000L);
                }
            }
            case TIME_MILLIS -> {
                for (int row = 0; row < rowCount; row++) {
                    target.set(INT64, row * 8L, source.get(INT32, row * 4L) * 1_000L);
                }
            }
            case MONTHS -> {
                for (int row = 0; row < rowCount; row++) {
                    setInterval(target, row, source.get(INT32, row * 4L) & 0xFFFF_FFFFL, 0);
                }
            }
            case DAY_MILLIS -> {
                for (int row = 0; row < rowCount; row++) {
                    long days = source.get(INT32, row * 8L);
                    setInterval(target, row, days << 32, source.get(INT32, row * 8L + 4) * 1_000L);
                }
            }
            case MONTH_DAY_NANO -> {
                for (int row = 0; row < rowCount; row++) {
                    long calendar = source.get(INT64, row * 16L);
                    long nanos = source.get(INT64, row * 16L + 8);
                    setInterval(target, row, calendar, IntervalNanos.micros(calendar, nanos));
                }
            }
            case DURATION_SECONDS -> durations(source, target, rowCount, validity, 1_000_000);
            case DURATION_MILLIS -> durations(source, target, rowCount, validity, 1_000);
            case DURATION_MICROS -> durations(source, target, rowCount, validity, 1);
            case DURATION_NANOS -> {
                for (int row = 0; row < rowCount; row++) {
                    setInterval(target, row, 0, Math.floorDiv(source.get(INT64, row * 8L), 1_000L));
                }
            }
        }
    }

    private static final long LIMIT_HIGH = 0x4B3B_4CA8_5A86_C47AL; // 10^38
    private static final long LIMIT_LOW = 0x098A_2240_0000_0000L;

    private static boolean isOf38Digits(long high, long low) {
        long absoluteLow = high < 0 ? -low : low;
        long absoluteHigh = high < 0 ? ~high + (low == 0 ? 1 : 0) : high;
        return absoluteHigh >= 0
                && (absoluteHigh < LIMIT_HIGH
                        || absoluteHigh == LIMIT_HIGH && Long.compareUnsigned(absoluteLow, LIMIT_LOW) < 0);
    }

    private static void setInterval(MemorySegment target, int row, long calendar, long micros) {
        target.set(INT64, row * 16L, calendar);
        target.set(INT64, row * 16L + 8, micros);
    }

    private static void durations(
            MemorySegment source, MemorySegment target, int rowCount, Validity validity, long factor) {
        for (int row = 0; row < rowCount; row++) {
            long value = source.get(INT64, row * 8L);
            if (Math.multiplyHigh(value, factor) != value * factor >> 63 && validity.isPresent(row)) {
                throw new ArithmeticException("interval out of range");
            }
            setInterval(target, row, 0, value * factor);
        }
    }

    private static void setInt128(MemorySegment target, int row, long value) {
        target.set(INT64, row * 16L, value);
        target.set(INT64, row * 16L + 8, value >> 63);
    }

    private static void multiply(
            MemorySegment source, MemorySegment target, int rowCount, Validity validity, long factor) {
        long limit = Long.MAX_VALUE / factor;
        for (int row = 0; row < rowCount; row++) {
            long value = source.get(INT64, row * 8L);
            if ((value > limit || value < -limit) && validity.isPresent(row)) {
                throw new ArithmeticException("timestamp out of range");
            }
            target.set(INT64, row * 8L, value * factor);
        }
    }
}
