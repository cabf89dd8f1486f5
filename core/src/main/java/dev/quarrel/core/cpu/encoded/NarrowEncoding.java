package dev.quarrel.core.cpu.encoded;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.NarrowColumn;
import dev.quarrel.core.table.StoredRange;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The encoding of a column of integers or decimals in the fewest bytes that its statistics allow. Memory
/// bandwidth bounds the speed of a scan, which then reads at most half as much.
///
/// Statistics that are wrong are found out while it is made; it is refused then.
public final class NarrowEncoding implements ColumnEncoding {
    private final int column;
    private final DataType type;
    private final Form form;
    private final int[] rowCounts;
    private final MemorySegment[] values; // made with a batch's first part; guarded by this
    private final long bytes;
    private volatile boolean isRefused;

    /// How values are stored.
    ///
    /// @param width bytes of a value
    /// @param base what a stored 0 means
    private record Form(int width, long base) {
        /// The narrowest form, or null if none takes half of the bytes at most.
        static Form of(DataType type, StoredRange range) {
            for (int width = 1; width * 2 <= type.byteWidth() && width < Long.BYTES; width *= 2) {
                if (range.fits(width)) {
                    return new Form(width, range.base(width));
                }
            }
            return null;
        }
    }

    private NarrowEncoding(Table table, int column, Form form) {
        this.column = column;
        this.type = table.schema().type(column);
        this.form = form;
        this.rowCounts = new int[table.batchCount()];
        for (int batch = 0; batch < rowCounts.length; batch++) {
            rowCounts[batch] = table.batchRows(batch);
        }
        this.values = new MemorySegment[rowCounts.length];
        this.bytes = bytes(table, form);
    }

    private static long bytes(Table table, Form form) {
        return table.stats().rowCount() * form.width();
    }

    /// The encoding to be made, or null where statistics say nothing or too much.
    public static NarrowEncoding of(Table table, int column) {
        Form form = form(table, column);
        return form == null ? null : new NarrowEncoding(table, column, form);
    }

    /// What it will take, or -1 if there is none.
    public static long bytes(Table table, int column) {
        Form form = form(table, column);
        return form == null ? -1 : bytes(table, form);
    }

    private static Form form(Table table, int column) {
        StoredRange range = StoredRange.of(table, column);
        return range == null ? null : Form.of(table.schema().type(column), range);
    }

    @Override
    public int column() {
        return column;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public Part newPart() {
        Narrowing narrowing = new Narrowing(form.width(), form.base());
        return (batch, column, firstRow, rowCount, cancellation) -> {
            if (column instanceof FixedColumn fixed && fixed.type().equals(type)) {
                encode(batch, fixed, firstRow, rowCount, narrowing, cancellation);
            } else {
                isRefused = true;
            }
        };
    }

    private void encode(
            int batch, FixedColumn column, int firstRow, int rowCount, Narrowing narrowing, Cancellation cancellation) {
        MemorySegment to = values(batch);
        for (int done = 0; done < rowCount && !isRefused; done += TILE_ROWS) {
            cancellation.check();
            if (!narrowing.run(column, firstRow + done, Math.min(TILE_ROWS, rowCount - done), to)) {
                isRefused = true;
            }
        }
    }

    /// Memory is touched first by the worker that fills it.
    private MemorySegment values(int batch) {
        synchronized (values) {
            if (values[batch] == null) {
                values[batch] = Arena.ofAuto().allocate((long) rowCounts[batch] * form.width(), 64);
            }
            return values[batch];
        }
    }

    @Override
    public boolean isRefused() {
        return isRefused;
    }

    @Override
    public void refuse() {
        isRefused = true;
    }

    @Override
    public void finish() {}

    NarrowColumn read(int batch, int rowCount) {
        return new NarrowColumn(rowCount, values[batch], form.width(), form.base());
    }
}
