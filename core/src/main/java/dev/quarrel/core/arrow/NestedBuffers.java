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
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/// Adds the nodes and buffers of a column's lists, structs and values to those of a batch, in Arrow's order: a field's
/// own before those within it.
///
/// - Memory: buffers are views of the columns, or in `memory`.
/// - Source: Arrow columnar format, section "RecordBatch message".
final class NestedBuffers {
    private final String name;
    private final Map<FieldPath, GrowingDictionary> dictionaries;
    private final List<MetadataWriter.Node> nodes;
    private final List<MemorySegment> buffers;
    private final Allocator memory;

    /// @param name of the batch's column
    NestedBuffers(String name, List<MetadataWriter.Node> nodes, List<MemorySegment> buffers, Allocator memory) {
        this(name, Map.of(), nodes, buffers, memory);
    }

    /// @param dictionaries of the members of structs that are written as codes
    NestedBuffers(
            String name,
            Map<FieldPath, GrowingDictionary> dictionaries,
            List<MetadataWriter.Node> nodes,
            List<MemorySegment> buffers,
            Allocator memory) {
        this.name = name;
        this.dictionaries = dictionaries;
        this.nodes = nodes;
        this.buffers = buffers;
        this.memory = memory;
    }

    /// - Errors: IllegalArgumentException for a column of another type; `QueryException` 0A000 for an interval that
    ///   Arrow does not hold.
    void add(NestedColumn column, NestedType type) {
        add(column, type, new FieldPath(name));
    }

    /// @param path of what is in no list; null for others
    private void add(NestedColumn column, NestedType type, FieldPath path) {
        switch (column) {
            case NestedColumn.Values(Column values)
            when type instanceof NestedType.Leaf leaf && leaf.dataType().equals(values.type()) -> {
                GrowingDictionary dictionary = path == null ? null : dictionaries.get(path);
                if (dictionary == null) {
                    addValues(values);
                } else {
                    addCodes(values, dictionary);
                }
            }
            case NestedColumn.Lists lists
            when type instanceof NestedType.Array(NestedType element, int dimensions) -> {
                addOffsets(lists);
                add(lists.elements(), dimensions == 1 ? element : new NestedType.Array(element, dimensions - 1), null);
            }
            case NestedColumn.Lists lists
            when type instanceof NestedType.Pairs(NestedType key, NestedType value) -> {
                addOffsets(lists);
                NestedType.Member ofKey = new NestedType.Member("key", key);
                addStructs(lists.elements(), List.of(ofKey, new NestedType.Member("value", value)), null);
            }
            case NestedColumn.Structs structs
            when type instanceof NestedType.Composite(List<NestedType.Member> members) ->
                addStructs(structs, members, path);
            default -> throw new IllegalArgumentException(column + " is no column of " + type);
        }
    }

    private void addOffsets(NestedColumn.Lists lists) {
        addPresence(lists.validity(), lists.rowCount());
        buffers.add(lists.offsets().asSlice(0, (lists.rowCount() + 1L) * Integer.BYTES));
    }

    private void addStructs(NestedColumn column, List<NestedType.Member> types, FieldPath path) {
        if (!(column instanceof NestedColumn.Structs structs)
                || structs.members().size() != types.size()) {
            throw new IllegalArgumentException(column + " is no column of structs of " + types);
        }
        addPresence(structs.validity(), structs.rowCount());
        for (int member = 0; member < types.size(); member++) {
            NestedType.Member type = types.get(member);
            add(structs.members().get(member), type.type(), path == null ? null : path.child(type.name()));
        }
    }

    private void addCodes(Column column, GrowingDictionary dictionary) {
        addPresence(column.validity(), column.rowCount());
        long nullCount = ColumnSummarizer.nullCount(column.validity(), column.rowCount());
        buffers.add(dictionary.encode(column, nullCount, memory).codes());
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
            case DictionaryColumn coded -> BatchEncoder.addText(PlainText.of(coded, memory), buffers, memory);
        }
    }

    /// Adds a field's node, and the bits that say where it is NULL.
    void addPresence(Validity validity, int rowCount) {
        long nullCount = ColumnSummarizer.nullCount(validity, rowCount);
        nodes.add(new MetadataWriter.Node(rowCount, nullCount));
        buffers.add(BatchEncoder.validity(validity, rowCount, nullCount, memory));
    }
}
