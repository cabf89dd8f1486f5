package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/// Exact sums of int64 and decimals in 192 bits, so that no order of rows overflows on the way to a sum that fits.
final class WideSum extends Accumulator implements Average.Sum {
    private final DataType argument;
    private final boolean isNarrow; // values fit 64 bits
    private final DataType result;
    private long[] low = new long[0];
    private long[] middle = new long[0];
    private long[] high = new long[0];
    private boolean[] seen = new boolean[0];

    WideSum(DataType argument, Reservation reservation) {
        super(reservation);
        this.argument = argument;
        this.isNarrow = !(argument instanceof DataType.Decimal(int precision, int _) && precision > 18);
        this.result = argument instanceof DataType.Decimal(int _, int scale)
                ? new DataType.Decimal(DataType.Decimal.MAX_PRECISION, scale)
                : DataType.NUMERIC;
    }

    @Override
    int groupBytes() {
        return 25;
    }

    @Override
    void resize(int groups) {
        low = Arrays.copyOf(low, groups);
        middle = Arrays.copyOf(middle, groups);
        high = Arrays.copyOf(high, groups);
        seen = Arrays.copyOf(seen, groups);
    }

    @Override
    public void add(Vector values, int[] rows, int[] groups, int count) {
        if (isNarrow) {
            long[] words = values instanceof LongVector longs ? longs.values() : ((DecimalVector) values).low();
            for (int index = 0; index < count; index++) {
                addNarrow(groups[index], words[rows[index]]);
            }
            return;
        }
        DecimalVector decimals = (DecimalVector) values;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            addWords(groups[index], decimals.low()[row], decimals.high()[row], decimals.high()[row] >> 63);
        }
    }

    private void addNarrow(int group, long value) {
        long old = low[group];
        long sum = old + value;
        low[group] = sum;
        // Fewer than 2^63 values of 64 bits stay within the middle word.
        middle[group] += (value >> 63) + (Long.compareUnsigned(sum, old) < 0 ? 1 : 0);
        seen[group] = true;
    }

    @Override
    public void addToGroup(int group, Vector values, int[] rows, int count) {
        if (!isNarrow) {
            super.addToGroup(group, values, rows, count);
            return;
        }
        long[] words = values instanceof LongVector longs ? longs.values() : ((DecimalVector) values).low();
        long sum = 0;
        long carry = 0;
        for (int index = 0; index < count; index++) {
            long value = words[rows[index]];
            long next = sum + value;
            carry += (value >> 63) + (Long.compareUnsigned(next, sum) < 0 ? 1 : 0);
            sum = next;
        }
        if (count > 0) {
            // The middle word of narrow sums may be negative without its sign in the high word: see `normalize`.
            long old = low[group];
            low[group] = old + sum;
            middle[group] += carry + (Long.compareUnsigned(low[group], old) < 0 ? 1 : 0);
            seen[group] = true;
        }
    }

    private void addWords(int group, long lowWord, long middleWord, long highWord) {
        long oldLow = low[group];
        long newLow = oldLow + lowWord;
        long carry = Long.compareUnsigned(newLow, oldLow) < 0 ? 1 : 0;
        long oldMiddle = middle[group];
        long withWord = oldMiddle + middleWord;
        long newMiddle = withWord + carry;
        long carries = (Long.compareUnsigned(withWord, oldMiddle) < 0 ? 1 : 0)
                + (Long.compareUnsigned(newMiddle, withWord) < 0 ? 1 : 0);
        low[group] = newLow;
        middle[group] = newMiddle;
        high[group] += highWord + carries;
        seen[group] = true;
    }

    private long highWord(int group) {
        return isNarrow ? middle[group] >> 63 : high[group];
    }

    @Override
    int partialColumns() {
        return 3;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        long[] present = StateColumns.present(seen, order, from, count);
        long[] lows = StateColumns.words(low, order, from, count, present);
        long[] middles = StateColumns.words(middle, order, from, count, null);
        long[] highs = isNarrow ? new long[count] : StateColumns.words(high, order, from, count, null);
        for (int index = 0; isNarrow && index < count; index++) {
            highs[index] = middles[index] >> 63;
        }
        columns.add(StateColumns.int64s(lows, present, allocator));
        columns.add(StateColumns.int64s(middles, null, allocator));
        columns.add(StateColumns.int64s(highs, null, allocator));
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column lows = columns.get(firstColumn);
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (lows.validity().isPresent(row)) {
                addWords(
                        groups[index],
                        Cells.int64(lows, row),
                        Cells.int64(columns.get(firstColumn + 1), row),
                        Cells.int64(columns.get(firstColumn + 2), row));
            }
        }
    }

    private void check(int group) {
        if (highWord(group) != middle[group] >> 63) {
            throw RowErrors.beyondPrecision();
        }
    }

    @Override
    public void sum(int group, WideNumber to) {
        check(group);
        to.set(middle[group], low[group]);
    }

    @Override
    public BigInteger units(int group) {
        return BigInteger.valueOf(highWord(group))
                .shiftLeft(128)
                .or(Int128.toBigInteger(0, middle[group]).shiftLeft(64))
                .or(Int128.toBigInteger(0, low[group]));
    }

    /// Adds the square of a value.
    void addSquare(int group, long value) {
        addWords(group, value * value, Math.multiplyHigh(value, value), 0);
    }

    @Override
    public int scale(int group) {
        return argument instanceof DataType.Decimal(int _, int scale) ? scale : 0;
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(result, allocator, count);
        for (int group = from; group < from + count; group++) {
            if (!seen[group]) {
                writer.appendNull();
                continue;
            }
            check(group);
            if (!Int128.fits(middle[group], low[group])) {
                throw RowErrors.beyondPrecision();
            }
            if (result instanceof DataType.Numeric) {
                writer.appendNumeric(middle[group], low[group], 0);
            } else {
                writer.appendDecimal(middle[group], low[group]);
            }
        }
        return writer.finish();
    }
}
