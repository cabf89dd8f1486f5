package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.ir.AggregateKind;
import java.util.List;

/// Variances and standard deviations: sums of values and of squares, and how many values there were.
abstract sealed class Variance extends Accumulator permits ExactVariance, FloatVariance {
    final boolean isSample;
    final boolean isDeviation;
    final Accumulator sum;
    final CountAccumulator counts;
    final Accumulator squares;

    Variance(AggregateKind kind, Accumulator sum, Accumulator squares, Reservation reservation) {
        super(reservation);
        this.isSample = kind == AggregateKind.VAR_SAMP || kind == AggregateKind.STDDEV_SAMP;
        this.isDeviation = kind == AggregateKind.STDDEV_POP || kind == AggregateKind.STDDEV_SAMP;
        this.sum = sum;
        this.counts = new CountAccumulator(reservation);
        this.squares = squares;
    }

    @Override
    final int groupBytes() {
        return 0;
    }

    @Override
    final void resize(int groups) {
        sum.ensure(groups);
        counts.ensure(groups);
        squares.ensure(groups);
    }

    @Override
    final int partialColumns() {
        return sum.partialColumns() + 1 + squares.partialColumns();
    }

    @Override
    public final void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        sum.partials(order, from, count, allocator, columns);
        counts.partials(order, from, count, allocator, columns);
        squares.partials(order, from, count, allocator, columns);
    }

    @Override
    public final void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        sum.absorb(columns, firstColumn, firstRow, groups, count);
        counts.absorb(columns, firstColumn + sum.partialColumns(), firstRow, groups, count);
        squares.absorb(columns, firstColumn + sum.partialColumns() + 1, firstRow, groups, count);
    }
}
