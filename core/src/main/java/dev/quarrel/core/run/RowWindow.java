package dev.quarrel.core.run;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.type.Schema;
import java.util.List;

/// What OFFSET and LIMIT leave of a result's rows, which pass in order.
///
/// One thread at a time uses it.
public final class RowWindow {
    private final Schema schema;
    private final boolean isLimited;
    private final long lastRow;
    private long rowsToSkip;
    private long rowsToGive;

    /// @param limit rows at most; negative for all
    public RowWindow(Schema schema, long offset, long limit) {
        this.schema = schema;
        this.isLimited = limit >= 0;
        this.rowsToSkip = offset;
        this.rowsToGive = isLimited ? limit : Long.MAX_VALUE;
        long sum = offset + rowsToGive;
        this.lastRow = limit == 0 ? 0 : sum < 0 ? Long.MAX_VALUE : sum;
    }

    boolean isLimited() {
        return isLimited;
    }

    /// Rows of the source that are needed: offset + limit, or [Long#MAX_VALUE].
    long lastRow() {
        return lastRow;
    }

    /// Whether the reader has had all it asked for.
    public boolean isSpent() {
        return rowsToGive == 0;
    }

    /// The rows of the next batch that are inside, under the result's schema, or null if none are.
    ///
    /// - Memory: takes the batch over.
    public Batch cut(Batch batch) {
        int rowCount = batch.rowCount();
        if (rowsToSkip >= rowCount) {
            rowsToSkip -= rowCount;
            batch.close();
            return null;
        }
        int first = (int) rowsToSkip;
        int count = (int) Math.min(rowCount - first, rowsToGive);
        rowsToSkip = 0;
        rowsToGive -= count;
        // A result of no columns has a field that counts its rows, and hands out none.
        List<Column> columns = schema.size() == 0 ? List.of() : batch.columns();
        if (count < rowCount) {
            columns = columns.stream()
                    .map(column -> ColumnSlice.of(column, first, count))
                    .toList();
        }
        return Batch.owning(schema, columns, count, batch::close);
    }
}
