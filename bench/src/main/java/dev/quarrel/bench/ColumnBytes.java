package dev.quarrel.bench;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.table.Table;
import java.util.List;

/// How many bytes a scan of some columns reads if it reads each once and skips nothing.
final class ColumnBytes {
    private ColumnBytes() {}

    static long of(Table table, List<String> names) {
        int[] columns = names.stream()
                .mapToInt(name -> table.schema().indexOf(name))
                .filter(index -> index >= 0)
                .toArray();
        long bytes = 0;
        for (int number = 0; number < table.batchCount(); number++) {
            try (Batch batch = table.read(number, columns)) {
                for (Column column : batch.columns()) {
                    bytes += of(column);
                }
            }
        }
        return bytes;
    }

    private static long of(Column column) {
        long rows = column.rowCount();
        long validity = column.validity().isAllPresent() ? 0 : (rows + 7) / 8;
        return validity
                + switch (column) {
                    case FixedColumn fixed -> rows * fixed.type().byteWidth();
                    case BoolColumn _ -> (rows + 7) / 8;
                    case DictionaryColumn coded -> rows * coded.codeBytes();
                    case Utf8Column text ->
                        rows == 0
                                ? 0
                                : text.offset((int) rows) - text.offset(0) + (rows + 1) * (text.largeOffsets() ? 8 : 4);
                };
    }
}
