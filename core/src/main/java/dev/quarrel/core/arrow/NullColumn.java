package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;

/// Makes columns in which every row is NULL; they stand in for a column that a file lacks.
public final class NullColumn {
    private NullColumn() {}

    /// - Memory: values and validity are zeroed memory from `memory`.
    public static Column of(DataType type, int rowCount, Allocator memory) {
        Validity none = Validity.of(memory.allocate((rowCount + 7L) / 8), rowCount, rowCount);
        return switch (type) {
            case DataType.Bool _ -> new BoolColumn(rowCount, memory.allocate((rowCount + 7L) / 8), none);
            case DataType.Utf8 _, DataType.Binary _ ->
                new Utf8Column(type, rowCount, memory.allocate((rowCount + 1L) * 4), false, memory.allocate(0), none);
            case DataType.Int16 _,
                    DataType.Int32 _,
                    DataType.Int64 _,
                    DataType.Float32 _,
                    DataType.Float64 _,
                    DataType.Decimal _,
                    DataType.Numeric _,
                    DataType.Date _,
                    DataType.Time _,
                    DataType.Interval _,
                    DataType.Timestamp _,
                    DataType.Uuid _ ->
                new FixedColumn(type, rowCount, memory.allocate((long) rowCount * type.byteWidth()), none);
        };
    }

    public static Column coded(Dictionary dictionary, int rowCount, Allocator memory) {
        Validity none = Validity.of(memory.allocate((rowCount + 7L) / 8), rowCount, rowCount);
        return new DictionaryColumn(rowCount, memory.allocate(rowCount), 1, dictionary, none);
    }
}
