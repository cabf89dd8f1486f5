package dev.quarrel.core.arrow;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Makes columns in which every row is NULL; they stand in for a column that a file lacks.
public final class NullColumn {
    private NullColumn() {}

    /// - Memory: values and validity are zeroed memory from `memory`.
    public static Column of(DataType type, int rowCount, Allocator memory) {
        Validity none = none(rowCount, memory);
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

    private static Validity none(int rowCount, Allocator memory) {
        return Validity.of(memory.allocate((rowCount + 7L) / 8), rowCount, rowCount);
    }

    /// Lists, structs or maps all of which are NULL.
    ///
    /// - Errors: IllegalArgumentException for a type whose values come as text alone.
    public static NestedColumn nested(NestedType type, int rowCount, Allocator memory) {
        return switch (type) {
            case NestedType.Leaf(PgType _, DataType dataType) ->
                new NestedColumn.Values(of(dataType, rowCount, memory));
            case NestedType.Array(NestedType element, int dimensions) ->
                lists(dimensions == 1 ? element : new NestedType.Array(element, dimensions - 1), rowCount, memory);
            case NestedType.Pairs(NestedType key, NestedType value) ->
                lists(
                        new NestedType.Composite(
                                List.of(new NestedType.Member("key", key), new NestedType.Member("value", value))),
                        rowCount,
                        memory);
            case NestedType.Composite(List<NestedType.Member> members) ->
                new NestedColumn.Structs(
                        rowCount,
                        none(rowCount, memory),
                        members.stream()
                                .map(member -> nested(member.type(), rowCount, memory))
                                .toList());
            case NestedType.Range _,
                    NestedType.Multirange _,
                    NestedType.Vector _,
                    NestedType.Hstore _,
                    NestedType.Hex _ -> throw new IllegalArgumentException(type.toString());
        };
    }

    /// What stands for lists and structs where columns have texts, for who writes them: empty ones, NULL where these
    /// are.
    public static Column textsFor(NestedColumn column, Allocator memory) {
        MemorySegment offsets = memory.allocate((column.rowCount() + 1L) * Integer.BYTES);
        return new Utf8Column(column.rowCount(), offsets, false, MemorySegment.NULL, column.validity());
    }

    private static NestedColumn lists(NestedType element, int rowCount, Allocator memory) {
        return new NestedColumn.Lists(
                rowCount,
                memory.allocate((rowCount + 1L) * Integer.BYTES),
                none(rowCount, memory),
                nested(element, 0, memory));
    }

    public static Column coded(Dictionary dictionary, int rowCount, Allocator memory) {
        Validity none = Validity.of(memory.allocate((rowCount + 7L) / 8), rowCount, rowCount);
        return new DictionaryColumn(rowCount, memory.allocate(rowCount), 1, dictionary, none);
    }
}
