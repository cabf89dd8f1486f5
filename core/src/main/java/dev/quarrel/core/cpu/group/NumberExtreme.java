package dev.quarrel.core.cpu.group;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.cpu.number.Int128;
import dev.quarrel.core.cpu.tile.DecimalVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.UuidWords;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// MIN and MAX of decimals, numerics, uuids and intervals. Of equal numerics the one with the greater display scale is
/// taken, of equal intervals the one with more months, so that the answer does not depend on their order.
final class NumberExtreme extends Accumulator {
    private final DataType type;
    private final boolean isMax;
    private final boolean hasScale;
    private final boolean isUuid;
    private final boolean isInterval;
    private long[] high = new long[0];
    private long[] low = new long[0];
    private int[] scales = new int[0];
    private boolean[] seen = new boolean[0];

    NumberExtreme(DataType type, boolean isMax, Reservation reservation) {
        super(reservation);
        this.type = type;
        this.isMax = isMax;
        this.hasScale = type instanceof DataType.Numeric;
        this.isUuid = type instanceof DataType.Uuid;
        this.isInterval = type instanceof DataType.Interval;
    }

    @Override
    int groupBytes() {
        return 21;
    }

    @Override
    void resize(int groups) {
        high = Arrays.copyOf(high, groups);
        low = Arrays.copyOf(low, groups);
        scales = Arrays.copyOf(scales, groups);
        seen = Arrays.copyOf(seen, groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        DecimalVector values = (DecimalVector) argument;
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            take(groups[index], values.high()[row], values.low()[row], hasScale ? values.scale()[row] : 0);
        }
    }

    private void take(int group, long newHigh, long newLow, int scale) {
        if (seen[group]) {
            int order = isInterval
                    ? Interval.compareSpans(newLow, newHigh, low[group], high[group])
                    : hasScale
                            ? Int128.compareScaled(newHigh, newLow, scale, high[group], low[group], scales[group])
                            : Int128.compare(newHigh, newLow, high[group], low[group]);
            boolean isShownFirst = isInterval ? Interval.compareForms(newLow, low[group]) > 0 : scale > scales[group];
            if (order == 0 ? !isShownFirst : order > 0 != isMax) {
                return;
            }
        }
        seen[group] = true;
        high[group] = newHigh;
        low[group] = newLow;
        scales[group] = scale;
    }

    @Override
    int partialColumns() {
        return 1;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter writer = new ColumnWriter(type, allocator, count);
        for (int index = from; index < from + count; index++) {
            int group = place(order, index);
            if (!seen[group]) {
                writer.appendNull();
            } else if (isUuid) {
                writer.appendUuid(high[group], low[group]);
            } else if (hasScale) {
                writer.appendNumeric(high[group], low[group], scales[group]);
            } else {
                writer.appendDecimal(high[group], low[group]);
            }
        }
        columns.add(writer.finish());
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        FixedColumn partial = (FixedColumn) columns.get(firstColumn);
        MemorySegment values = partial.values();
        int width = type.byteWidth();
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (partial.validity().isPresent(row)) {
                long start = (long) row * width;
                if (isUuid) {
                    take(groups[index], UuidWords.high(values, start), UuidWords.low(values, start), 0);
                    continue;
                }
                take(
                        groups[index],
                        values.get(INT64, start + 8),
                        values.get(INT64, start),
                        hasScale ? values.get(INT32, start + 16) : 0);
            }
        }
    }

    @Override
    public Column result(int from, int count, Allocator allocator) {
        List<Column> columns = new ArrayList<>();
        partials(null, from, count, allocator, columns);
        return columns.getFirst();
    }
}
