package dev.quarrel.calcite.explain;

import dev.quarrel.core.type.DataType;
import java.util.List;

/// How many bytes PostgreSQL takes a row for of which it knows the types alone.
///
/// - Source: PostgreSQL's `get_typavgwidth`.
public final class RowWidth {
    private static final int VARYING = 32;

    private RowWidth() {}

    public static int of(List<DataType> types) {
        return types.stream().mapToInt(RowWidth::of).sum();
    }

    private static int of(DataType type) {
        return switch (type) {
            case DataType.Bool _ -> 1;
            case DataType.Int16 _ -> 2;
            case DataType.Int32 _, DataType.Float32 _, DataType.Date _ -> 4;
            case DataType.Int64 _, DataType.Float64 _, DataType.Time _, DataType.Timestamp _ -> 8;
            case DataType.Interval _, DataType.Uuid _ -> 16;
            case DataType.Utf8 _, DataType.Binary _, DataType.Decimal _, DataType.Numeric _ -> VARYING;
        };
    }
}
