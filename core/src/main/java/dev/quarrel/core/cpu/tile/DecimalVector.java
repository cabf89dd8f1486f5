package dev.quarrel.core.cpu.tile;

import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.UuidWords;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.UUID;

/// A vector of Decimal or Numeric: 128-bit unscaled values in two words; a Numeric has a display scale per row
/// as well, or is a [SpecialNumeric]. A Uuid is the two words that order as it does ([UuidWords]).
///
/// Interval: `high` has the microseconds, `low` the months in its lower half and the days in its upper one.
///
/// `isNarrow` is a hint that lets loops work on the lower words alone.
public final class DecimalVector extends Vector {
    /// Decimal digits that every long has room for.
    private static final int LONG_DIGITS = 18;

    private final long[] high;
    private final long[] low;
    private final int[] scale;
    private boolean narrow;

    DecimalVector(DataType type, int tileRows) {
        super(type, tileRows);
        this.high = new long[capacity()];
        this.low = new long[capacity()];
        this.scale = type instanceof DataType.Numeric ? new int[capacity()] : null;
    }

    /// Upper 64 bits of the unscaled values, with the sign.
    public long[] high() {
        return high;
    }

    /// Lower 64 bits of the unscaled values.
    public long[] low() {
        return low;
    }

    /// Digits after the point, by row, or [SpecialNumeric#SCALE]; null for a Decimal, whose type says it, and for a
    /// Uuid, which has none.
    public int[] scale() {
        return scale;
    }

    /// Digits after the point of one row.
    public int scale(int row) {
        return type() instanceof DataType.Decimal(int _, int fixed) ? fixed : scale[row];
    }

    /// Whether every value computed fits 64 bits, so that `high` is the sign of `low`. False where that is not
    /// known.
    public boolean isNarrow() {
        return narrow;
    }

    public void setNarrow(boolean isNarrow) {
        this.narrow = isNarrow;
    }

    @Override
    void gatherValues(Vector source, int[] rows, int count) {
        DecimalVector from = (DecimalVector) source;
        for (int row = 0; row < count; row++) {
            int index = Math.max(0, rows[row]);
            high[row] = from.high[index];
            low[row] = from.low[index];
        }
        if (scale != null) {
            for (int row = 0; row < count; row++) {
                scale[row] = from.scale[Math.max(0, rows[row])];
            }
        }
        // Row 0, read for negative rows, may not be among those that the hint speaks of.
        narrow = false;
    }

    @Override
    public void copyValues(Vector source, Mask rows) {
        DecimalVector from = (DecimalVector) source;
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            high[row] = from.high[row];
            low[row] = from.low[row];
        }
        if (scale != null) {
            for (int index = 0; index < count; index++) {
                scale[indexes[index]] = from.scale[indexes[index]];
            }
        }
        narrow = false;
    }

    @Override
    public void gatherSelected(Vector source, int[] codes, Mask rows) {
        DecimalVector from = (DecimalVector) source;
        int[] indexes = rows.indexes();
        int count = rows.count();
        for (int index = 0; index < count; index++) {
            int row = indexes[index];
            if (isPresent(row)) {
                high[row] = from.high[codes[row]];
                low[row] = from.low[codes[row]];
                if (scale != null) {
                    scale[row] = from.scale[codes[row]];
                }
            }
        }
        narrow = false;
    }

    @Override
    void fill(Object value) {
        set(0, value);
        Arrays.fill(low, low[0]);
        Arrays.fill(high, high[0]);
        if (scale != null) {
            Arrays.fill(scale, scale[0]);
        }
        narrow = value instanceof BigDecimal number && number.unscaledValue().bitLength() < 64;
    }

    /// Makes a row of a Numeric NaN or an infinity.
    public void set(int row, SpecialNumeric value) {
        narrow = false;
        low[row] = value.low();
        high[row] = value.high();
        scale[row] = SpecialNumeric.SCALE;
    }

    /// Puts a present literal's canonical value into a row: a BigDecimal of the type's scale, a SpecialNumeric, a UUID
    /// or an Interval.
    public void set(int row, Object value) {
        narrow = false;
        switch (value) {
            case UUID uuid -> {
                low[row] = UuidWords.low(uuid);
                high[row] = UuidWords.high(uuid);
            }
            case Interval interval -> {
                low[row] = interval.calendar();
                high[row] = interval.micros();
            }
            case SpecialNumeric special -> set(row, special);
            default -> {
                BigDecimal number = (BigDecimal) value;
                if (number.precision() <= LONG_DIGITS) {
                    // Without a BigInteger.
                    low[row] = number.scaleByPowerOfTen(number.scale()).longValue();
                    high[row] = low[row] >> 63;
                } else {
                    BigInteger unscaled = number.unscaledValue();
                    low[row] = unscaled.longValue();
                    high[row] = unscaled.shiftRight(64).longValue();
                }
                if (scale != null) {
                    scale[row] = number.scale();
                }
            }
        }
    }

    @Override
    Object presentValue(int row) {
        if (type() instanceof DataType.Uuid) {
            return UuidWords.uuid(high[row], low[row]);
        }
        if (type() instanceof DataType.Interval) {
            return Interval.of(low[row], high[row]);
        }
        int digits = scale(row);
        if (SpecialNumeric.is(digits)) {
            return SpecialNumeric.of(low[row]);
        }
        return high[row] == low[row] >> 63
                ? BigDecimal.valueOf(low[row], digits)
                : new BigDecimal(Int128.toBigInteger(high[row], low[row]), digits);
    }
}
