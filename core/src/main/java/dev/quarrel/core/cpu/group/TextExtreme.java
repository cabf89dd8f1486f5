package dev.quarrel.core.cpu.group;

import dev.quarrel.core.budget.Reservation;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.cpu.rows.SortOrder;
import dev.quarrel.core.cpu.rows.TextCells;
import dev.quarrel.core.cpu.tile.TextVector;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// MIN and MAX of text and of bytes, by bytes.
final class TextExtreme extends Accumulator {
    private static final int OVERHEAD_BYTES = 16;

    private final DataType type;
    private final boolean isMax;
    private MemorySegment[] values = new MemorySegment[0]; // null: no present value yet

    TextExtreme(DataType type, boolean isMax, Reservation reservation) {
        super(reservation);
        this.type = type;
        this.isMax = isMax;
    }

    @Override
    int groupBytes() {
        return 4;
    }

    @Override
    void resize(int groups) {
        values = Arrays.copyOf(values, groups);
    }

    @Override
    public void add(Vector argument, int[] rows, int[] groups, int count) {
        TextVector text = (TextVector) argument;
        MemorySegment data = text.data();
        for (int index = 0; index < count; index++) {
            int row = rows[index];
            take(groups[index], data, text.start(row), text.length(row));
        }
    }

    private void take(int group, MemorySegment data, long start, int length) {
        MemorySegment old = values[group];
        if (old != null) {
            int order = SortOrder.compareBytes(data, start, length, old, 0, (int) old.byteSize());
            if (order == 0 || order > 0 != isMax) {
                return;
            }
            reservation.shrink(old.byteSize() + OVERHEAD_BYTES);
        }
        reservation.grow(length + OVERHEAD_BYTES);
        values[group] = MemorySegment.ofArray(data.asSlice(start, length).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    int partialColumns() {
        return 1;
    }

    @Override
    public void partials(int[] order, int from, int count, Allocator allocator, List<Column> columns) {
        ColumnWriter writer = new ColumnWriter(type, allocator, count);
        for (int index = from; index < from + count; index++) {
            MemorySegment value = values[place(order, index)];
            if (value == null) {
                writer.appendNull();
            } else {
                writer.appendUtf8(value, 0, (int) value.byteSize());
            }
        }
        columns.add(writer.finish());
    }

    @Override
    public void absorb(List<Column> columns, int firstColumn, int firstRow, int[] groups, int count) {
        TextCells partial = new TextCells(columns.get(firstColumn));
        for (int index = 0; index < count; index++) {
            int row = firstRow + index;
            if (partial.isPresent(row)) {
                take(groups[index], partial.data(), partial.start(row), partial.length(row));
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
