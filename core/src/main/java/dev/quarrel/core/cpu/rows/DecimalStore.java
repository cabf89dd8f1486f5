package dev.quarrel.core.cpu.rows;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.KeyHash;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.util.Arrays;

/// A store of Decimal, Numeric, Uuid (as its two words) and Interval (in words as in [DecimalVector]).
public final class DecimalStore extends ValueStore {
    private long[] high = new long[0];
    private long[] low = new long[0];
    private int[] scale;

    DecimalStore(DataType type, Reservation reservation) {
        super(type, reservation);
        this.scale = type instanceof DataType.Numeric ? new int[0] : null;
    }

    public long[] high() {
        return high;
    }

    public long[] low() {
        return low;
    }

    /// Digits after the point, by row; null for a Decimal.
    public int[] scale() {
        return scale;
    }

    @Override
    int bitsPerRow() {
        return scale == null ? 128 : 160;
    }

    @Override
    void resize(int newCapacity) {
        high = Arrays.copyOf(high, newCapacity);
        low = Arrays.copyOf(low, newCapacity);
        scale = scale == null ? null : Arrays.copyOf(scale, newCapacity);
    }

    @Override
    void appendValues(Vector source, int[] rows, int count) {
        DecimalVector from = (DecimalVector) source;
        int start = size();
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            high[start + index] = from.high()[row];
            low[start + index] = from.low()[row];
        }
        if (scale != null) {
            for (int index = 0; index < count; index++) {
                scale[start + index] = from.scale()[rows[index]];
            }
        }
    }

    @Override
    void appendValues(ValueStore source, int from, int count) {
        copyValues(source, from, count, size());
    }

    @Override
    boolean isPiecewise() {
        return true;
    }

    @Override
    void copyValues(ValueStore source, int from, int count, int at) {
        DecimalStore other = (DecimalStore) source;
        System.arraycopy(other.high, from, high, at, count);
        System.arraycopy(other.low, from, low, at, count);
        if (scale != null) {
            System.arraycopy(other.scale, from, scale, at, count);
        }
    }

    @Override
    void retainValues(int[] rows, int count) {
        for (int index = 0; index < count; index++) {
            high[index] = high[rows[index]];
            low[index] = low[rows[index]];
            if (scale != null) {
                scale[index] = scale[rows[index]];
            }
        }
    }

    @Override
    void gatherValues(int[] ids, int[] rows, int count, Vector to) {
        DecimalVector out = (DecimalVector) to;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            int id = Math.max(0, ids[row]);
            out.high()[row] = high[id];
            out.low()[row] = low[id];
        }
        if (scale != null) {
            for (int index = 0; index < count; index++) {
                out.scale()[rows[index]] = scale[Math.max(0, ids[rows[index]])];
            }
        }
        out.setNarrow(false);
    }

    @Override
    Column column(int[] order, int from, int count, Validity present, Allocator allocator) {
        int width = type().byteWidth();
        boolean isUuid = type() instanceof DataType.Uuid;
        MemorySegment out = allocator.allocateUnset((long) count * width);
        if (isUuid) {
            for (int index = 0; index < count; index++) {
                int row = order == null ? from + index : order[from + index];
                UuidWords.put(out, (long) index * width, high[row], low[row]);
            }
            return new FixedColumn(type(), count, out, present);
        }
        int words = width / Long.BYTES;
        int tileRows = Math.min(count, COLUMN_TILE);
        long[] tile = new long[tileRows * words];
        for (int first = 0; first < count; first += tileRows) {
            int rows = Math.min(tileRows, count - first);
            for (int index = 0; index < rows; index++) {
                int row = order == null ? from + first + index : order[from + first + index];
                tile[index * words] = low[row];
                tile[index * words + 1] = high[row];
                if (scale != null) {
                    tile[index * words + 2] = scale[row] & 0xFFFF_FFFFL;
                }
            }
            MemorySegment.copy(tile, 0, out, INT64, (long) first * width, rows * words);
        }
        return new FixedColumn(type(), count, out, present);
    }

    /// Of equal numbers that are one group, the one that shows most digits after the point stands for the group; of
    /// equal intervals the one with most months, then days.
    ///
    /// @param ids the row here that is equal to row `rows[i]` of the vector
    public void showMostDigits(DecimalVector values, int[] rows, int[] ids, int count) {
        if (scale == null) {
            showMostMonths(values, rows, ids, count);
            return;
        }
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            int id = ids[index];
            if (values.isPresent(row) && values.scale()[row] > scale[id]) {
                high[id] = values.high()[row];
                low[id] = values.low()[row];
                scale[id] = values.scale()[row];
            }
        }
    }

    private void showMostMonths(DecimalVector values, int[] rows, int[] ids, int count) {
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            int id = ids[index];
            if (values.isPresent(row) && Interval.compareForms(values.low()[row], low[id]) > 0) {
                high[id] = values.high()[row];
                low[id] = values.low()[row];
            }
        }
    }

    /// Whether equal values may differ in how they are shown.
    public static boolean hasForms(DataType type) {
        return type instanceof DataType.Numeric || type instanceof DataType.Interval;
    }

    @Override
    long presentHash(int row) {
        if (type() instanceof DataType.Interval) {
            return KeyHash.ofInterval(low[row], high[row]);
        }
        return scale == null ? KeyHash.ofDecimal(high[row], low[row]) : numericHash(high[row], low[row], scale[row]);
    }

    /// [KeyHash#ofNumeric], for most numbers without a big integer.
    static long numericHash(long high, long low, int scale) {
        if (high != low >> 63) {
            return KeyHash.ofNumeric(Int128.toBigInteger(high, low), scale);
        }
        long rest = low;
        int digits = scale;
        while (digits > 0 && rest % 10 == 0) {
            rest /= 10;
            digits--;
        }
        return KeyHash.ofNormalized(rest >> 63, rest, digits);
    }

    /// Whether a number or interval is equal to one of a vector, however each is shown; both are present.
    boolean isEqual(int row, DecimalVector others, int other) {
        long otherHigh = others.high()[other];
        long otherLow = others.low()[other];
        if (scale == null) {
            return Interval.compareSpans(low[row], high[row], otherLow, otherHigh) == 0;
        }
        int otherScale = others.scale()[other];
        if (scale[row] == otherScale) {
            return high[row] == otherHigh && low[row] == otherLow;
        }
        return !SpecialNumeric.is(scale[row] | otherScale)
                && new BigDecimal(Int128.toBigInteger(high[row], low[row]), scale[row])
                                .compareTo(new BigDecimal(Int128.toBigInteger(otherHigh, otherLow), otherScale))
                        == 0;
    }
}
