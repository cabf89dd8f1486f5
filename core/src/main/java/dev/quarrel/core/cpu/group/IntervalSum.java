package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.number.IntervalMath;
import dev.quarrel.core.cpu.rows.Cells;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import java.util.Arrays;
import java.util.List;

/// Sums of intervals, exact whatever the order: months and days in 64 bits, microseconds in 128, infinities counted.
final class IntervalSum extends Accumulator {
    private long[] months = new long[0];
    private long[] days = new long[0];
    private long[] low = new long[0];
    private long[] high = new long[0];
    private long[] positive = new long[0];
    private long[] negative = new long[0];
    private boolean[] seen = new boolean[0];

    IntervalSum(Reservation reservation) {
        super(reservation);
    }

    @Override
    int groupBytes() {
        return 49;
    }

    @Override
    void resize(int groups) {
        months = Arrays.copyOf(months, groups);
        days = Arrays.copyOf(days, groups);
        low = Arrays.copyOf(low, groups);
        high = Arrays.copyOf(high, groups);
        positive = Arrays.copyOf(positive, groups);
        negative = Arrays.copyOf(negative, groups);
        seen = Arrays.copyOf(seen, groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        DecimalVector values = (DecimalVector) argument;
        for (int index = 0; index < count; index++) {
            int group = groups[index];
            long calendar = values.low()[rows[index]];
            long micros = values.high()[rows[index]];
            seen[group] = true;
            if (Interval.isFinite(calendar, micros)) {
                months[group] += Interval.months(calendar);
                days[group] += Interval.days(calendar);
                addMicros(group, micros >> 63, micros);
            } else if (micros > 0) {
                positive[group]++;
            } else {
                negative[group]++;
            }
        }
    }

    private void addMicros(int group, long moreHigh, long moreLow) {
        low[group] += moreLow;
        high[group] += moreHigh + (Long.compareUnsigned(low[group], moreLow) < 0 ? 1 : 0);
    }

    @Override
    int partialColumns() {
        return 6;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        long[][] parts = {months, days, low, high, positive, negative};
        for (int part = 0; part < parts.length; part++) {
            long[] present = part == 0 ? StateColumns.present(seen, order, from, count) : null;
            long[] words = StateColumns.words(parts[part], order, from, count, present);
            columns.add(StateColumns.int64s(words, present, allocator));
        }
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        Column first = columns.get(firstColumn);
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (!first.validity().isPresent(row)) {
                continue;
            }
            int group = groups[index];
            seen[group] = true;
            months[group] += Cells.int64(first, row);
            days[group] += Cells.int64(columns.get(firstColumn + 1), row);
            addMicros(
                    group,
                    Cells.int64(columns.get(firstColumn + 3), row),
                    Cells.int64(columns.get(firstColumn + 2), row));
            positive[group] += Cells.int64(columns.get(firstColumn + 4), row);
            negative[group] += Cells.int64(columns.get(firstColumn + 5), row);
        }
    }

    /// - Errors: 22008 where the sum is no interval: out of range, or of both infinities.
    void sum(int group, IntervalMath to) {
        if (positive[group] > 0 || negative[group] > 0) {
            if (positive[group] > 0 && negative[group] > 0) {
                throw IntervalMath.outOfRange();
            }
            to.setInfinite(positive[group] > 0);
            return;
        }
        boolean fits = months[group] == (int) months[group]
                && days[group] == (int) days[group]
                && high[group] == low[group] >> 63;
        if (!fits) {
            throw IntervalMath.outOfRange();
        }
        to.set((int) months[group], (int) days[group], low[group]);
        if (!to.isFinite()) {
            throw IntervalMath.outOfRange();
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        ColumnWriter writer = new ColumnWriter(DataType.INTERVAL, allocator, count);
        IntervalMath span = new IntervalMath();
        for (int group = from; group < from + count; group++) {
            if (seen[group]) {
                sum(group, span);
                writer.appendDecimal(span.micros, span.calendar());
            } else {
                writer.appendNull();
            }
        }
        return writer.finish();
    }
}
