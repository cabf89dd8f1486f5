package dev.quarrel.core.arrow.dataset;

import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.arrow.Gather;
import dev.quarrel.core.arrow.ListRows;
import dev.quarrel.core.arrow.NullColumn;
import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.PlainText;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.run.ColumnSlice;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.ElementFields;
import dev.quarrel.core.table.ElementsName;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A table's rows by the elements of a column of lists: each of its batches is one of this, or several.
///
/// - Memory: elements are read in place where they lie so; the columns beside them are copied, a value an element.
final class ElementTable implements Table {
    /// Batches of more elements are several.
    private static final int MAX_ELEMENTS = 1 << 22;

    private static final ColumnStats NUMBERS = new ColumnStats(0, 1L, null, -1);

    private final ArrowTable table;
    private final int list;
    private final Schema schema;
    private final int element;
    private final List<FilePart> members;
    private final boolean isOuter;
    private final List<Part> parts = new ArrayList<>();
    private final TableStats stats;

    /// Rows of a batch of the table.
    ///
    /// @param elements of their lists
    private record Part(int batch, int firstRow, int rowCount, int elements) {}

    /// @param elementType of the lists in all files
    /// @param members of the elements, which are columns behind the element's number
    /// @param isOuter whether lists without elements have a row
    ElementTable(ArrowTable table, int list, Field elementType, List<FilePart> members, boolean isOuter) {
        this.table = table;
        this.list = list;
        List<Field> fields = new ArrayList<>(table.schema().fields());
        this.element = fields.size();
        fields.add(new Field("unnest", elementType.type(), true));
        fields.add(new Field("ordinality", DataType.INT64, isOuter));
        this.members = members;
        this.isOuter = isOuter;
        members.forEach(member -> fields.add(member.field()));
        this.schema = new Schema(distinct(fields));
        long rowCount = 0;
        for (int batch = 0; batch < table.batchCount(); batch++) {
            rowCount += add(batch);
        }
        List<ColumnStats> columns = new ArrayList<>();
        for (int column = 0; column < schema.size(); column++) {
            ColumnStats known = column < element ? table.stats().columns().get(column) : null;
            columns.add(
                    known == null
                            ? unknown(column)
                            : repeated(known, table.stats().rowCount()));
        }
        this.stats = new TableStats(rowCount, columns);
    }

    private static List<Field> distinct(List<Field> fields) {
        List<Field> named = new ArrayList<>();
        for (Field field : fields) {
            String name = field.name();
            while (taken(named, name)) {
                name += "$";
            }
            named.add(name.equals(field.name()) ? field : new Field(name, field.type(), field.nullable()));
        }
        return named;
    }

    private static boolean taken(List<Field> fields, String name) {
        return fields.stream().anyMatch(field -> field.name().equals(name));
    }

    /// How many rows a list has.
    private int rows(ListRows lists, int row) {
        return Math.max(lists.length(row), isOuter ? 1 : 0);
    }

    private ColumnStats unknown(int column) {
        return column == element + 1 && !isOuter ? NUMBERS : ColumnStats.UNKNOWN;
    }

    /// Of a column that stands beside elements: as often as there are some.
    private static ColumnStats repeated(ColumnStats stats, long rows) {
        long nulls = stats.nullCount() == 0 ? 0 : -1;
        return stats.nullCount() == rows
                ? new ColumnStats(-1, stats.min(), stats.max(), 0)
                : new ColumnStats(nulls, stats.min(), stats.max(), stats.distinctCount());
    }

    private long add(int batch) {
        OwnedMemory memory = new OwnedMemory();
        try {
            ListRows lists = table.lists(batch, list, memory);
            long all = 0;
            int first = 0;
            long count = 0;
            for (int row = 0; row < lists.rowCount(); row++) {
                int length = rows(lists, row);
                if (count > 0 && count + length > MAX_ELEMENTS) {
                    parts.add(new Part(batch, first, row - first, (int) count));
                    first = row;
                    count = 0;
                }
                count += length;
                all += length;
            }
            if (count > 0) {
                parts.add(new Part(batch, first, lists.rowCount() - first, (int) count));
            }
            return all;
        } finally {
            memory.close();
        }
    }

    @Override
    public String schemaName() {
        return table.schemaName();
    }

