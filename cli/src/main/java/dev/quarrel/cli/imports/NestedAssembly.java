package dev.quarrel.cli.imports;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.ColumnWriter;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Makes lists and structs of some rows from the levels of their leaves.
///
/// - Memory: the columns live in the allocator's memory.
/// - Errors: IllegalArgumentException for leaves whose levels contradict each other; `QueryException` 22004 for a map's
///   key that is NULL.
/// - Source: Melnik and others, "Dremel: Interactive Analysis of Web-Scale Datasets", 2010.
final class NestedAssembly {
    private final Map<Integer, LeafLevels> leaves;
    private final Map<Integer, LeafLevels.Range> ranges;
    private final Allocator memory;

    /// @param ranges of each leaf, the entries of the same rows
    NestedAssembly(Map<Integer, LeafLevels> leaves, Map<Integer, LeafLevels.Range> ranges, Allocator memory) {
        this.leaves = leaves;
        this.ranges = ranges;
        this.memory = memory;
    }

    /// Where a field has a row: at an entry that begins one of its list's elements, for which there are the levels.
    /// Fields of the file's rows have one where such a row begins.
    private record Place(int repetition, int definition) {
        static final Place ROWS = new Place(0, 0);

        boolean isRow(LeafLevels levels, int entry) {
            return levels.repetition(entry) <= repetition && levels.definition(entry) >= definition;
        }
    }

    NestedColumn column(ParquetNode node) {
        return column(node, Place.ROWS);
    }

    private NestedColumn column(ParquetNode node, Place place) {
        return switch (node) {
            case ParquetNode.Values values -> values(values, place);
            case ParquetNode.Lists lists -> lists(lists, place);
            case ParquetNode.Maps maps -> maps(maps, place);
            case ParquetNode.Structs structs -> structs(structs, place);
        };
    }

    private NestedColumn values(ParquetNode.Values node, Place place) {
        LeafLevels levels = leaves.get(node.leaf());
        LeafLevels.Range range = ranges.get(node.leaf());
        RowPresence presence = new RowPresence(range.to() - range.from());
        int values = 0;
        for (int entry = range.from(); entry < range.to(); entry++) {
            boolean isRow = place.isRow(levels, entry);
            if (isRow != levels.hasValue(entry)) {
                throw new IllegalArgumentException("values that are in no list's element");
            }
            if (isRow) {
                presence.add(levels.definition(entry) >= node.level());
                values++;
            }
        }
        ColumnWriter writer = new ColumnWriter(node.column().field().type(), memory, values);
        node.column()
                .copy()
                .run(new ParquetColumn.Values(levels.reader(), presence.words(), range.firstValue(), values), writer);
        return new NestedColumn.Values(writer.finish());
    }

    private NestedColumn.Structs structs(ParquetNode.Structs node, Place place) {
        LeafLevels levels = leaves.get(node.leaf());
        LeafLevels.Range range = ranges.get(node.leaf());
        RowPresence presence = new RowPresence(range.to() - range.from());
        for (int entry = range.from(); entry < range.to(); entry++) {
            if (place.isRow(levels, entry)) {
                presence.add(levels.definition(entry) >= node.level());
            }
        }
        List<NestedColumn> members = new ArrayList<>();
        for (ParquetNode.Member member : node.members()) {
            members.add(column(member.node(), place));
        }
        return new NestedColumn.Structs(presence.count(), presence.validity(memory), members);
    }

    private NestedColumn.Lists lists(ParquetNode.Lists node, Place place) {
        LeafLevels levels = leaves.get(node.leaf());
        LeafLevels.Range range = ranges.get(node.leaf());
        RowPresence presence = new RowPresence(range.to() - range.from());
        Place within = new Place(node.repetition(), node.elementLevel());
        int[] ends = new int[range.to() - range.from() + 1];
        int elements = 0;
        for (int entry = range.from(); entry < range.to(); entry++) {
            if (place.isRow(levels, entry)) {
                ends[presence.count()] = elements; // where it begins
                presence.add(levels.definition(entry) >= node.level());
            }
            elements += within.isRow(levels, entry) ? 1 : 0;
        }
        ends[presence.count()] = elements;
        MemorySegment offsets = memory.allocateUnset((presence.count() + 1L) * Integer.BYTES);
        MemorySegment.copy(ends, 0, offsets, INT32, 0, presence.count() + 1);
        return new NestedColumn.Lists(
                presence.count(), offsets, presence.validity(memory), column(node.element(), within));
    }

    private NestedColumn maps(ParquetNode.Maps node, Place place) {
        NestedColumn.Lists lists = lists(node.entries(), place);
        NestedColumn keys = ((NestedColumn.Structs) lists.elements()).members().getFirst();
        if (!keys.validity().isAllPresent()) {
            throw new QueryException(SqlState.NULL_VALUE_NOT_ALLOWED, "a map has a key that is NULL");
        }
        return lists;
    }
}
