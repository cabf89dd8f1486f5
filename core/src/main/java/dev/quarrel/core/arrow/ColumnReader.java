package dev.quarrel.core.arrow;

import static dev.quarrel.core.column.LittleEndian.INT16;
import static dev.quarrel.core.column.LittleEndian.INT32;
import static dev.quarrel.core.column.LittleEndian.INT64;

import dev.quarrel.core.arrow.lists.ListParts;
import dev.quarrel.core.arrow.lists.ListRows;
import dev.quarrel.core.arrow.lists.ListStarts;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.BoolColumn;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.FixedColumn;
import dev.quarrel.core.column.NestedColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.function.JsonForm;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;

/// Makes a [Column] of one field's buffers in one batch.
///
/// - Memory: what cannot be viewed in place is copied into `memory`.
final class ColumnReader {
    static final int VIEW_BYTES = 16;
    private static final int MAX_UNBOUNDED_ROWS = 1 << 24;
    private static final int INLINE_VIEW_BYTES = 12;

    private final FileFault fault;
    private final String columnName;
    private final BufferReader buffers;
    private final int rowCount;
    private final long nullCount;
    private final Allocator memory;
    private final Validity around; // of the structs that the column is in, whose NULLs have any value here
    private final MemberOrder order; // of the structs' texts; null for the file's own

    ColumnReader(
            FileFault fault, String columnName, BufferReader buffers, int rowCount, long nullCount, Allocator memory) {
        this(fault, columnName, buffers, rowCount, nullCount, memory, Validity.allPresent(), null);
    }

    private ColumnReader(
            FileFault fault,
            String columnName,
            BufferReader buffers,
            int rowCount,
            long nullCount,
            Allocator memory,
            Validity around,
            MemberOrder order) {
        this.fault = fault;
        this.columnName = columnName;
        this.buffers = buffers;
        this.rowCount = rowCount;
        this.nullCount = nullCount;
        this.memory = memory;
        this.around = around;
        this.order = order;
    }

    /// A reader of a column whose NULLs have yet to be counted.
    static ColumnReader counted(
            FileFault fault, String columnName, BufferReader buffers, int rowCount, Allocator memory) {
        long nulls = buffers.count() == 0 ? 0 : nulls(buffers.buffer(0, (rowCount + 7L) / 8), rowCount);
        return new ColumnReader(fault, columnName, buffers, rowCount, nulls, memory);
    }

    /// The same with texts of structs in an order that may not be the file's; null for the file's own.
    ColumnReader ordered(MemberOrder wanted) {
        return new ColumnReader(fault, columnName, buffers, rowCount, nullCount, memory, around, wanted);
    }

    /// @param dictionaries gives the file's dictionary of an id
    /// @param check whether the values of this column in this batch have yet to be checked
    Column read(Storage storage, FileDictionaries dictionaries, boolean check) {
        return switch (storage) {
            case Storage.Fixed(DataType type) ->
                checked(
                        new FixedColumn(
                                type, rowCount, buffers.buffer(1, (long) rowCount * type.byteWidth()), validity()),
                        check);
            case Storage.Widened(Widening widening, DataType type) -> checked(widened(widening, type), check);
            case Storage.Bits _ -> new BoolColumn(rowCount, buffers.buffer(1, (rowCount + 7L) / 8), validity());
            case Storage.Text(DataType type, boolean largeOffsets, PgType _) ->
                checked(text(type, largeOffsets), check);
            case Storage.TextViews(DataType type) -> checked(views(type), check);
            case Storage.FixedBytes(int width) -> fixedBytes(width);
            case Storage.Coded(DataType _, long dictionaryId, int codeBytes) ->
                checked(coded(dictionaries.texts(dictionaryId), codeBytes), check);
            case Storage.Listed listed ->
                (listed.form().hasOrder() ? this : ordered(null)).lists(listed, dictionaries, check);
            case Storage.Gathered(Storage _, long dictionaryId, int codeBytes) ->
                gathered(dictionaries.entries(dictionaryId), codeBytes);
            case Storage.Runs runs -> runs(runs, dictionaries, check);
            case Storage.OneOf union -> ordered(null).unions(union, dictionaries, check);
            case Storage.ListedViews views -> listViews(views, dictionaries, check);
            case Storage.HexBytes _ -> hexBytes(check);
            case Storage.Structured structured -> structs(structured, dictionaries, check);
            case Storage.UnscaledAndScale _ -> numerics();
            case Storage.AllNull _ -> NullColumn.of(DataType.UTF8, rowCount, memory);
            case Storage.Json json -> json(json, dictionaries, check);
            case Storage.Spread spread -> throw new IllegalArgumentException(spread + " is no column of a file");
            case Storage.Unreadable(String arrowType) ->
                throw fault.unsupported(
                        "column \"" + columnName + "\" has Arrow type " + arrowType + ", which is not supported");
        };
    }

