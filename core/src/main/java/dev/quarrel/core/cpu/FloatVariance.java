package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.run.Reservation;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// Variances and standard deviations of floats: from exact sums of values and squares, rounded at the end.
final class FloatVariance extends Accumulator {
    private final boolean isSample;
    private final boolean isDeviation;
    private final FloatSum sum;
    private final CountAccumulator counts;
    private final FloatSum squares;

    FloatVariance(AggregateKind kind, DataType argument, Reservation reservation) {
        super(reservation);
        this.isSample = kind == AggregateKind.VAR_SAMP || kind == AggregateKind.STDDEV_SAMP;
        this.isDeviation = kind == AggregateKind.STDDEV_POP || kind == AggregateKind.STDDEV_SAMP;
        this.sum = new FloatSum(argument, reservation);
        this.counts = new CountAccumulator(reservation);
        this.squares = new FloatSum(DataType.FLOAT64, reservation);
    }

    @Override
    int groupBytes() {
        return 0;
    }

    @Override
    void resize(int groups) {
        sum.ensure(groups);
        counts.ensure(groups);
        squares.ensure(groups);
    }

    @Override
    void add(Vector argument, int[] rows, int[] groups, int count) {
        sum.add(argument, rows, groups, count);
        counts.add(argument, rows, groups, count);
        if (argument instanceof FloatVector floats) {
            for (int index = 0; index < count; index++) {
                double value = floats.values()[rows[index]];
                squares.add(groups[index], value * value); // 48 bits: exact
            }
            return;
        }
        double[] values = ((DoubleVector) argument).values();
        for (int index = 0; index < count; index++) {
            addProduct(squares, groups[index], values[rows[index]], values[rows[index]]);
        }
    }

    /// Adds a product, as the nearest float64 and the rest.
    static void addProduct(FloatSum sum, int group, double one, double other) {
        double nearest = one * other;
        sum.add(group, nearest);
        if (Double.isFinite(nearest)) {
            sum.add(group, Math.fma(one, other, -nearest));
        }
    }

    @Override
    int partialColumns() {
        return sum.partialColumns() + 1 + squares.partialColumns();
    }

    @Override
    void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        sum.partials(order, from, count, allocator, columns);
        counts.partials(order, from, count, allocator, columns);
        squares.partials(order, from, count, allocator, columns);
    }

    @Override
    void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        sum.absorb(columns, firstColumn, firstRow, groups, count);
        counts.absorb(columns, firstColumn + sum.partialColumns(), firstRow, groups, count);
        squares.absorb(columns, firstColumn + sum.partialColumns() + 1, firstRow, groups, count);
    }

    @Override
    Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.FLOAT64, allocator, count);
        for (int group = from; group < from + count; group++) {
            long rows = counts.count(group);
            if (rows == 0 || isSample && rows == 1) {
                writer.appendNull();
            } else {
                double variance = variance(group, rows);
                writer.appendFloat64(isDeviation ? Math.sqrt(variance) : variance);
            }
        }
        return writer.finish();
    }

    private double variance(int group, long rows) {
        if (!sum.isFinite(group)) {
            return Double.NaN;
        }
        if (!squares.isFinite(group)) {
            throw RowErrors.floatOverflow();
        }
        BinaryNumber total = sum.exact(group);
        BinaryNumber numerator =
                squares.exact(group).times(BinaryNumber.of(rows)).minus(total.times(total));
        // Squares whose last bits are below float64's range can leave less than nothing.
        return numerator.signum() <= 0
                ? 0
                : numerator.dividedBy(BinaryNumber.of(rows).times(BinaryNumber.of(isSample ? rows - 1 : rows)));
    }
}
