package dev.quarrel.core.parquet;

import java.util.Arrays;

/// The least and the greatest value of a column chunk, as its statistics have them.
///
/// None are claimed of floats with a NaN, which has no place in the order, and of texts and bytes where a bound is
/// longer than 64 bytes. Zeros of floats are -0.0 as the least, and 0.0 as the greatest.
///
/// - Source: parquet.thrift, `Statistics` and `ColumnOrder`.
final class Bounds {
    private static final int LONGEST = 64;

    private final ParquetType type;
    private boolean isKnown = true;
    private boolean isEmpty = true;
    private long least;
    private long greatest;
    private double leastFloat;
    private double greatestFloat;
    private byte[] leastBytes;
    private byte[] greatestBytes;

    Bounds(ParquetType type) {
        this.type = type;
        this.isKnown = type.order() != ParquetType.Order.NONE;
    }

    void see(long value) {
        least = isEmpty ? value : Math.min(least, value);
        greatest = isEmpty ? value : Math.max(greatest, value);
        isEmpty = false;
    }

    void see(double value) {
        if (Double.isNaN(value)) {
            isKnown = false;
        }
        leastFloat = isEmpty ? value : Math.min(leastFloat, value);
        greatestFloat = isEmpty ? value : Math.max(greatestFloat, value);
        isEmpty = false;
    }

    void see(byte[] values, int start, int length) {
        if (!isKnown) {
            return;
        }
        boolean isLess = isEmpty || compare(values, start, length, leastBytes) < 0;
        boolean isGreater = isEmpty || compare(values, start, length, greatestBytes) > 0;
        if (isLess || isGreater) {
            if (length > LONGEST) {
                isKnown = false;
                return;
            }
            byte[] copy = Arrays.copyOfRange(values, start, start + length);
            leastBytes = isLess ? copy : leastBytes;
            greatestBytes = isGreater ? copy : greatestBytes;
        }
        isEmpty = false;
    }

    private int compare(byte[] values, int start, int length, byte[] bound) {
        if (type.order() == ParquetType.Order.BIG_ENDIAN && (values[start] ^ bound[0]) < 0) {
            return Byte.compare(values[start], bound[0]);
        }
        return Arrays.compareUnsigned(values, start, start + length, bound, 0, bound.length);
    }

    /// Writes the fields of the greatest and the least value, if they are known.
    void write(CompactWriter to) {
        if (!isKnown || isEmpty) {
            return;
        }
        switch (type.order()) {
            case SIGNED -> {
                to.binary(5, plain(greatest));
                to.binary(6, plain(least));
            }
            case FLOAT -> {
                to.binary(5, plain(greatestFloat == 0 ? 0.0 : greatestFloat));
                to.binary(6, plain(leastFloat == 0 ? -0.0 : leastFloat));
            }
            case BYTES, BIG_ENDIAN -> {
                to.binary(5, greatestBytes);
                to.binary(6, leastBytes);
            }
            case NONE -> throw new IllegalStateException("bounds without an order");
        }
    }

    private byte[] plain(double value) {
        return plain(
                type.length() == Float.BYTES
                        ? Float.floatToRawIntBits((float) value)
                        : Double.doubleToRawLongBits(value));
    }

    private byte[] plain(long value) {
        ByteQueue bytes = new ByteQueue();
        bytes.putLow(value, Math.max(1, type.length()));
        return Arrays.copyOf(bytes.array(), bytes.size());
    }
}