    /// A member of a struct or union, and of those within it, by itself.
    ///
    /// - Nulls: also where a struct around it is, and where a union has another member.
    ///
    /// @param places of the member in each of them
    Column readPart(Storage storage, List<Integer> places, FileDictionaries dictionaries, boolean check) {
        if (!places.isEmpty()) {
            int place = places.getFirst();
            List<Integer> inner = places.subList(1, places.size());
            return storage instanceof Storage.OneOf union
                    ? unionMember(union, place, inner, dictionaries, check)
                    : structMember((Storage.Structured) storage, place)
                            .ordered(order)
                            .readPart(storage.memberStorages().get(place), inner, dictionaries, check);
        }
        Column read = read(storage, dictionaries, check);
        boolean isNullWithStructs =
                switch (storage) {
                    case Storage.Fixed _, Storage.Widened _, Storage.Bits _, Storage.Text _, Storage.Coded _ -> true;
                    default -> false;
                };
        Validity validity = isNullWithStructs ? read.validity() : both(around, read.validity());
        return validity == read.validity() ? read : withValidity(read, validity);
    }

    /// The reader of a member of structs, and of those within them; not of unions.
    ColumnReader within(Storage storage, List<Integer> places) {
        ColumnReader reader = this;
        Storage own = storage;
        for (int place : places) {
            reader = reader.structMember((Storage.Structured) own, place);
            own = own.memberStorages().get(place);
        }
        return reader.ordered(order);
    }

    private ColumnReader structMember(Storage.Structured struct, int place) {
        return member(buffers.members(1, struct.members()).get(place), rowCount, validity());
    }

    private Validity both(Validity one, Validity other) {
        if (one.isAllPresent() || rowCount == 0) {
            return other;
        }
        if (other.isAllPresent() || other == one) {
            return one;
        }
        MemorySegment bits = memory.allocateUnset((rowCount + 63L) / 64 * 8);
        long present = 0;
        for (int row = 0; row < rowCount; row += 64) {
            long each = one.word(row) & other.word(row) & -1L >>> Math.max(0, 64 - (rowCount - row));
            bits.set(INT64, row >>> 3, each);
            present += Long.bitCount(each);
        }
        return Validity.of(bits, rowCount, rowCount - present);
    }

    private static Column withValidity(Column column, Validity validity) {
        return switch (column) {
            case FixedColumn fixed -> new FixedColumn(fixed.type(), fixed.rowCount(), fixed.values(), validity);
            case BoolColumn bools -> new BoolColumn(bools.rowCount(), bools.bits(), validity);
            case Utf8Column text ->
                new Utf8Column(
                        text.type(), text.rowCount(), text.offsets(), text.largeOffsets(), text.data(), validity);
            case DictionaryColumn coded ->
                new DictionaryColumn(coded.rowCount(), coded.codes(), coded.codeBytes(), coded.dictionary(), validity);
        };
    }

    private Validity validity() {
        return both(
                around,
                nullCount == 0
                        ? Validity.allPresent()
                        : Validity.of(buffers.buffer(0, (rowCount + 7L) / 8), rowCount, nullCount));
    }

    private FixedColumn checked(FixedColumn column, boolean check) {
        String wrong = check && column.type() instanceof DataType.Time ? ValueCheck.times(column) : null;
        if (wrong != null) {
            throw fault.corrupt("column \"" + columnName + "\": " + wrong);
        }
        return column;
    }

    private FixedColumn widened(Widening widening, DataType type) {
        Validity validity = validity();
        MemorySegment source = buffers.buffer(1, (long) rowCount * widening.sourceBytes());
        MemorySegment target = memory.allocate((long) rowCount * widening.targetBytes());
        try {
            widening.copy(source, target, rowCount, validity);
        } catch (ArithmeticException e) {
            throw new QueryException(
                    type instanceof DataType.Decimal
                            ? SqlState.NUMERIC_VALUE_OUT_OF_RANGE
                            : SqlState.DATETIME_FIELD_OVERFLOW,
                    "file \"" + fault.file() + "\", column \"" + columnName + "\": " + e.getMessage(),
                    e);
        }
        return new FixedColumn(type, rowCount, target, validity);
    }

    private Utf8Column lists(Storage.Listed listed, FileDictionaries dictionaries, boolean check) {
        if (rowCount == 0) {
            return noText();
        }
        Bounds bounds = bounds(listed);
        Validity validity = bounds.rows().validity();
        int[] offsets = bounds.rows().offsets();
        IntToLongFunction starts = row -> offsets[row];
        BufferReader inner = bounds.elements();
        int count = offsets[rowCount];
        requireBounded(listed.element(), count);
        try {
            if (listed.form() == Storage.ListForm.HSTORE && listed.element() instanceof Storage.Structured pair) {
                List<BufferReader> words = inner.members(1, pair.members());
                Column keys = member(words.get(0), pair.members().get(0), count, dictionaries, check);
                Column values = member(words.get(1), pair.members().get(1), count, dictionaries, check);
                return NestedText.hstores(keys, values, starts, validity, rowCount, memory);
            }
            Column elements = member(inner, listed.element(), count, dictionaries, check);
            return NestedText.lists(elements, starts, listed.form(), validity, rowCount, memory);
        } catch (ArithmeticException _) {
            throw tooMuchText();
        }
    }

