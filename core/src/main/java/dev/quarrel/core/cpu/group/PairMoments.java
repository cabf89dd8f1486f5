package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.tile.DoubleVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.PairSum;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import java.util.List;

/// Covariance, correlation and linear regression over pairs (y, x), from exact sums of values and products.
///
/// - Source: PostgreSQL's `float8_regr_accum` and its final functions, for what is NULL and what is NaN.
final class PairMoments extends Accumulator {
    private final AggregateKind kind;
    private final List<PairSum> parts;
    private final CountAccumulator counts;
    private final FloatSum[] sums; // in the order of `parts`
    private final FloatProducts products = new FloatProducts();
    private DoubleVector second;

    /// PostgreSQL's Sxx, Syy and Sxy, for one thread; null where the aggregate needs none.
    private record Comoments(Comoment xx, Comoment yy, Comoment xy) {}

    PairMoments(AggregateKind kind, Reservation reservation) {
        super(reservation);
        this.kind = kind;
        this.parts = PairSum.of(kind);
        this.counts = new CountAccumulator(reservation);
        this.sums = parts.stream()
                .map(part -> switch (part) {
                    case X, Y -> new FloatSum(DataType.FLOAT64, reservation);
                    case XX, YY, XY -> FloatSum.ofProducts(reservation);
                })
                .toArray(FloatSum[]::new);
    }

    @Override
    int groupBytes() {
        return 0;
    }

    @Override
    void resize(int groups) {
        counts.ensure(groups);
        for (FloatSum sum : sums) {
            sum.ensure(groups);
        }
    }

    @Override
    public void bind(Vector[] further) {
        second = (DoubleVector) further[0];
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        counts.add(argument, rows, groups, count);
        addParts(argument, rows, groups, count);
    }

    @Override
    public void addToGroup(int group, Vector argument, int[] rows, int count) {
        if (group != 0) {
            super.addToGroup(group, argument, rows, count);
            return;
        }
        counts.addToOne(argument, rows, count);
        addParts(argument, rows, null, count);
    }

    /// @param groups null for group 0
    private void addParts(Vector argument, int[] rows, int[] groups, int count) {
        double[] first = ((DoubleVector) argument).values();
        for (int part = 0; part < sums.length; part++) {
            switch (parts.get(part)) {
                case X -> addValues(sums[part], second, rows, groups, count);
                case Y -> addValues(sums[part], argument, rows, groups, count);
                case XX -> products.add(sums[part], second.values(), second.values(), rows, groups, count);
                case YY -> products.add(sums[part], first, first, rows, groups, count);
                case XY -> products.add(sums[part], second.values(), first, rows, groups, count);
            }
        }
    }

    private static void addValues(FloatSum sum, Vector values, int[] rows, int[] groups, int count) {
        if (groups == null) {
            sum.addToOne(values, rows, count);
        } else {
            sum.add(values, rows, groups, count);
        }
    }

    @Override
    int partialColumns() {
        return sums.length == 0 ? 1 : 1 + sums.length * sums[0].partialColumns();
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        counts.partials(order, from, count, allocator, columns);
        for (FloatSum sum : sums) {
            sum.partials(order, from, count, allocator, columns);
        }
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        counts.absorb(columns, firstColumn, firstRow, groups, count);
        int column = firstColumn + 1;
        for (FloatSum sum : sums) {
            sum.absorb(columns, column, firstRow, groups, count);
            column += sum.partialColumns();
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        if (kind == AggregateKind.REGR_COUNT) {
            return counts.result(from, count, allocator);
        }
        ColumnWriter writer = new ColumnWriter(DataType.FLOAT64, allocator, count);
        Comoments comoments = new Comoments(
                comoment(PairSum.XX, PairSum.X, PairSum.X),
                comoment(PairSum.YY, PairSum.Y, PairSum.Y),
                comoment(PairSum.XY, PairSum.X, PairSum.Y));
        for (int group = from; group < from + count; group++) {
            long rows = counts.count(group);
            if (rows == 0 || kind == AggregateKind.COVAR_SAMP && rows == 1) {
                writer.appendNull();
            } else {
                append(writer, group, rows, comoments);
            }
        }
        return writer.finish();
    }

    private Comoment comoment(PairSum products, PairSum ones, PairSum others) {
        return parts.contains(products) ? new Comoment(sum(products), sum(ones), sum(others)) : null;
    }

    private void append(ColumnWriter writer, int group, long rows, Comoments comoments) {
        switch (kind) {
            case REGR_AVGX -> writer.appendFloat64(sum(PairSum.X).doubleSum(group) / rows);
            case REGR_AVGY -> writer.appendFloat64(sum(PairSum.Y).doubleSum(group) / rows);
            case REGR_SXX -> writer.appendFloat64(comoments.xx.of(group, rows));
            case REGR_SYY -> writer.appendFloat64(comoments.yy.of(group, rows));
            case REGR_SXY -> writer.appendFloat64(comoments.xy.of(group, rows));
            case COVAR_POP -> writer.appendFloat64(comoments.xy.of(group, rows) / rows);
            case COVAR_SAMP -> writer.appendFloat64(comoments.xy.of(group, rows) / (rows - 1));
            case CORR, REGR_R2 ->
                appendCorrelation(
                        writer,
                        comoments.xx.of(group, rows),
                        comoments.yy.of(group, rows),
                        comoments.xy.of(group, rows));
            default -> appendLine(writer, group, rows, comoments);
        }
    }

    private FloatSum sum(PairSum part) {
        return sums[parts.indexOf(part)];
    }

    // From here on as PostgreSQL computes: so that texts agree wherever its sums are exact.

    private void appendCorrelation(ColumnWriter writer, double xx, double yy, double xy) {
        if (xx == 0 || yy == 0 && kind == AggregateKind.CORR) {
            writer.appendNull();
        } else if (kind == AggregateKind.REGR_R2) {
            writer.appendFloat64(yy == 0 ? 1 : xy * xy / (xx * yy));
        } else {
            double product = xx * yy;
            double root =
                    product == 0 || Double.isInfinite(product) ? Math.sqrt(xx) * Math.sqrt(yy) : Math.sqrt(product);
            double correlation = xy / root;
            writer.appendFloat64(Math.abs(correlation) > 1 ? Math.signum(correlation) : correlation);
        }
    }

    /// The slope, or where the line meets x = 0.
    private void appendLine(ColumnWriter writer, int group, long rows, Comoments comoments) {
        double xx = comoments.xx.of(group, rows);
        double xy = comoments.xy.of(group, rows);
        if (xx == 0) {
            writer.appendNull();
        } else if (kind == AggregateKind.REGR_SLOPE) {
            writer.appendFloat64(xy / xx);
        } else {
            double sumX = sum(PairSum.X).doubleSum(group);
            double sumY = sum(PairSum.Y).doubleSum(group);
            writer.appendFloat64((sumY - sumX * xy / xx) / rows);
        }
    }
}
