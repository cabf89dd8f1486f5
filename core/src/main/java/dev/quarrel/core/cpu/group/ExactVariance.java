package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.number.RowErrors;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.IntVector;
import dev.quarrel.core.cpu.tile.LongVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.AggregateLayout;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.NumericScales;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/// Variances and standard deviations of integers, decimals and numerics, from exact sums of values and squares.
///
/// - Source: PostgreSQL's `numeric_stddev_internal`, `select_div_scale` and `sqrt_var`.
final class ExactVariance extends Variance {
    ExactVariance(AggregateKind kind, DataType argument, Reservation reservation) {
        super(
                kind,
                sum(argument, reservation),
                AggregateLayout.squareType(argument) instanceof DataType.Int64
                        // Of a type whose sums use all three words.
                        ? new WideSum(new DataType.Decimal(DataType.Decimal.MAX_PRECISION, 0), reservation)
                        : new NumericSum(reservation),
                reservation);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        sum.add(argument, rows, groups, count);
        counts.add(argument, rows, groups, count);
        if (squares instanceof NumericSum numerics) {
            DecimalVector values = (DecimalVector) argument;
            for (int index = 0; index < count; index++) {
                int row = rows[index];
                // A decimal's values have its own scale.
                int scale = values.scale() == null ? ((Average.Sum) sum).scale(groups[index]) : values.scale()[row];
                if (SpecialNumeric.is(scale)) {
                    continue; // the sum knows, and there is nothing else to know
                }
                numerics.addSquare(groups[index], values.high()[row], values.low()[row], scale);
            }
            return;
        }
        WideSum wide = (WideSum) squares;
        if (argument instanceof IntVector ints) {
            for (int index = 0; index < count; index++) {
                wide.addSquare(groups[index], ints.values()[rows[index]]);
            }
            return;
        }
        long[] words = argument instanceof LongVector longs ? longs.values() : ((DecimalVector) argument).low();
        for (int index = 0; index < count; index++) {
            wide.addSquare(groups[index], words[rows[index]]);
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.NUMERIC, allocator, count);
        for (int group = from; group < from + count; group++) {
            long rows = counts.count(group);
            if (rows == 0 || isSample && rows == 1) {
                writer.appendNull();
            } else if (((Average.Sum) sum).special(group) != null) {
                writer.appendNumeric(SpecialNumeric.NAN);
            } else {
                append(writer, value(group, rows));
            }
        }
        return writer.finish();
    }

    private BigDecimal value(int group, long rows) {
        Average.Sum exact = (Average.Sum) sum;
        BigInteger count = BigInteger.valueOf(rows);
        BigInteger numerator = ((Average.Sum) squares)
                .units(group)
                .multiply(count)
                .subtract(exact.units(group).pow(2));
        if (numerator.signum() <= 0) {
            return BigDecimal.ZERO;
        }
        BigDecimal dividend = new BigDecimal(numerator, 2 * exact.scale(group));
        BigDecimal divisor = new BigDecimal(count.multiply(isSample ? count.subtract(BigInteger.ONE) : count));
        int scale = NumericScales.ofQuotient(dividend, divisor);
        BigDecimal variance = dividend.divide(divisor, scale, RoundingMode.HALF_UP);
        if (!isDeviation) {
            return variance;
        }
        // One digit more than asked for, cut off, and then rounded by it.
        BigInteger root =
                variance.unscaledValue().multiply(BigInteger.TEN.pow(scale + 2)).sqrt();
        return new BigDecimal(root, scale + 1).setScale(scale, RoundingMode.HALF_UP);
    }

    private static void append(ColumnWriter writer, BigDecimal value) {
        WideNumber number = new WideNumber();
        if (!number.set(value.unscaledValue()) || !number.fits(Int128.MAX_DIGITS)) {
            throw RowErrors.beyondPrecision();
        }
        writer.appendNumeric(number.high(), number.low(), value.scale());
    }
}
