package dev.quarrel.core.arrow;

import dev.quarrel.core.arrow.stats.ColumnSummarizer;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Adds the nodes and buffers of a column's lists, structs and values to those of a batch, in Arrow's order: a field's
/// own before those within it.
///
/// - Memory: buffers are views of the columns, or in `memory`.
/// - Source: Arrow columnar format, section "RecordBatch message".
final class NestedBuffers {
    private final String name;
    private final List<MetadataWriter.Node> nodes;
    private final List<MemorySegment> buffers;
    private final Allocator memory;

    /// @param name of the batch's column, for errors
    NestedBuffers(String name, List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
        this.name = name;
        this.nodes = nodes;
        this.buffers = buffers;
        this.memory = memory;
    }

    /// - Errors: IllegalArgumentException for a column of another type; `QueryException` 0A000 for an interval that
    ///   Arrow does not hold.
    void add(NestedColumn column, NestedType type) {
        switch (column) {
            case NestedColumn.Values(Column values)
            when type instanceof NestedType.Leaf leaf && leaf.dataType().equals(values.type()) -> addValues(values);
            case NestedColumn.Lists lists
            when type instanceof NestedType.Array(NestedType element, int dimensions) -> {
                addOffsets(lists);
                add(lists.elements(), dimensions == 1 ? element : new NestedType.Array(element, dimensions - 1));
            }
            case NestedColumn.Lists lists
            when type instanceof NestedType.Pairs(NestedType key, NestedType value) -> {
                addOffsets(lists);
                addStructs(lists.elements(), List.of(key, value));
            }
            case NestedColumn.Structs structs
            when type instanceof NestedType.Composite(List<NestedType.Member> members) ->
                addStructs(
                        structs, members.stream().map(NestedType.Member::type).toList());
            default -> throw new IllegalArgumentException(column + " is no column of " + type);
        }
    }

    private void addOffsets(NestedColumn.Lists lists) {
        addPresence(lists.validity(), lists.rowCount());
        buffers.add(lists.offsets().asSlice(0, (lists.rowCount() + 1L) * Integer.BYTES));
    }

    private void addStructs(NestedColumn column, List<NestedType> types) {
        if (!(column instanceof NestedColumn.Structs structs)
                || structs.members().size() != types.size()) {
            throw new IllegalArgumentException(column + " is no column of structs of " + types);
        }
        addPresence(structs.validity(), structs.rowCount());
        for (int member = 0; member < types.size(); member++) {
            add(structs.members().get(member), types.get(member));
        }
    }

    /// Adds a column of values of one type.
    void addValues(Column column) {
        addPresence(column.validity(), column.rowCount());
        switch (column) {
            case FixedColumn fixed
            when fixed.type() instanceof DataType.Interval -> buffers.add(IntervalNanos.of(fixed, name, memory));
            case FixedColumn fixed ->
                buffers.add(fixed.values()
                        .asSlice(0, (long) fixed.rowCount() * fixed.type().byteWidth()));
            case BoolColumn bools -> buffers.add(bools.bits().asSlice(0, (bools.rowCount() + 7L) / 8));
            case Utf8Column text -> BatchEncoder.addText(text, buffers, memory);
            case DictionaryColumn _ -> throw new IllegalArgumentException("codes within lists or structs");
        }
    }

    /// Adds a field's node, and the bits that say where it is NULL.
    void addPresence(Validity validity, int rowCount) {
        long nullCount = ColumnSummarizer.nullCount(validity, rowCount);
        nodes.add(new MetadataWriter.Node(rowCount, nullCount));
        buffers.add(BatchEncoder.validity(validity, rowCount, nullCount, memory));
    }
}