    /// Where lists begin and end, and the elements from near the first one's on.
    private record Bounds(ListRows rows, BufferReader elements) {}

    /// @param lists [Storage.Listed] or [Storage.ListedViews]
    private Bounds bounds(Storage lists) {
        switch (lists) {
            case Storage.Listed listed -> {
                ListStarts starts = starts(listed);
                int before = before(listed.element(), starts.first());
                BufferReader elements = elements(listed.element(), listed.offsetBytes() <= 0 ? 1 : 2, before);
                return new Bounds(new ListRows(starts.from(before).all(), validity(), null), elements);
            }
            case Storage.ListedViews views -> {
                ListRows rows = viewBounds(views);
                int before = before(views.element(), rows.firstElement());
                return new Bounds(before == 0 ? rows : rows.from(before), elements(views.element(), 3, before));
            }
            default -> throw new IllegalArgumentException(lists + " has no elements");
        }
    }

    /// How many elements are left out, of those before the first list's.
    private static int before(Storage element, int first) {
        return RowSkip.isPossible(element) ? first / RowSkip.UNIT * RowSkip.UNIT : 0;
    }

    /// @param own how many buffers come before those of the elements
    private BufferReader elements(Storage element, int own, int before) {
        BufferReader elements = buffers.members(own, List.of(element)).getFirst();
        return before == 0 ? elements : elements.from(element, before);
    }

    private ListStarts starts(Storage.Listed listed) {
        int width = listed.offsetBytes();
        MemorySegment stored = width > 0 && rowCount > 0 ? buffers.buffer(1, (rowCount + 1L) * width) : null;
        return new ListStarts(
                stored,
                width,
                rowCount,
                () -> fault.corrupt("column \"" + columnName + "\": offsets of lists do not ascend"));
    }

    /// Lists that are within the elements of lists: a row for each of these elements, as far as there are lists that
    /// have it.
    ///
    /// @param lists as of the next method
    /// @param around members of the elements, each of those of the lists that the one before is; the last is
    /// the lists
    /// @param wanted what of their elements; null for these as a whole
    /// @param withElements false for where the lists are, alone
    ListRows listRows(
            Storage lists,
            List<FilePart> around,
            FilePart wanted,
            boolean withElements,
            FileDictionaries dictionaries,
            boolean check) {
        if (!around.isEmpty()) {
            FilePart next = around.getFirst();
            return elementReader(lists, bounds(lists))
                    .within(JsonShape.elements(lists), next.places())
                    .ordered(order)
                    .listRows(
                            next.storage(),
                            around.subList(1, around.size()),
                            wanted,
                            withElements,
                            dictionaries,
                            check);
        }
        if (!withElements || wanted == null || wanted.isMember()) {
            List<Integer> places = wanted == null ? List.of() : wanted.places();
            return listRows(lists, withElements ? places : null, dictionaries, check);
        }
        Bounds bounds = bounds(lists);
        ListRows rows = bounds.rows();
        Column elements = elementReader(lists, bounds)
                .within(JsonShape.elements(lists), wanted.places())
                .ordered(order)
                .read(wanted.storage(), dictionaries, check);
        return new ListRows(rows.offsets(), rows.ends(), rows.validity(), elements);
    }

    /// Lists as they lie in the file.
    ///
    /// @param lists [Storage.Listed] or [Storage.ListedViews]
    /// @param places of a member in the elements, as of [#readPart]; none for elements as a whole, null for no
    ///     elements at all
    ListRows listRows(Storage lists, List<Integer> places, FileDictionaries dictionaries, boolean check) {
        Bounds bounds = bounds(lists);
        ListRows rows = bounds.rows();
        if (places == null) {
            return rows;
        }
        Column elements = elementReader(lists, bounds)
                .ordered(order)
                .readPart(JsonShape.elements(lists), places, dictionaries, check);
        return new ListRows(rows.offsets(), rows.ends(), rows.validity(), elements);
    }

    /// A reader of as many elements as the lists have, or more.
    private ColumnReader elementReader(Storage storage, Bounds lists) {
        ListRows rows = lists.rows();
        int count = rows.ends() == null ? rows.offsets()[rowCount] : 0;
        for (int row = 0; rows.ends() != null && row < rowCount; row++) {
            count = Math.max(count, rows.length(row) > 0 ? rows.end(row) : 0);
        }
        return elementReader(JsonShape.elements(storage), lists.elements(), count);
    }

    private ColumnReader elementReader(Storage element, BufferReader elements, int count) {
        requireBounded(element, count);
        return member(elements, count, Validity.allPresent());
    }

