package dev.quarrel.core.run;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;

/// Computes how many bytes a batch's rows take, without dictionaries, for bounds and counters.
public final class BatchBytes {
    private BatchBytes() {}

    /// Of the columns that have been made.
    public static long of(Batch batch) {
        long bytes = 0;
        for (int column = 0; column < batch.columns().size(); column++) {
            bytes += batch.isMade(column) ? of(batch.column(column)) : 0;
        }
        return bytes;
    }

    public static long of(Column column) {
        return of(column, 0, column.rowCount());
    }

    /// Of rows [first, first + rowCount).
    public static long of(Column column, int first, int rowCount) {
        long rows = rowCount;
        long validity = column.validity().isAllPresent() ? 0 : (rows + 7) / 8;
        return validity
                + switch (column) {
                    case FixedColumn fixed -> rows * fixed.type().byteWidth();
                    case BoolColumn _ -> (rows + 7) / 8;
                    case DictionaryColumn codes -> rows * codes.codeBytes();
                    case Utf8Column text ->
                        rows * (text.largeOffsets() ? 8 : 4)
                                + (rows == 0 ? 0 : text.offset(first + rowCount) - text.offset(first));
                };
    }
}
