package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.cpu.number.NumericMath;
import dev.quarrel.core.cpu.number.WideNumber;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.SpecialNumeric;
import java.math.BigInteger;
import java.util.List;

/// AVG: an exact sum and a count, divided once at the end.
final class Average extends Accumulator {
    private final Accumulator sum;
    private final CountAccumulator counts;
    private final boolean isFloat;

    /// An exact decimal sum.
    sealed interface Sum permits LongSum, WideSum, NumericSum {
        /// - Errors: 22003 when it has more than 38 digits.
        void sum(int group, WideNumber to);

        int scale(int group);

        /// What the sum is if it is no number; null otherwise.
        default SpecialNumeric special(int group) {
            return null;
        }

        /// The sum at that scale; 0 for none.
        BigInteger units(int group);
    }

    Average(Accumulator sum, DataType argument, Reservation reservation) {
        super(reservation);
        this.sum = sum;
        this.counts = new CountAccumulator(reservation);
        this.isFloat = argument instanceof DataType.Float32 || argument instanceof DataType.Float64;
    }

    @Override
    int groupBytes() {
        return 0;
    }

    @Override
    void resize(int groups) {
        sum.ensure(groups);
        counts.ensure(groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        sum.add(argument, rows, groups, count);
        counts.add(argument, rows, groups, count);
    }

    @Override
    public void addToGroup(int group, Vector argument, int[] rows, int count) {
        sum.addToGroup(group, argument, rows, count);
        counts.addToGroup(group, argument, rows, count);
    }

    @Override
    int partialColumns() {
        return sum.partialColumns() + 1;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        sum.partials(order, from, count, allocator, columns);
        counts.partials(order, from, count, allocator, columns);
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        sum.absorb(columns, firstColumn, firstRow, groups, count);
        counts.absorb(columns, firstColumn + sum.partialColumns(), firstRow, groups, count);
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(
                isFloat ? DataType.FLOAT64 : sum instanceof IntervalSum ? DataType.INTERVAL : DataType.NUMERIC,
                allocator,
                count);
        IntervalMath span = new IntervalMath();
        WideNumber number = new WideNumber();
        for (int group = from; group < from + count; group++) {
            long rows = counts.count(group);
            if (rows == 0) {
                writer.appendNull();
            } else if (sum instanceof FloatSum floats) {
                writer.appendFloat64(floats.doubleSum(group) / rows);
            } else if (sum instanceof IntervalSum intervals) {
                intervals.sum(group, span);
                span.divide(rows);
                writer.appendDecimal(span.micros, span.calendar());
            } else if (((Sum) sum).special(group) != null) {
                writer.appendNumeric(((Sum) sum).special(group));
            } else {
                Sum exact = (Sum) sum;
                exact.sum(group, number);
                int scale = NumericMath.divide(number.high(), number.low(), exact.scale(group), 0, rows, 0, number);
                writer.appendNumeric(number.high(), number.low(), scale);
            }
        }
        return writer.finish();
    }
}