    /// Where each list begins and ends; a NULL has no elements.
    private ListRows viewBounds(Storage.ListedViews views) {
        Validity validity = validity();
        int[] starts = new int[rowCount];
        int[] ends = new int[rowCount];
        int width = views.offsetBytes();
        MemorySegment offsets = rowCount == 0 ? null : buffers.buffer(1, (long) rowCount * width);
        MemorySegment sizes = rowCount == 0 ? null : buffers.buffer(2, (long) rowCount * width);
        for (int row = 0; row < rowCount; row++) {
            if (validity.isPresent(row)) {
                long start = number(offsets, row, width);
                long size = number(sizes, row, width);
                if (start < 0 || size < 0 || start > Integer.MAX_VALUE - 64 || size > Integer.MAX_VALUE - 64 - start) {
                    throw fault.corrupt("column \"" + columnName + "\": a list of " + size + " elements at " + start);
                }
                starts[row] = (int) start;
                ends[row] = (int) (start + size);
            }
        }
        return new ListRows(starts, ends, validity, null);
    }

    /// What [FilePart] has of lists.
    Column readOfLists(FilePart part, FileDictionaries dictionaries, boolean check) {
        Storage.Listed lists = part.lists().storage();
        if (part.kind() == FilePart.Kind.MEMBERS) {
            return text(listRows(lists, part.places(), dictionaries, check));
        }
        ListStarts starts = starts(lists);
        if (part.kind() == FilePart.Kind.CARDINALITY) {
            return new ListParts(starts, validity(), memory).lengths();
        }
        int before = before(lists.element(), starts.first());
        ListParts parts = new ListParts(starts.from(before), validity(), memory);
        BufferReader inner = elements(lists.element(), lists.offsetBytes() <= 0 ? 1 : 2, before);
        Column elements = elementReader(lists.element(), inner, parts.elementCount())
                .ordered(order)
                .readPart(lists.element(), part.places(), dictionaries, check);
        return switch (part.kind()) {
            case PRESENCE -> parts.presence(elements.validity());
            case ENDS -> parts.ends((Utf8Column) elements);
            case ELEMENTS -> parts.elements(elements);
            case MEMBER, TAG, STRUCT, MEMBERS, JSON, CARDINALITY ->
                throw new IllegalArgumentException(part.kind() + " of lists");
        };
    }

    private Utf8Column text(ListRows lists) {
        if (rowCount == 0) {
            return noText();
        }
        int[] offsets = lists.offsets();
        try {
            return NestedText.lists(
                    lists.elements(), row -> offsets[row], Storage.ListForm.ARRAY, lists.validity(), rowCount, memory);
        } catch (ArithmeticException _) {
            throw tooMuchText();
        }
    }

    /// - Shape: validity, offsets and sizes; then the elements, which lists may share.
    private Utf8Column listViews(Storage.ListedViews views, FileDictionaries dictionaries, boolean check) {
        if (rowCount == 0) {
            return noText();
        }
        ListRows lists = listRows(views, List.of(), dictionaries, check);
        try {
            return NestedText.lists(
                    lists.elements(),
                    row -> lists.offsets()[row],
                    lists::end,
                    Storage.ListForm.ARRAY,
                    lists.validity(),
                    rowCount,
                    memory);
        } catch (ArithmeticException _) {
            throw tooMuchText();
        }
    }

    private void requireBounded(Storage values, long count) {
        if (count > MAX_UNBOUNDED_ROWS && !values.isBounded()) {
            throw fault.unsupported("column \"" + columnName + "\" has " + count + " values without bytes");
        }
    }

    private static long number(MemorySegment numbers, int row, int width) {
        return switch (width) {
            case 1 -> numbers.get(ValueLayout.JAVA_BYTE, row) & 0xFF;
            case 2 -> numbers.get(INT16, row * 2L) & 0xFFFF;
            case 4 -> numbers.get(INT32, row * 4L);
            default -> numbers.get(INT64, row * 8L);
        };
    }

    private Column gathered(Column entries, int codeBytes) {
        Validity validity = validity();
        MemorySegment codes = buffers.buffer(1, (long) rowCount * codeBytes);
        int[] rows = new int[rowCount];
        for (int row = 0; row < rowCount; row++) {
            long code = validity.isPresent(row) ? number(codes, row, codeBytes) : -1;
            if (validity.isPresent(row) && (code < 0 || code >= entries.rowCount())) {
                throw fault.corrupt("column \"" + columnName + "\": row " + row + " has code " + code + " of "
                        + entries.rowCount());
            }
            rows[row] = (int) code;
        }
        return Gather.of(entries, rows, memory);
    }

    /// - Shape: the ends' validity, which says nothing, and the ends; then the values.
    private Column runs(Storage.Runs runs, FileDictionaries dictionaries, boolean check) {
        if (rowCount > MAX_UNBOUNDED_ROWS) {
            throw fault.unsupported("column \"" + columnName + "\" has " + rowCount + " rows of runs in one batch");
        }
        int width = runs.endBytes();
        MemorySegment ends = buffers.buffer(1, 0, (long) rowCount * width);
        int[] rows = new int[rowCount];
        int count = 0;
        long start = 0;
        while (start < rowCount) {
            long end = (count + 1L) * width <= ends.byteSize() ? number(ends, count, width) : -1;
            if (end <= start) {
                throw fault.corrupt(
                        "column \"" + columnName + "\": run " + count + " ends at " + end + ", after " + start);
            }
            for (int row = (int) start; row < Math.min(end, rowCount); row++) {
                rows[row] = count;
            }
            start = end;
            count++;
        }
        BufferReader inner = buffers.members(2, List.of(runs.values())).getFirst();
        return Gather.of(member(inner, runs.values(), count, dictionaries, check), rows, memory);
    }

