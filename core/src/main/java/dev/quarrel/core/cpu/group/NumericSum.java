package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.rows.TextCells;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/// Exact sums of numerics, whose display scale is the greatest of their values'.
///
/// A sum is kept in 128 bits at the greatest scale so far, or where that does not suffice as a [BigInteger]: so
/// no order of rows overflows on the way to a sum that fits.
final class NumericSum extends Accumulator implements Average.Sum {
    private static final int BIG_BYTES = 128;

    private long[] low = new long[0];
    private long[] high = new long[0];
    private int[] scales = new int[0];
    private boolean[] seen = new boolean[0];
    private BigInteger[] big; // where present, instead of the words
    private byte[] specials; // a bit for each SpecialNumeric that came; null while none did

    NumericSum(Reservation reservation) {
        super(reservation);
    }

    @Override
    int groupBytes() {
        return 22;
    }

    @Override
    void resize(int groups) {
        low = Arrays.copyOf(low, groups);
        high = Arrays.copyOf(high, groups);
        scales = Arrays.copyOf(scales, groups);
        seen = Arrays.copyOf(seen, groups);
        big = big == null ? null : Arrays.copyOf(big, groups);
        specials = specials == null ? null : Arrays.copyOf(specials, groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        DecimalVector values = (DecimalVector) argument;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            add(groups[index], values.high()[row], values.low()[row], values.scale()[row]);
        }
    }

    private void add(int group, long valueHigh, long valueLow, int scale) {
        if (SpecialNumeric.is(scale)) {
            addSpecials(group, 1 << SpecialNumeric.of(valueLow).ordinal());
            return;
        }
        if (!seen[group]) {
            seen[group] = true;
            scales[group] = scale;
            high[group] = valueHigh;
            low[group] = valueLow;
            return;
        }
        if (scale == scales[group] && (big == null || big[group] == null)) {
            long sum = low[group] + valueLow;
            long carry = Long.compareUnsigned(sum, valueLow) < 0 ? 1 : 0;
            long oldHigh = high[group];
            long sumHigh = oldHigh + valueHigh + carry;
            // Overflow iff both summands have the sign that the sum has not.
            if (((oldHigh ^ sumHigh) & (valueHigh ^ sumHigh)) >= 0) {
                low[group] = sum;
                high[group] = sumHigh;
                return;
            }
        }
        addBig(group, Int128.toBigInteger(valueHigh, valueLow), scale);
    }

    private void addSpecials(int group, int bits) {
        if (specials == null) {
            specials = new byte[low.length];
        }
        specials[group] |= (byte) bits;
        seen[group] = true; // so far the sum of the numbers is 0
    }

    /// NaN, or both infinities, make NaN.
    @Override
    public SpecialNumeric special(int group) {
        int bits = specials == null ? 0 : specials[group];
        if (bits == 0) {
            return null;
        }
        for (SpecialNumeric each : SpecialNumeric.values()) {
            if (bits == 1 << each.ordinal()) {
                return each;
            }
        }
        return SpecialNumeric.NAN;
    }

    private BigInteger value(int group) {
        return big != null && big[group] != null ? big[group] : Int128.toBigInteger(high[group], low[group]);
    }

    private void addBig(int group, BigInteger value, int scale) {
        int common = seen[group] ? Math.max(scale, scales[group]) : scale;
        BigInteger sum = value.multiply(BigInteger.TEN.pow(common - scale));
        if (seen[group]) {
            sum = sum.add(value(group).multiply(BigInteger.TEN.pow(common - scales[group])));
        }
        seen[group] = true;
        scales[group] = common;
        if (sum.bitLength() <= 127) {
            low[group] = sum.longValue();
            high[group] = sum.shiftRight(64).longValue();
            if (big != null && big[group] != null) {
                big[group] = null;
                reservation.shrink(BIG_BYTES);
            }
            return;
        }
        if (big == null) {
            big = new BigInteger[low.length];
        }
        if (big[group] == null) {
            reservation.grow(BIG_BYTES);
        }
        big[group] = sum;
    }

    @Override
    int partialColumns() {
        return 5;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter lows = new ColumnWriter(DataType.INT64, allocator, count);
        ColumnWriter highs = new ColumnWriter(DataType.INT64, allocator, count);
        ColumnWriter scaleWriter = new ColumnWriter(DataType.INT32, allocator, count);
        ColumnWriter bigs = new ColumnWriter(DataType.UTF8, allocator, count);
        ColumnWriter specialWriter = new ColumnWriter(DataType.INT32, allocator, count);
        for (int index = from; index < from + count; index++) {
            int group = place(order, index);
            if (seen[group]) {
                lows.appendInt64(low[group]);
            } else {
                lows.appendNull();
            }
            highs.appendInt64(high[group]);
            scaleWriter.appendInt32(scales[group]);
            if (big != null && big[group] != null) {
                bigs.appendUtf8(big[group].toString());
            } else {
                bigs.appendNull();
            }
            specialWriter.appendInt32(specials == null ? 0 : specials[group]);
        }
        columns.add(lows.finish());
        columns.add(highs.finish());
        columns.add(scaleWriter.finish());
        columns.add(bigs.finish());
        columns.add(specialWriter.finish());
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column lows = columns.get(firstColumn);
        Column bigs = columns.get(firstColumn + 3);
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (!lows.validity().isPresent(row)) {
                continue;
            }
            int bits = Cells.int32(columns.get(firstColumn + 4), row);
            if (bits != 0) {
                addSpecials(groups[index], bits);
            }
            int scale = Cells.int32(columns.get(firstColumn + 2), row);
            if (bigs.validity().isPresent(row)) {
                addBig(groups[index], new BigInteger(TextCells.text(bigs, row)), scale);
            } else {
                add(groups[index], Cells.int64(columns.get(firstColumn + 1), row), Cells.int64(lows, row), scale);
            }
        }
    }

    @Override
    public void sum(int group, WideNumber to) {
        if (!to.set(value(group))) {
            throw RowErrors.beyondPrecision();
        }
    }

    @Override
    public BigInteger units(int group) {
        return value(group);
    }

    /// Adds the square of a value.
    void addSquare(int group, long valueHigh, long valueLow, int scale) {
        if (valueHigh == valueLow >> 63) {
            add(group, Math.multiplyHigh(valueLow, valueLow), valueLow * valueLow, 2 * scale);
        } else {
            addBig(group, Int128.toBigInteger(valueHigh, valueLow).pow(2), 2 * scale);
        }
    }

    @Override
    public int scale(int group) {
        return scales[group];
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.NUMERIC, allocator, count);
        for (int group = from; group < from + count; group++) {
            if (!seen[group]) {
                writer.appendNull();
                continue;
            }
            if (special(group) != null) {
                writer.appendNumeric(special(group));
                continue;
            }
            if (big != null && big[group] != null || !Int128.fits(high[group], low[group])) {
                throw RowErrors.beyondPrecision();
            }
            writer.appendNumeric(high[group], low[group], scales[group]);
        }
        return writer.finish();
    }
}
