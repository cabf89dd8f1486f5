package dev.quarrel.core.arrow.dataset;

import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.arrow.Gather;
import dev.quarrel.core.arrow.NullColumn;
import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.PlainText;
import dev.quarrel.core.arrow.dataset.rows.NumberWidening;
import dev.quarrel.core.arrow.lists.ListRows;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A table's rows by the elements of a column of lists: each of its batches is one of this, or several. The table may
/// be one by elements itself, and the column a member of these.
///
/// - Memory: elements are read in place where they lie so; the columns beside them are copied, a value an element.
final class ElementTable implements ListTable {
    /// Batches of more elements are several.
    private static final int MAX_ELEMENTS = 1 << 22;

    /// With names.
    private static final int JSON_GROWTH = 4;

    private static final ColumnStats NUMBERS = new ColumnStats(0, 1L, null, -1);

    private final ListTable table;
    private final Lists lists;
    private final ElementTable.Made inner = new ElementTable.Made(this);
    private final Schema schema;
    private final int element;
    private final List<FilePart> members;
    private final boolean isOuter;
    private final List<Part> parts = new ArrayList<>();
    private final TableStats stats;

    /// A table's tables by the elements of its columns, each made when it is asked for.
    static final class Made {
        private final ListTable table;
        private final Map<Integer, ElementTable> tables = new HashMap<>(); // guarded by itself

        Made(ListTable table) {
            this.table = table;
        }

        /// Null where there is no such column, or the table cannot be had by its elements.
        ElementTable get(int column, boolean isOuter) {
            if (column < 0) {
                return null;
            }
            synchronized (tables) {
                int key = isOuter ? -1 - column : column;
                if (!tables.containsKey(key)) {
                    Lists lists = new Lists(column);
                    Field element = table.elementField(lists);
                    List<FilePart> members = element == null ? null : table.elementParts(lists);
                    tables.put(key, members == null ? null : new ElementTable(table, lists, element, members, isOuter));
                }
                return tables.get(key);
            }
        }
    }

    /// Rows of a batch of the table.
    ///
    /// @param elements of their lists
    private record Part(int batch, int firstRow, int rowCount, int elements) {}