    @Override
    public String name() {
        return ElementsName.of(table.name(), table.schema().field(list).name(), isOuter);
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public ElementFields elementFields(String column) {
        return members.stream()
                .filter(member -> member.field().name().equals(column))
                .map(ElementTable::elementFields)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /// Null for what is no list of structs.
    private static ElementFields elementFields(FilePart member) {
        if (member.elementParts().isEmpty()) {
            return null;
        }
        Map<String, ElementFields> lists = new HashMap<>();
        for (FilePart part : member.elementParts()) {
            ElementFields inner = elementFields(part);
            if (inner != null) {
                lists.put(part.field().name(), inner);
            }
        }
        return new ElementFields(
                member.elementParts().stream().map(FilePart::field).toList(), lists);
    }

    @Override
    public int fileCount() {
        return table.fileCount();
    }

    @Override
    public int fileOf(int batch) {
        return table.fileOf(parts.get(batch).batch());
    }

    @Override
    public long fileBytes(int file) {
        return table.fileBytes(file);
    }

    @Override
    public String fileName(int file) {
        return table.fileName(file);
    }

    @Override
    public TableStats stats() {
        return stats;
    }

    @Override
    public List<Integer> sortedBy() {
        return table.sortedBy();
    }

    @Override
    public int batchCount() {
        return parts.size();
    }

    @Override
    public int batchRows(int batch) {
        return parts.get(batch).elements();
    }

    @Override
    public ColumnStats batchStats(int batch, int column) {
        Part part = parts.get(batch);
        return column >= element
                ? unknown(column)
                : repeated(table.batchStats(part.batch(), column), table.batchRows(part.batch()));
    }

    @Override
    public Dictionary dictionary(int column) {
        return column < element ? table.dictionary(column) : null;
    }

    @Override
    public long textBytes(int column) {
        return column < element ? table.textBytes(column) : -1;
    }

    @Override
    public long readBytes(int batch, int[] columns) {
        Part part = parts.get(batch);
        long bytes = (table.batchRows(part.batch()) + 1L) * 4 + part.elements() * 4L;
        bytes += table.readBytes(part.batch(), kept(columns)) + table.elementBytes(part.batch(), list);
        for (int column : columns) {
            int width = schema.type(column).byteWidth();
            bytes += part.elements() * (Math.max(width, 4) + 1L);
            if (width < 0 && dictionary(column) == null) {
                bytes += column < element ? repeatedText(part, column) : table.elementBytes(part.batch(), list);
            }
        }
        return bytes;
    }

    /// Bytes of a column's texts, as often as they stand beside elements.
    private long repeatedText(Part part, int column) {
        OwnedMemory memory = new OwnedMemory();
        try (Batch texts = table.read(part.batch(), new int[] {column})) {
            ListRows lists = table.lists(part.batch(), list, memory);
            Utf8Column text = (Utf8Column) texts.column(0);
            long bytes = 0;
            for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
                bytes += (text.offset(row + 1) - text.offset(row)) * rows(lists, row);
            }
            return bytes;
        } finally {
            memory.close();
        }
    }

    private int[] kept(int[] columns) {
        return java.util.Arrays.stream(columns)
                .filter(column -> column < element)
                .distinct()
                .toArray();
    }

    @Override
    public Batch read(int batch, int[] columns) {
        Part part = parts.get(batch);
        int[] kept = kept(columns);
        OwnedMemory memory = new OwnedMemory();
        Batch beside = null;
        try {
            ListRows lists = table.lists(part.batch(), list, memory);
            beside = kept.length == 0 ? null : table.read(part.batch(), kept);
            int[] rows = kept.length == 0 ? null : rows(part, lists);
            List<Field> fields = new ArrayList<>();
            List<Column> views = new ArrayList<>();
            for (int column : columns) {
                fields.add(schema.field(column));
                if (column == element + 1) {
                    views.add(numbers(part, lists, memory));
                } else if (column >= element) {
                    FilePart member = column == element ? null : members.get(column - element - 2);
                    ListRows own = table.elements(part.batch(), list, member, memory);
                    views.add(elements(part, own, schema.type(column), memory));
                } else {
                    int place = java.util.Arrays.stream(kept).boxed().toList().indexOf(column);
                    views.add(Gather.coded(beside.column(place), rows, memory));
                }
            }
            Batch read = beside;
            Batch result = Batch.owning(new Schema(fields), views, part.elements(), () -> {
                memory.close();
                if (read != null) {
                    read.close();
                }
            });
            beside = null;
            return result;
        } catch (RuntimeException | Error problem) {
            memory.close();
            if (beside != null) {
                beside.close();
            }
            throw problem;
        }
    }

    /// Which row each element is of.
    private int[] rows(Part part, ListRows lists) {
        int[] rows = new int[part.elements()];
        int end = 0;
        for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
            for (int length = rows(lists, row); length > 0; length--) {
                rows[end++] = row;
            }
        }
        return rows;
    }

    private Column elements(Part part, ListRows lists, DataType type, Allocator memory) {
        Column all =
                switch (lists.elements()) {
                    case null -> null; // the file has no lists, or their structs no such member
                    case DictionaryColumn coded -> PlainText.of(coded, memory);
                    case Column plain -> NumberWidening.widened(plain, type, memory);
                };
        if (all == null) {
            return NullColumn.of(type, part.elements(), memory);
        }
        if (!isOuter && !lists.hasGaps()) {
            return ColumnSlice.of(all, lists.offsets()[part.firstRow()], part.elements());
        }
        int[] places = new int[part.elements()];
        int end = 0;
        for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
            for (int index = 0; index < lists.length(row); index++) {
                places[end++] = lists.offsets()[row] + index;
            }
            if (isOuter && lists.length(row) == 0) {
                places[end++] = -1;
            }
        }
        return Gather.of(all, places, memory);
    }

    private Column numbers(Part part, ListRows lists, Allocator memory) {
        MemorySegment numbers = memory.allocate(part.elements() * 8L);
        long end = 0;
        for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
            for (int number = 1; number <= lists.length(row); number++) {
                numbers.set(INT64, end++ * 8, number);
            }
            if (isOuter && lists.length(row) == 0) {
                end++;
            }
        }
        return new FixedColumn(DataType.INT64, part.elements(), numbers, present(part, lists, memory));
    }

    /// Which rows are an element's.
    private Validity present(Part part, ListRows lists, Allocator memory) {
        if (!isOuter) {
            return Validity.allPresent();
        }
        MemorySegment bits = memory.allocate((part.elements() + 7L) / 8);
        int end = 0;
        int absent = 0;
        for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
            int count = lists.length(row);
            for (int index = 0; index < count; index++, end++) {
                int each = bits.get(ValueLayout.JAVA_BYTE, end >>> 3) | 1 << (end & 7);
                bits.set(ValueLayout.JAVA_BYTE, end >>> 3, (byte) each);
            }
            if (count == 0) {
                end++;
                absent++;
            }
        }
        return Validity.of(bits, part.elements(), absent);
    }

    @Override
    public void checkIntact(int batch) {
        table.checkIntact(parts.get(batch).batch());
    }

    @Override
    public QueryException faultOf(InternalError error) {
        return table.faultOf(error);
    }
}
