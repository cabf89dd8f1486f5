package dev.quarrel.core.cpu;

import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.NarrowColumn;
import dev.quarrel.core.run.Cancellation;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;

/// A column of integers, or of decimals, in the fewest bytes that its statistics allow: a scan is as quick as memory
/// is, and so reads a half or less of it.
///
/// Statistics that are wrong are found out while it is made; it is refused then.
final class NarrowEncoding implements ColumnEncoding {
    private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger GREATEST = BigInteger.valueOf(Long.MAX_VALUE);

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
        static Form of(DataType type, long least, long greatest) {
            long span = greatest - least;
            if (span < 0) {
                return null;
            }
            int width = span <= 0xFF ? 1 : span <= 0xFFFF ? 2 : span <= 0xFFFF_FFFFL ? 4 : 8;
            long reach = 1L << 8 * width - 1;
            if (width * 2 > type.byteWidth() || width == 8) {
                return null;
            }
            if (least >= -reach && greatest < reach) {
                return new Form(width, 0);
            }
            // Beyond the least value there is room for the greatest that can be said, so that no sum overflows.
            return least > Long.MAX_VALUE - 2 * reach ? null : new Form(width, least + reach);
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
    static NarrowEncoding of(Table table, int column) {
        Form form = form(table, column);
        return form == null ? null : new NarrowEncoding(table, column, form);
    }

    /// What it will take, or -1 if there is none.
    static long bytes(Table table, int column) {
        Form form = form(table, column);
        return form == null ? -1 : bytes(table, form);
    }

    private static Form form(Table table, int column) {
        DataType type = table.schema().type(column);
        ColumnStats stats = table.stats().columns().get(column);
        return switch (type) {
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Timestamp _ ->
                stats.min() instanceof Long least && stats.max() instanceof Long greatest
                        ? Form.of(type, least, greatest)
                        : null;
            case DataType.Decimal _ ->
                stats.min() instanceof BigDecimal least && stats.max() instanceof BigDecimal greatest
                        ? decimals(type, least, greatest)
                        : null;
            default -> null;
        };
    }

    private static Form decimals(DataType type, BigDecimal least, BigDecimal greatest) {
        int scale = ((DataType.Decimal) type).scale();
        if (least.scale() > scale || greatest.scale() > scale) {
            return null;
        }
        BigInteger first = least.setScale(scale).unscaledValue();
        BigInteger last = greatest.setScale(scale).unscaledValue();
        return first.compareTo(LEAST) < 0 || last.compareTo(GREATEST) > 0
                ? null
                : Form.of(type, first.longValue(), last.longValue());
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