    /// - Shape: the types of the rows; where their values are, if it is dense; then the members.
    /// - Nulls: a row whose value is.
    private Utf8Column unions(Storage.OneOf union, FileDictionaries dictionaries, boolean check) {
        if (rowCount == 0) {
            return noText();
        }
        List<Column> members = unionMembers(union, dictionaries, check);
        try {
            return NestedText.composites(members, presentInOne(members), rowCount, memory);
        } catch (ArithmeticException _) {
            throw tooMuchText();
        }
    }

    private List<Column> unionMembers(Storage.OneOf union, FileDictionaries dictionaries, boolean check) {
        List<Column> members = new ArrayList<>();
        for (int member = 0; member < union.members().size(); member++) {
            members.add(unionMember(union, member, List.of(), dictionaries, check));
        }
        return members;
    }

    private Validity presentInOne(List<Column> columns) {
        MemorySegment present = memory.allocate((rowCount + 7L) / 8);
        for (Column column : columns) {
            for (int row = 0; row < rowCount; row++) {
                if (column.validity().isPresent(row)) {
                    int bits = present.get(ValueLayout.JAVA_BYTE, row >>> 3) | 1 << (row & 7);
                    present.set(ValueLayout.JAVA_BYTE, row >>> 3, (byte) bits);
                }
            }
        }
        return Validity.of(present, rowCount, nulls(present, rowCount));
    }

    /// Which member each row has; -1 where a struct around is NULL.
    private int[] unionPlaces(Storage.OneOf union) {
        MemorySegment types = buffers.buffer(0, rowCount);
        int[] members = new int[rowCount];
        for (int row = 0; row < rowCount; row++) {
            members[row] = union.typeIds().indexOf((int) types.get(ValueLayout.JAVA_BYTE, row));
            if (members[row] < 0) {
                throw fault.corrupt("column \"" + columnName + "\": row " + row + " is of type "
                        + types.get(ValueLayout.JAVA_BYTE, row));
            }
            members[row] = around.isPresent(row) ? members[row] : -1;
        }
        return members;
    }

