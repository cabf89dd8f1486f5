package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.device.PairSum;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.run.Reservation;
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
    private double[] second;

    PairMoments(AggregateKind kind, Reservation reservation) {
        super(reservation);
        this.kind = kind;
        this.parts = PairSum.of(kind);
        this.counts = new CountAccumulator(reservation);
        this.sums = parts.stream()
                .map(_ -> new FloatSum(DataType.FLOAT64, reservation))
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
    void bind(Vector[] further) {
        second = ((DoubleVector) further[0]).values();
    }

    @Override
    void add(Vector argument, int[] rows, int[] groups, int count) {
        counts.add(argument, rows, groups, count);
        double[] first = ((DoubleVector) argument).values();
        for (int part = 0; part < sums.length; part++) {
            switch (parts.get(part)) {
                case X -> add(sums[part], second, rows, groups, count);
                case Y -> add(sums[part], first, rows, groups, count);
                case XX -> addProducts(sums[part], second, second, rows, groups, count);
                case YY -> addProducts(sums[part], first, first, rows, groups, count);
                case XY -> addProducts(sums[part], second, first, rows, groups, count);
            }
        }
    }

    private static void add(FloatSum sum, double[] values, int[] rows, int[] groups, int count) {
        for (int index = 0; index < count; index++) {
            sum.add(groups[index], values[rows[index]]);
        }
    }

    private static void addProducts(
            FloatSum sum, double[] values, double[] others, int[] rows, int[] groups, int count) {
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            FloatVariance.addProduct(sum, groups[index], values[row], others[row]);
        }
    }

    @Override
    int partialColumns() {
        return sums.length == 0 ? 1 : 1 + sums.length * sums[0].partialColumns();
    }

    @Override
    void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        counts.partials(order, from, count, allocator, columns);
        for (FloatSum sum : sums) {
            sum.partials(order, from, count, allocator, columns);
        }
    }

    @Override
    void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        counts.absorb(columns, firstColumn, firstRow, groups, count);
        int column = firstColumn + 1;
        for (FloatSum sum : sums) {
            sum.absorb(columns, column, firstRow, groups, count);
            column += sum.partialColumns();
        }
    }

    @Override
    Column result(int from, int count, Allocator allocator) {
        if (kind == AggregateKind.REGR_COUNT) {
            return counts.result(from, count, allocator);
        }
        ColumnWriter writer = new ColumnWriter(DataType.FLOAT64, allocator, count);
        for (int group = from; group < from + count; group++) {
            long rows = counts.count(group);
            if (rows == 0 || kind == AggregateKind.COVAR_SAMP && rows == 1) {
                writer.appendNull();
            } else {
                append(writer, group, rows);
            }
        }
        return writer.finish();
    }

    private void append(ColumnWriter writer, int group, long rows) {
        switch (kind) {
            case REGR_AVGX -> writer.appendFloat64(sum(PairSum.X).doubleSum(group) / rows);
            case REGR_AVGY -> writer.appendFloat64(sum(PairSum.Y).doubleSum(group) / rows);
            case REGR_SXX -> appendMoment(writer, moment(PairSum.XX, group, rows), BinaryNumber.of(rows));
            case REGR_SYY -> appendMoment(writer, moment(PairSum.YY, group, rows), BinaryNumber.of(rows));
            case REGR_SXY -> appendMoment(writer, moment(PairSum.XY, group, rows), BinaryNumber.of(rows));
            case COVAR_POP ->
                appendMoment(
                        writer,
                        moment(PairSum.XY, group, rows),
                        BinaryNumber.of(rows).times(BinaryNumber.of(rows)));
            case COVAR_SAMP ->
                appendMoment(
                        writer,
                        moment(PairSum.XY, group, rows),
                        BinaryNumber.of(rows).times(BinaryNumber.of(rows - 1)));
            case CORR, REGR_R2 ->
                appendCorrelation(
                        writer,
                        moment(PairSum.XX, group, rows),
                        moment(PairSum.YY, group, rows),
                        moment(PairSum.XY, group, rows));
            default -> appendLine(writer, group, rows);
        }
    }

    private FloatSum sum(PairSum part) {
        return sums[parts.indexOf(part)];
    }

    /// rows · Σab − Σa · Σb, which is rows times PostgreSQL's Sab; null for NaN.
    private BinaryNumber moment(PairSum product, int group, long rows) {
        FloatSum one = sum(product == PairSum.YY ? PairSum.Y : PairSum.X);
        FloatSum other = sum(product == PairSum.XX ? PairSum.X : PairSum.Y);
        if (!one.isFinite(group) || !other.isFinite(group)) {
            return null;
        }
        if (!sum(product).isFinite(group)) {
            throw RowErrors.floatOverflow();
        }
        BinaryNumber moment = sum(product)
                .exact(group)
                .times(BinaryNumber.of(rows))
                .minus(one.exact(group).times(other.exact(group)));
        return product != PairSum.XY && moment.signum() < 0 ? BinaryNumber.of(0) : moment;
    }

    private static void appendMoment(ColumnWriter writer, BinaryNumber moment, BinaryNumber divisor) {
        writer.appendFloat64(moment == null ? Double.NaN : moment.dividedBy(divisor));
    }

    private void appendCorrelation(ColumnWriter writer, BinaryNumber xx, BinaryNumber yy, BinaryNumber xy) {
        boolean isFlatX = xx != null && xx.signum() == 0;
        boolean isFlatY = yy != null && yy.signum() == 0;
        if (isFlatX || isFlatY && kind == AggregateKind.CORR) {
            writer.appendNull();
        } else if (isFlatY) {
            writer.appendFloat64(1);
        } else if (xx == null || yy == null || xy == null) {
            writer.appendFloat64(Double.NaN);
        } else {
            double squared = Math.min(1, xy.times(xy).dividedBy(xx.times(yy)));
            writer.appendFloat64(kind == AggregateKind.REGR_R2 ? squared : Math.sqrt(squared) * xy.signum());
        }
    }

    /// The slope, or where the line meets x = 0.
    private void appendLine(ColumnWriter writer, int group, long rows) {
        BinaryNumber xx = moment(PairSum.XX, group, rows);
        BinaryNumber xy = moment(PairSum.XY, group, rows);
        if (xx != null && xx.signum() == 0) {
            writer.appendNull();
        } else if (xx == null || xy == null) {
            writer.appendFloat64(Double.NaN);
        } else if (kind == AggregateKind.REGR_SLOPE) {
            writer.appendFloat64(xy.dividedBy(xx));
        } else {
            BinaryNumber sumX = sum(PairSum.X).exact(group);
            BinaryNumber sumY = sum(PairSum.Y).exact(group);
            BinaryNumber numerator = sumY.times(xx).minus(sumX.times(xy));
            writer.appendFloat64(numerator.dividedBy(xx.times(BinaryNumber.of(rows))));
        }
    }
}
