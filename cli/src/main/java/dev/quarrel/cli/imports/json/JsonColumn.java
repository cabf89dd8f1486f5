package dev.quarrel.cli.imports.json;

import static dev.quarrel.core.column.LittleEndian.INT32;

import dev.quarrel.cli.imports.RowPresence;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.json.JsonScanner;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Values of one place of a block's rows, on their way to a column: where their bytes stand, and which rows have any.
/// What they say is read when all are there.
///
/// - Memory: the columns live in the allocator's.
/// - Errors: [RowFailure]; the column is of no use any more.
sealed interface JsonColumn permits JsonValues, JsonColumn.Lists, JsonColumn.Structs {
    int EXPECTED_ROWS = 1 << 10;

    /// Takes the value that the block's reader is at, of a row above those before; rows between have NULL, as have
    /// those of JSON's null.
    void append(int row, JsonBlock block);

    /// Up to which row values have come, and whether that is one of the rows: 0 before the first.
    int count();

    /// Forgets the values of a row and all behind.
    void truncate(int row);

    /// @param rowCount how many rows there are, with those at the end that have nothing
    NestedColumn finish(int rowCount, JsonBlock block, Allocator memory);

    /// @param isInList whether its rows are elements
    static JsonColumn of(NestedType type, boolean isInList) {
        return switch (type) {
            case NestedType.Leaf leaf -> new JsonValues(declared(leaf), true, true, isInList);
            case NestedType.Array(NestedType element, int _) -> new Lists(of(element, true));
            case NestedType.Composite(List<NestedType.Member> members) -> new Structs(members, isInList);
            default -> throw new IllegalArgumentException("no JSON is a " + type.describe());
        };
    }

    private static PgType.Declared declared(NestedType.Leaf leaf) {
        return leaf.dataType() instanceof DataType.Decimal decimal
                ? PgType.Declared.of(decimal)
                : new PgType.Declared(leaf.type(), PgType.NO_TYPMOD);
    }

    /// The byte that the next value begins with, unless it is null, behind which the reader goes.
    ///
    /// @return 0 for null
    static byte beginValue(JsonScanner scanner) {
        byte first = scanner.begin(0);
        if (first == 'n') {
            scanner.scalar();
            return 0;
        }
        return first;
    }

    /// Arrays.
    final class Lists implements JsonColumn {
        private final RowPresence presence = new RowPresence(EXPECTED_ROWS);
        private final JsonColumn elements;
        private int[] ends = new int[EXPECTED_ROWS];

        Lists(JsonColumn elements) {
            this.elements = elements;
        }

        @Override
        public void append(int row, JsonBlock block) {
            JsonScanner scanner = block.scanner();
            byte first = beginValue(scanner);
            if (first == 0) {
                return;
            }
            if (first != '[') {
                throw RowFailure.misfit(block.row());
            }
            pad(row);
            int end = ends[row];
            scanner.advance();
            if (!scanner.closes(']')) {
                do {
                    elements.append(end++, block);
                } while (scanner.continues(']'));
            }
            presence.add(true);
            ends[row + 1] = end;
        }

        /// Rows that have nothing, up to one.
        private void pad(int row) {
            if (row + 2 > ends.length) {
                ends = Arrays.copyOf(ends, Math.max(row + 2, ends.length * 2));
            }
            int count = presence.count();
            Arrays.fill(ends, count + 1, row + 1, ends[count]);
            presence.addAbsent(row - count);
        }

        @Override
        public int count() {
            return presence.count();
        }

        @Override
        public void truncate(int row) {
            if (row < presence.count()) {
                presence.truncate(row);
                elements.truncate(ends[row]);
            }
        }

        @Override
        public NestedColumn finish(int rowCount, JsonBlock block, Allocator memory) {
            pad(rowCount);
            MemorySegment offsets = memory.allocateUnset((rowCount + 1L) * Integer.BYTES);
            MemorySegment.copy(ends, 0, offsets, INT32, 0, rowCount + 1);
            return new NestedColumn.Lists(
                    rowCount, offsets, presence.validity(memory), elements.finish(ends[rowCount], block, memory));
        }
    }

    /// Objects.
    final class Structs implements JsonColumn {
        private final RowPresence presence = new RowPresence(EXPECTED_ROWS);
        private final JsonMembers members;

        Structs(List<NestedType.Member> types, boolean isInList) {
            members = new JsonMembers(
                    types.stream().map(NestedType.Member::name).toList(),
                    types.stream().map(member -> of(member.type(), isInList)).toList());
        }

        @Override
        public void append(int row, JsonBlock block) {
            byte first = beginValue(block.scanner());
            if (first == 0) {
                return;
            }
            if (first != '{') {
                throw RowFailure.misfit(block.row());
            }
            members.append(row, block);
            presence.addAbsent(row - presence.count());
            presence.add(true);
        }

        @Override
        public int count() {
            return presence.count();
        }

        @Override
        public void truncate(int row) {
            presence.truncate(row);
            members.columns().forEach(member -> member.truncate(row));
        }

        @Override
        public NestedColumn finish(int rowCount, JsonBlock block, Allocator memory) {
            List<NestedColumn> columns = new ArrayList<>();
            members.columns().forEach(member -> columns.add(member.finish(rowCount, block, memory)));
            presence.addAbsent(rowCount - presence.count());
            return new NestedColumn.Structs(rowCount, presence.validity(memory), columns);
        }
    }
}