    /// @param elementType of the lists in all files
    /// @param members of the elements, which are columns behind the element's number
    /// @param isOuter whether lists without elements have a row
    private ElementTable(ListTable table, Lists lists, Field elementType, List<FilePart> members, boolean isOuter) {
        this.table = table;
        this.lists = lists;
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
            named.add(field.withName(name));
        }
        return named;
    }

    private static boolean taken(List<Field> fields, String name) {
        return fields.stream().anyMatch(field -> field.name().equals(name));
    }

    /// How many rows a list has.
    private int rows(ListRows own, int row) {
        return Math.max(own.length(row), isOuter ? 1 : 0);
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
            ListRows all = table.lists(batch, lists, memory);
            int elements = isOuter || all.hasGaps() ? -1 : all.offsets()[all.rowCount()] - all.offsets()[0];
            if (elements > 0 && elements <= MAX_ELEMENTS) {
                parts.add(new Part(batch, 0, all.rowCount(), elements));
                return elements;
            }
            long rowCount = 0;
            int first = 0;
            long count = 0;
            for (int row = 0; row < all.rowCount(); row++) {
                int length = rows(all, row);
                if (count > 0 && count + length > MAX_ELEMENTS) {
                    parts.add(new Part(batch, first, row - first, (int) count));
                    first = row;
                    count = 0;
                }
                count += length;
                rowCount += length;
            }
            if (count > 0) {
                parts.add(new Part(batch, first, all.rowCount() - first, (int) count));
            }
            return rowCount;
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
        return ElementsName.of(
                table.name(), table.schema().field(lists.column()).name(), isOuter);
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public Table elements(String column, boolean isOuterToo) {
        return inner.get(schema.indexOf(column), isOuterToo);
    }

    /// What the structs hold that its elements are.
    ElementFields ownFields() {
        return elementFields(members);
    }

    @Override
    public ElementFields elementFields(String column) {
        int index = schema.indexOf(column);
        if (index < element) {
            return table.elementFields(column);
        }
        return index < element + 2
                ? null
                : elementFields(members.get(index - element - 2).elementParts());
    }

    /// Null for no members, which those are of that are no lists of structs.
    private static ElementFields elementFields(List<FilePart> members) {
        if (members.isEmpty()) {
            return null;
        }
        Map<String, ElementFields> fields = new HashMap<>();
        for (FilePart member : members) {
            ElementFields within = elementFields(member.elementParts());
            if (within != null) {
                fields.put(member.field().name(), within);
            }
        }
        return new ElementFields(members.stream().map(FilePart::field).toList(), fields);
    }

    @Override
    public int partOf(int column, String part) {
        if (column < element) {
            return table.partOf(column, part);
        }
        for (int member = 0; column == element && member < members.size(); member++) {
            if (members.get(member).field().name().equals(part)) {
                return element + 2 + member;
            }
        }
        return -1;
    }

    /// Lists of this table as those of the table below; null for what has none.
    private Lists below(Lists own) {
        if (own.column() < element) {
            return own;
        }
        int member = own.column() - element - 2;
        return member < 0 || !members.get(member).isMember() ? null : lists.within(members.get(member), own.members());
    }

    @Override
    public Field elementField(Lists own) {
        Lists below = below(own);
        return below == null ? null : table.elementField(below);
    }

    @Override
    public List<FilePart> elementParts(Lists own) {
        return table.elementParts(below(own));
    }

    @Override
    public ListRows lists(int batch, Lists own, Allocator memory) {
        return ofElements(batch, own, table.lists(parts.get(batch).batch(), below(own), memory), memory);
    }

    @Override
    public ListRows elements(int batch, Lists own, FilePart member, Allocator memory) {
        return ofElements(batch, own, table.elements(parts.get(batch).batch(), below(own), member, memory), memory);
    }

    @Override
    public long elementBytes(int batch, Lists own) {
        Part part = parts.get(batch);
        return table.elementBytes(part.batch(), below(own))
                + table.elementBytes(part.batch(), lists)
                + part.elements() * 9L;
    }

    /// The lists of a batch of the table below as those of this table's rows. What lies within elements of others is
    /// found by these, and stays.
    private ListRows ofElements(int batch, Lists own, ListRows below, Allocator memory) {
        if (!own.members().isEmpty()) {
            return below;
        }
        Part part = parts.get(batch);
        ListRows around = table.lists(part.batch(), lists, memory);
        if (own.column() > element && !isOuter && !around.hasGaps()) {
            return some(below, around.offsets()[part.firstRow()], part.elements());
        }
        int[] rows = own.column() < element ? rows(part, around) : places(part, around);
        int[] starts = new int[rows.length];
        int[] ends = new int[rows.length];
        MemorySegment present = memory.allocate((rows.length + 7L) / 8);
        int absent = 0;
        for (int row = 0; row < rows.length; row++) {
            int place = rows[row];
            if (place >= 0 && below.validity().isPresent(place)) {
                starts[row] = below.offsets()[place];
                ends[row] = below.end(place);
                setBit(present, row);
            } else {
                absent++;
            }
        }
        return new ListRows(starts, ends, Validity.of(present, rows.length, absent), below.elements());
    }

    private static ListRows some(ListRows lists, int firstRow, int count) {
        int end = firstRow + count;
        return firstRow == 0 && count == lists.rowCount()
                ? lists
                : new ListRows(
                        Arrays.copyOfRange(lists.offsets(), firstRow, lists.ends() == null ? end + 1 : end),
                        lists.ends() == null ? null : Arrays.copyOfRange(lists.ends(), firstRow, end),
                        ColumnSlice.of(lists.validity(), firstRow, count),
                        lists.elements());
    }

    private static void setBit(MemorySegment bits, int row) {
        int each = bits.get(ValueLayout.JAVA_BYTE, row >>> 3) | 1 << (row & 7);
        bits.set(ValueLayout.JAVA_BYTE, row >>> 3, (byte) each);
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
        bytes += table.readBytes(part.batch(), kept(columns)) + table.elementBytes(part.batch(), lists);
        for (int column : columns) {
            int width = schema.type(column).byteWidth();
            bytes += part.elements() * (Math.max(width, 4) + 1L);
            if (width < 0 && dictionary(column) == null) {
                bytes += column < element ? repeatedText(part, column) : elementBytes(part, column);
            }
        }
        return bytes;
    }

    /// Bytes of texts that are elements, or their members.
    private long elementBytes(Part part, int column) {
        boolean isDocument =
                column > element && members.get(column - element - 2).kind() == FilePart.Kind.JSON;
        return table.elementBytes(part.batch(), lists) * (isDocument ? JSON_GROWTH : 1);
    }

    /// Bytes of a column's texts, as often as they stand beside elements.
    private long repeatedText(Part part, int column) {
        OwnedMemory memory = new OwnedMemory();
        try (Batch texts = table.read(part.batch(), new int[] {column})) {
            ListRows own = table.lists(part.batch(), lists, memory);
            Utf8Column text = (Utf8Column) texts.column(0);
            long bytes = 0;
            for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
                bytes += (text.offset(row + 1) - text.offset(row)) * rows(own, row);
            }
            return bytes;
        } finally {
            memory.close();
        }
    }

    private int[] kept(int[] columns) {
        return Arrays.stream(columns)
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
            ListRows own = table.lists(part.batch(), lists, memory);
            beside = kept.length == 0 ? null : table.read(part.batch(), kept);
            int[] rows = kept.length == 0 ? null : rows(part, own);
            List<Field> fields = new ArrayList<>();
            List<Column> views = new ArrayList<>();
            for (int column : columns) {
                fields.add(schema.field(column));
                if (column == element + 1) {
                    views.add(numbers(part, own, memory));
                } else if (column >= element) {
                    views.add(elements(batch, column, memory));
                } else {
                    int place = Arrays.stream(kept).boxed().toList().indexOf(column);
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
    private int[] rows(Part part, ListRows own) {
        int[] rows = new int[part.elements()];
        int end = 0;
        for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
            for (int length = rows(own, row); length > 0; length--) {
                rows[end++] = row;
            }
        }
        return rows;
    }

    /// Where each element is among those of all lists; -1 for the row of a list without elements.
    private int[] places(Part part, ListRows own) {
        int[] places = new int[part.elements()];
        int end = 0;
        for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
            for (int index = 0; index < own.length(row); index++) {
                places[end++] = own.offsets()[row] + index;
            }
            if (isOuter && own.length(row) == 0) {
                places[end++] = -1;
            }
        }
        return places;
    }

    /// Elements, or what is a part of them.
    private Column elements(int batch, int column, Allocator memory) {
        Part part = parts.get(batch);
        FilePart member = column == element ? null : members.get(column - element - 2);
        if (member != null && member.kind() == FilePart.Kind.CARDINALITY) {
            return cardinalities(batch, member, memory);
        }
        DataType type = schema.type(column);
        ListRows own = table.elements(part.batch(), lists, member, memory);
        Column all =
                switch (own.elements()) {
                    case null -> null; // the file has no lists, or their structs no such member
                    case DictionaryColumn coded -> PlainText.of(coded, memory);
                    case Column plain -> NumberWidening.widened(plain, type, memory);
                };
        if (all == null) {
            return NullColumn.of(type, part.elements(), memory);
        }
        return !isOuter && !own.hasGaps()
                ? ColumnSlice.of(all, own.offsets()[part.firstRow()], part.elements())
                : Gather.of(all, places(part, own), memory);
    }

    /// How many elements lists have that are a member of the elements.
    private Column cardinalities(int batch, FilePart cardinality, Allocator memory) {
        ListRows own = lists(batch, new Lists(partOf(element, cardinality.path().toString())), memory);
        MemorySegment counts = memory.allocate(own.rowCount() * 4L);
        for (int row = 0; row < own.rowCount(); row++) {
            counts.set(INT32, row * 4L, own.length(row));
        }
        return new FixedColumn(DataType.INT32, own.rowCount(), counts, own.validity());
    }

    private Column numbers(Part part, ListRows own, Allocator memory) {
        MemorySegment numbers = memory.allocate(part.elements() * 8L);
        long end = 0;
        for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
            for (int number = 1; number <= own.length(row); number++) {
                numbers.set(INT64, end++ * 8, number);
            }
            if (isOuter && own.length(row) == 0) {
                end++;
            }
        }
        return new FixedColumn(DataType.INT64, part.elements(), numbers, present(part, own, memory));
    }

    /// Which rows are an element's.
    private Validity present(Part part, ListRows own, Allocator memory) {
        if (!isOuter) {
            return Validity.allPresent();
        }
        MemorySegment bits = memory.allocate((part.elements() + 7L) / 8);
        int end = 0;
        int absent = 0;
        for (int row = part.firstRow(); row < part.firstRow() + part.rowCount(); row++) {
            int count = own.length(row);
            for (int index = 0; index < count; index++, end++) {
                setBit(bits, end);
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
