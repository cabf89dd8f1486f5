package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.FloatVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;

/// Variances and standard deviations of floats: from exact sums of values and squares, rounded at the end.
final class FloatVariance extends Variance {
    private final FloatSum sum;
    private final FloatSum squares;
    private final FloatProducts products = new FloatProducts();

    FloatVariance(AggregateKind kind, DataType argument, Reservation reservation) {
        this(kind, new FloatSum(argument, reservation), FloatSum.ofProducts(reservation), reservation);
    }

    private FloatVariance(AggregateKind kind, FloatSum sum, FloatSum squares, Reservation reservation) {
        super(kind, sum, squares, reservation);
        this.sum = sum;
        this.squares = squares;
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        sum.add(argument, rows, groups, count);
        counts.add(argument, rows, groups, count);
        addSquares(argument, rows, groups, count);
    }

    @Override
    public void addToGroup(int group, Vector argument, int[] rows, int count) {
        if (group != 0) {
            super.addToGroup(group, argument, rows, count);
            return;
        }
        sum.addToOne(argument, rows, count);
        counts.addToOne(argument, rows, count);
        addSquares(argument, rows, null, count);
    }

    private void addSquares(Vector argument, int[] rows, int[] groups, int count) {
        if (argument instanceof FloatVector floats) {
            products.addSquares(squares, floats.values(), rows, groups, count);
        } else {
            double[] values = ((DoubleVector) argument).values();
            products.add(squares, values, values, rows, groups, count);
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.FLOAT64, allocator, count);
        Comoment deviations = new Comoment(squares, sum, sum);
        for (int group = from; group < from + count; group++) {
            long rows = counts.count(group);
            if (rows == 0 || isSample && rows == 1) {
                writer.appendNull();
            } else {
                // Rounded before this division, as in PostgreSQL.
                double variance = deviations.of(group, rows) / (isSample ? rows - 1 : rows);
                writer.appendFloat64(isDeviation ? Math.sqrt(variance) : variance);
            }
        }
        return writer.finish();
    }
}