    /// The names of the members that unions have.
    ///
    /// - Nulls: where a struct around the union is.
    Utf8Column tags(Storage.OneOf union) {
        if (rowCount == 0) {
            return noText();
        }
        byte[][] names = union.names().stream()
                .map(name -> name.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        MemorySegment offsets = memory.allocate((names.length + 1) * 4L);
        MemorySegment data = memory.allocate(
                Math.max(1, Arrays.stream(names).mapToInt(name -> name.length).sum()));
        int end = 0;
        for (int name = 0; name < names.length; name++) {
            MemorySegment.copy(names[name], 0, data, ValueLayout.JAVA_BYTE, end, names[name].length);
            end += names[name].length;
            offsets.set(INT32, (name + 1) * 4L, end);
        }
        Utf8Column all = new Utf8Column(DataType.UTF8, names.length, offsets, false, data, Validity.allPresent());
        return (Utf8Column) Gather.of(all, unionPlaces(union), memory);
    }

    /// True where there is a struct.
    BoolColumn structs() {
        MemorySegment bits = memory.allocateUnset((rowCount + 7L) / 8);
        bits.fill((byte) -1);
        return new BoolColumn(rowCount, bits, validity());
    }

    /// A member of a union, or of what it has there, by itself: NULL where the union has another one.
    ///
    /// @param inner places below that member
    private Column unionMember(
            Storage.OneOf union, int place, List<Integer> inner, FileDictionaries dictionaries, boolean check) {
        int[] rows = unionPlaces(union);
        MemorySegment offsets = union.isDense() ? buffers.buffer(1, rowCount * 4L) : null;
        long count = union.isDense() ? 0 : rowCount;
        int first = Integer.MAX_VALUE;
        for (int row = 0; row < rowCount; row++) {
            int at = offsets == null ? row : offsets.get(INT32, row * 4L);
            if (at < 0 || at > Integer.MAX_VALUE - 64) {
                throw fault.corrupt("column \"" + columnName + "\": row " + row + " has a value at " + at);
            }
            boolean isThere = rows[row] == place;
            rows[row] = isThere ? at : -1;
            count = isThere ? Math.max(count, at + 1L) : count;
            first = isThere ? Math.min(first, at) : first;
        }
        BufferReader values =
                buffers.members(offsets == null ? 1 : 2, union.members()).get(place);
        Storage storage = union.members().get(place);
        if (offsets != null && count > 0 && RowSkip.isPossible(storage)) {
            int before = first / RowSkip.UNIT * RowSkip.UNIT;
            values = values.from(storage, before);
            count -= before;
            for (int row = 0; row < rowCount; row++) {
                rows[row] -= rows[row] < 0 ? 0 : before;
            }
        }
        requireBounded(storage, count);
        Column read = member(values, (int) count, Validity.allPresent())
                .ordered(order)
                .readPart(storage, inner, dictionaries, check);
        return Gather.of(read, rows, memory);
    }

    private Utf8Column structs(Storage.Structured structured, FileDictionaries dictionaries, boolean check) {
        Validity validity = validity();
        if (rowCount == 0) {
            return noText();
        }
        List<BufferReader> inner = buffers.members(1, structured.members());
        List<Column> members = new ArrayList<>();
        boolean isReordered = order != null && MemberOrder.isReordered(structured);
        for (String name : isReordered ? order.names() : structured.names()) {
            int index = isReordered ? structured.names().indexOf(name) : members.size();
            members.add(
                    index < 0
                            ? NullColumn.of(DataType.UTF8, rowCount, memory)
                            : member(inner.get(index), rowCount, validity)
                                    .ordered(isReordered ? order.of(name) : null)
                                    .read(structured.members().get(index), dictionaries, check));
        }
        try {
            return structured.isRange()
                    ? NestedText.ranges(members, validity, rowCount, memory)
                    : NestedText.composites(members, validity, rowCount, memory);
        } catch (ArithmeticException _) {
            throw tooMuchText();
        }
    }

    private Utf8Column json(Storage.Json lists, FileDictionaries dictionaries, boolean check) {
        if (rowCount == 0) {
            return noText();
        }
        try {
            NestedJson values = json(lists.values(), lists.shape(), dictionaries, check);
            return NestedText.documents(values, validity(), rowCount, memory);
        } catch (ArithmeticException _) {
            throw tooMuchText();
        }
    }

    private NestedJson json(Storage storage, JsonShape shape, FileDictionaries dictionaries, boolean check) {
        return switch (shape) {
            case JsonShape.Value value -> new NestedJson.Values(read(storage, dictionaries, check), value);
            case JsonShape.Elements(JsonShape element) -> {
                Bounds lists = bounds(storage);
                ColumnReader reader = elementReader(storage, lists);
                yield new NestedJson.Elements(
                        lists.rows(),
                        reader.rowCount == 0
                                ? new NestedJson.Nothing()
                                : reader.ordered(order)
                                        .json(JsonShape.elements(storage), element, dictionaries, check));
            }
            case JsonShape.Pairs(JsonShape.Value key, JsonShape value) -> {
                Bounds lists = bounds(storage);
                ColumnReader pairs = elementReader(storage, lists);
                Storage.Structured pair = (Storage.Structured) JsonShape.elements(storage);
                ColumnReader keys = pairs.structMember(pair, 0);
                yield new NestedJson.Pairs(
                        lists.rows(),
                        new NestedJson.Values(keys.read(pair.members().getFirst(), dictionaries, check), key),
                        pairs.structMember(pair, 1).json(pair.members().getLast(), value, dictionaries, check));
            }
            case JsonShape.Members members -> members(storage, members, dictionaries, check);
        };
    }

    private NestedJson members(Storage storage, JsonShape.Members shape, FileDictionaries dictionaries, boolean check) {
        List<NestedJson> members = new ArrayList<>();
        if (storage instanceof Storage.OneOf union) {
            List<Column> columns = ordered(null).unionMembers(union, dictionaries, check);
            for (int member = 0; member < columns.size(); member++) {
                JsonShape.Value text = new JsonShape.Value(
                        shape.members().get(member) instanceof JsonShape.Value(JsonForm form) ? form : JsonForm.TEXT);
                members.add(new NestedJson.Values(columns.get(member), text));
            }
            return NestedJson.Members.of(presentInOne(columns), shape.names(), members);
        }
        Storage.Structured structs = (Storage.Structured) storage;
        boolean isReordered = order != null && MemberOrder.isReordered(structs);
        List<String> names = isReordered ? order.names() : shape.names();
        for (String name : names) {
            int index = isReordered ? shape.names().indexOf(name) : members.size();
            members.add(
                    index < 0
                            ? new NestedJson.Nothing()
                            : structMember(structs, index)
                                    .ordered(isReordered ? order.of(name) : null)
                                    .json(
                                            structs.members().get(index),
                                            shape.members().get(index),
                                            dictionaries,
                                            check));
        }
        return NestedJson.Members.of(validity(), names, members);
    }

    /// Lists, structs and maps, taken apart.
    ///
    /// - Nulls: what is NULL has no elements, and members that are NULL.
    ///
    /// @param type of [NestedStorage]
    NestedColumn readNested(Storage storage, NestedType type, FileDictionaries dictionaries, boolean check) {
        if (rowCount == 0) {
            return NullColumn.nested(type, 0, memory);
        }
        return switch (storage) {
            case Storage.Structured(List<String> _, List<Storage> members, boolean _) -> {
                List<NestedType.Member> types = ((NestedType.Composite) type).members();
                yield nestedStructs(
                        members, types.stream().map(NestedType.Member::type).toList(), dictionaries, check);
            }
            case Storage.Listed listed -> nestedLists(listed, type, dictionaries, check);
            default -> {
                Column values = read(storage, dictionaries, check);
                yield new NestedColumn.Values(
                        values instanceof DictionaryColumn coded ? PlainText.of(coded, memory) : values);
            }
        };
    }

    private NestedColumn nestedStructs(
            List<Storage> members, List<NestedType> types, FileDictionaries dictionaries, boolean check) {
        Validity validity = validity();
        List<BufferReader> inner = buffers.members(1, members);
        List<NestedColumn> read = new ArrayList<>();
        for (int member = 0; member < inner.size(); member++) {
            read.add(member(inner.get(member), rowCount, validity)
                    .readNested(members.get(member), types.get(member), dictionaries, check));
        }
        return new NestedColumn.Structs(rowCount, validity, read);
    }

    private NestedColumn nestedLists(
            Storage.Listed listed, NestedType type, FileDictionaries dictionaries, boolean check) {
        Bounds bounds = bounds(listed);
        Validity validity = bounds.rows().validity();
        int[] offsets = bounds.rows().offsets();
        int count = offsets[rowCount];
        requireBounded(listed.element(), count);
        ColumnReader reader = member(bounds.elements(), count, Validity.allPresent());
        NestedColumn elements =
                switch (type) {
                    case NestedType.Array(NestedType element, int _) ->
                        reader.readNested(listed.element(), element, dictionaries, check);
                    case NestedType.Pairs(NestedType key, NestedType value)
                    when count > 0 ->
                        reader.nestedStructs(
                                ((Storage.Structured) listed.element()).members(),
                                List.of(key, value),
                                dictionaries,
                                check);
                    case NestedType.Pairs _ -> ((NestedColumn.Lists) NullColumn.nested(type, 0, memory)).elements();
                    default -> throw new IllegalArgumentException(type + " of " + listed);
                };
        NestedColumn.Lists lists = NestedGather.lists(offsets, validity, elements, memory);
        boolean hasNullKey = type instanceof NestedType.Pairs
                && !(((NestedColumn.Structs) lists.elements())
                        .members()
                        .getFirst()
                        .validity()
                        .isAllPresent());
        if (hasNullKey) {
            throw fault.corrupt("column \"" + columnName + "\": a map has a key that is NULL");
        }
        return lists;
    }

    private Utf8Column hexBytes(boolean check) {
        Utf8Column bytes = checked(text(DataType.BINARY, false), check);
        try {
            return NestedText.hex(bytes, rowCount, memory);
        } catch (ArithmeticException _) {
            throw tooMuchText();
        }
    }

    private static Utf8Column noText() {
        return new Utf8Column(DataType.UTF8, 0, MemorySegment.NULL, false, MemorySegment.NULL, Validity.allPresent());
    }

    private QueryException tooMuchText() {
        return fault.unsupported("column \"" + columnName + "\" has too much text in one batch");
    }

    /// A column within this one, of `count` rows.
    private Column member(
            BufferReader inner, Storage storage, int count, FileDictionaries dictionaries, boolean check) {
        return member(inner, count, Validity.allPresent()).ordered(order).read(storage, dictionaries, check);
    }

    private ColumnReader member(BufferReader inner, int count, Validity outside) {
        return new ColumnReader(fault, columnName, inner, count, nulls(inner, count), memory, outside, null);
    }

    /// NULLs by the bits of a column, which may have none.
    private static long nulls(BufferReader column, int count) {
        if (column.count() == 0) {
            return 0;
        }
        MemorySegment bits = column.buffer(0, 0, (count + 7L) / 8);
        return bits.byteSize() == 0 ? 0 : nulls(column.buffer(0, (count + 7L) / 8), count);
    }

    private static long nulls(MemorySegment bits, int count) {
        long present = 0;
        int row = 0;
        for (; row + 64 <= count; row += 64) {
            present += Long.bitCount(bits.get(INT64, row >>> 3));
        }
        for (; row < count; row++) {
            present += bits.get(ValueLayout.JAVA_BYTE, row >>> 3) >>> (row & 7) & 1;
        }
        return count - present;
    }

    /// - Shape: the struct's validity; the digits' validity and values; the scales' validity and values.
    private FixedColumn numerics() {
        MemorySegment digits = buffers.buffer(2, rowCount * 16L);
        MemorySegment scales = buffers.buffer(4, rowCount * 2L);
        Validity validity = NumericStruct.validity(validity(), childBits(1), childBits(3), rowCount, memory);
        MemorySegment values = memory.allocate((long) rowCount * DataType.NUMERIC.byteWidth());
        String wrong = NumericStruct.read(digits, scales, validity, rowCount, values);
        if (wrong != null) {
            throw fault.corrupt("column \"" + columnName + "\": " + wrong);
        }
        return new FixedColumn(DataType.NUMERIC, rowCount, values, validity);
    }

    /// The validity bits of a struct's member; null where it has none, so that all are there.
    private MemorySegment childBits(int buffer) {
        MemorySegment bits = buffers.buffer(buffer, 0, (rowCount + 7L) / 8);
        return bits.byteSize() == 0 ? null : buffers.buffer(buffer, (rowCount + 7L) / 8);
    }

    private Utf8Column text(DataType type, boolean largeOffsets) {
        long offsetBytes = largeOffsets ? 8 : 4;
        if (rowCount == 0) {
            return new Utf8Column(type, 0, MemorySegment.NULL, largeOffsets, MemorySegment.NULL, Validity.allPresent());
        }
        MemorySegment offsets = buffers.buffer(1, (rowCount + 1L) * offsetBytes);
        long end = largeOffsets ? offsets.get(INT64, rowCount * 8L) : offsets.get(INT32, rowCount * 4L);
        if (end < 0) {
            throw fault.corrupt("text offsets of column \"" + columnName + "\" end at " + end);
        }
        return new Utf8Column(type, rowCount, offsets, largeOffsets, buffers.buffer(2, end), validity());
    }

    private Utf8Column fixedBytes(int width) {
        if (width == 0 && rowCount > MAX_UNBOUNDED_ROWS) {
            throw fault.unsupported("column \"" + columnName + "\" has " + rowCount + " rows without a value");
        }
        long bytes = (long) rowCount * width;
        if (bytes > Integer.MAX_VALUE) {
            throw fault.unsupported("column \"" + columnName + "\" has " + bytes + " bytes in one batch");
        }
        MemorySegment data = buffers.buffer(1, bytes).asSlice(0, bytes);
        MemorySegment offsets = memory.allocate((rowCount + 1L) * 4);
        for (int row = 0; row <= rowCount; row++) {
            offsets.set(INT32, row * 4L, row * width);
        }
        return new Utf8Column(DataType.BINARY, rowCount, offsets, false, data, validity());
    }

    private Utf8Column checked(Utf8Column column, boolean check) {
        String wrong = check ? ValueCheck.text(column) : null;
        if (wrong != null) {
            throw fault.corrupt("column \"" + columnName + "\": " + wrong);
        }
        return column;
    }

    private DictionaryColumn coded(Dictionary dictionary, int codeBytes) {
        Validity validity = validity();
        MemorySegment codes = buffers.buffer(1, (long) rowCount * codeBytes);
        if (codeBytes < 8) {
            return new DictionaryColumn(rowCount, codes, codeBytes, dictionary, validity);
        }
        MemorySegment narrow = memory.allocate(rowCount * 4L);
        for (int row = 0; row < rowCount; row++) {
            long code = codes.get(INT64, row * 8L);
            narrow.set(INT32, row * 4L, code == (int) code ? (int) code : -1);
        }
        return new DictionaryColumn(rowCount, narrow, 4, dictionary, validity);
    }

    private DictionaryColumn checked(DictionaryColumn column, boolean check) {
        String wrong = check ? ValueCheck.codes(column) : null;
        if (wrong != null) {
            throw fault.corrupt("column \"" + columnName + "\": " + wrong);
        }
        return column;
    }

    /// Source: Arrow columnar format, section "Variable-size Binary View Layout".
    private Utf8Column views(DataType type) {
        Validity validity = validity();
        MemorySegment views = buffers.buffer(1, (long) rowCount * VIEW_BYTES);
        MemorySegment[] data = new MemorySegment[buffers.count() - 2];
        long textBytes = 0;
        for (int row = 0; row < rowCount; row++) {
            int length = views.get(INT32, (long) row * VIEW_BYTES);
            if (validity.isPresent(row)) {
                if (length < 0) {
                    throw fault.corrupt("column \"" + columnName + "\" has a text of " + length + " bytes");
                }
                textBytes += length;
            }
        }
        // Views may share bytes, so that the text can be larger than the file; the bound is what one column may hold.
        if (textBytes > Integer.MAX_VALUE) {
            throw fault.unsupported(
                    "column \"" + columnName + "\" has " + textBytes + " bytes of text views in one batch");
        }
        MemorySegment offsets = memory.allocate((rowCount + 1L) * 4);
        MemorySegment text = memory.allocate(textBytes);
        int end = 0;
        for (int row = 0; row < rowCount; row++) {
            long view = (long) row * VIEW_BYTES;
            if (validity.isPresent(row)) {
                int length = views.get(INT32, view);
                if (length <= INLINE_VIEW_BYTES) {
                    MemorySegment.copy(views, view + 4, text, end, length);
                } else {
                    MemorySegment source = viewData(data, views.get(INT32, view + 8));
                    int offset = views.get(INT32, view + 12);
                    if (offset < 0 || length > source.byteSize() - offset) {
                        throw fault.corrupt("column \"" + columnName + "\" has a text outside its buffer");
                    }
                    MemorySegment.copy(source, offset, text, end, length);
                }
                end += length;
            }
            offsets.set(INT32, (row + 1L) * 4, end);
        }
        return new Utf8Column(type, rowCount, offsets, false, text, validity);
    }

    private MemorySegment viewData(MemorySegment[] data, int index) {
        if (index < 0 || index >= data.length) {
            throw fault.corrupt("column \"" + columnName + "\" has a text in buffer " + index + " of " + data.length);
        }
        if (data[index] == null) {
            data[index] = buffers.buffer(2 + index, 0, Integer.MAX_VALUE);
        }
        return data[index];
    }
}
