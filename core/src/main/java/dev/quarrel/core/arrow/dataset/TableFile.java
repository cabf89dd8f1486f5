package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.BatchPiece;
import dev.quarrel.core.arrow.CodedText;
import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.arrow.MemberOrder;
import dev.quarrel.core.arrow.NullColumn;
import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.PlainText;
import dev.quarrel.core.arrow.Storage;
import dev.quarrel.core.arrow.dataset.rows.ConstantColumn;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.arrow.dataset.rows.LiveRows;
import dev.quarrel.core.arrow.dataset.rows.NumberWidening;
import dev.quarrel.core.arrow.lists.ListRows;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.arrow.stats.StatsText;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.LittleEndian;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/// One file of a table: its columns as the table has them, by name. What the file lacks is a key of its path, a value
/// of its metadata, or NULL.
///
/// One that cannot be read is a batch of one row, whose keys are known: only who needs it is told why.
final class TableFile {
    private static final int ABSENT = -1;
    private static final int CONSTANT = -2;
    private static final int FAULTY = -3;

    private final ArrowFile file; // null where it cannot be read
    private final QueryException fault;
    private final Path path;
    private final Schema schema;
    private final FileStats stats;
    private final List<BatchPiece> batches; // the table's, one each; none of a file that cannot be read
    private boolean isPreloaded; // the file's batch that was looked at last, by who preloads the table
    private final LiveRows[] live; // one a batch, null for one of which no row is deleted; null for no such batch
    private final long rowCount;

    /// For each column of the table its index in the file, or one of the above.
    private final int[] columns;

    /// For each column the value of a key, or one a batch as an array.
    private final Object[] constants;

    private final QueryException[] columnFaults;

    /// For each column in which order its structs' texts have their members; null where that is the file's own.
    private final MemberOrder[] orders;

    /// How a table's file is opened.
    ///
    /// @param file null where it could not be opened
    /// @param fault why, or null
    /// @param keys what its path says
    /// @param stats null where nothing is known
    /// @param deleted rows that are no part of the table
    record Part(
            Path path,
            ArrowFile file,
            QueryException fault,
            Map<String, String> keys,
            FileStats stats,
            DeletedRows deleted) {
        Part(Path path, ArrowFile file, QueryException fault, Map<String, String> keys, FileStats stats) {
            this(path, file, fault, keys, stats, DeletedRows.NONE);
        }

        static Part of(ArrowFile file, FileStats stats) {
            return new Part(file.path(), file, null, Map.of(), stats);
        }
    }

    /// @param columns the table's, with where their values are from that stand in no file; null for others
    /// @param parts columns that are parts of others, by index; null for others
    /// @param orders in which order structs of columns have their members in the table's texts; null for others
    /// @param isStrict whether a column of another type is an error, and not only for who reads it
    TableFile(
            Part part,
            String table,
            Schema schema,
            NamedTable.Virtual[] columns,
            FilePart[] parts,
            MemberOrder[] orders,
            boolean isStrict) {
        this.file = part.file();
        this.fault = part.fault();
        this.path = part.path();
        this.schema = schema;
        this.stats = part.stats();
        this.batches = part.file() == null ? List.of() : part.file().pieces();
        this.live = part.deleted().isEmpty() ? null : live(part.file(), part.deleted());
        this.rowCount = part.file() == null
                ? 1
                : part.file().rowCount() - part.deleted().count();
        this.columns = new int[schema.size()];
        this.constants = new Object[schema.size()];
        this.columnFaults = new QueryException[schema.size()];
        this.orders = new MemberOrder[schema.size()];
        for (int column = 0; column < schema.size(); column++) {
            resolve(column, columns[column], part.keys());
            QueryException wrong =
                    parts[column] == null ? wrongType(column, table) : wrongPart(column, parts[column], table);
            if (wrong != null) {
                if (isStrict && parts[column] == null) {
                    throw wrong;
                }
                columnFaults[column] = wrong;
                this.columns[column] = FAULTY;
            }
            int index = this.columns[column];
            if (index >= 0 && !Objects.equals(orders[column], MemberOrder.of(file.storage(index)))) {
                this.orders[column] = orders[column];
            }
        }
    }

    /// A file all of whose columns that are asked for stand in it; another type is an error.
    static TableFile plain(Part part, String table, Schema schema) {
        return new TableFile(
                part,
                table,
                schema,
                new NamedTable.Virtual[schema.size()],
                new FilePart[schema.size()],
                new MemberOrder[schema.size()],
                true);
    }

    private static LiveRows[] live(ArrowFile file, DeletedRows deleted) {
        int[] batchRows = file.pieces().stream().mapToInt(BatchPiece::rowCount).toArray();
        return LiveRows.of(batchRows, deleted.rows(file.rowCount()));
    }

    private LiveRows live(int batch) {
        return live == null ? null : live[batch];
    }

    private void resolve(int column, NamedTable.Virtual virtual, Map<String, String> keys) {
        Field field = schema.field(column);
        int index = file == null ? ABSENT : file.columnIndex(field.name());
        if (virtual == null && index >= 0) {
            boolean hasValues = !(file.storage(index) instanceof Storage.AllNull);
            columns[column] = hasValues ? index : ABSENT; // NULL of whatever type
            return;
        }
        columns[column] = file == null ? FAULTY : ABSENT;
        if (virtual == null || virtual.kind() == NamedTable.Virtual.Kind.KEY) {
            String key = keys.get(virtual == null ? field.name() : virtual.key());
            if (key != null) {
                columns[column] = CONSTANT;
                constants[column] = value(field, key);
            } else if (keys.containsKey(virtual == null ? field.name() : virtual.key())) {
                columns[column] = ABSENT; // NULL, as the path says
            }
        } else if (file != null) {
            String value = metadata(virtual.key());
            if (value != null && virtual.kind() == NamedTable.Virtual.Kind.METADATA) {
                columns[column] = CONSTANT;
                constants[column] = value(field, value);
            } else if (value != null) {
                String[] values = value.split(",", -1);
                Object[] each = new Object[file.batchCount()];
                for (int batch = 0; batch < Math.min(each.length, values.length); batch++) {
                    each[batch] = value(field, values[batch].strip());
                }
                columns[column] = CONSTANT;
                constants[column] = each;
            }
        }
    }

    /// The schema's metadata of that key, or that of `FIELD.KEY`.
    private String metadata(String key) {
        String value = file.schemaMetadata().get(key);
        for (int dot = key.indexOf('.'); value == null && dot > 0; dot = key.indexOf('.', dot + 1)) {
            int column = file.columnIndex(key.substring(0, dot));
            value = column < 0 ? null : file.fieldMetadata(column).get(key.substring(dot + 1));
        }
        return value;
    }

    private Object value(Field field, String text) {
        Object value = StatsText.parse(field.type(), text);
        if (value == null) {
            throw new QueryException(
                    SqlState.DATA_CORRUPTED,
                    "file \"" + path + "\" is corrupt: its key " + field.name() + " is \"" + text + "\", which is no "
                            + field.type());
        }
        return value;
    }

    private QueryException wrongType(int column, String table) {
        Field field = schema.field(column);
        if (columns[column] < 0
                || NumberWidening.isTo(file.field(columns[column]).type(), field.type())) {
            return null;
        }
        return new QueryException(
                SqlState.DATATYPE_MISMATCH,
                "file \"" + path + "\" has column \"" + field.name() + "\" as "
                        + file.field(columns[column]).type() + ", table \"" + table + "\" as " + field.type());
    }

    /// Whoever has the column as something else, as a text, has the part in another form.
    private QueryException wrongPart(int column, FilePart part, String table) {
        String holder = part.lists() == null ? part.root() : part.lists().name();
        int whole = file == null ? -1 : file.columnIndex(holder);
        boolean isElsewhere = columns[column] == ABSENT
                && whole >= 0
                && !(file.storage(whole) instanceof Storage.AllNull)
                && (part.isMember() && file.storage(whole).memberNames().isEmpty()
                        || part.isOfMembers() && file.elementParts(whole).isEmpty());
        if (isElsewhere) {
            return new QueryException(
                    SqlState.DATATYPE_MISMATCH,
                    "file \"" + path + "\" has column \"" + holder + "\" as "
                            + file.storage(whole).describe() + ", other files of table \"" + table + "\" as "
                            + (part.isMember() ? "a struct" : "lists of structs"));
        }
        if (part.kind() == FilePart.Kind.MEMBERS && columns[column] >= 0) {
            Field own = file.field(columns[column]);
            Field field = schema.field(column);
            if (!NumberWidening.ofArrays(own, field)
                    .equals(PgType.Declared.of(field).type())) {
                return new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        "file \"" + path + "\" has the fields of column \"" + part.root() + "\" in another type: "
                                + PgType.Declared.of(own).text() + " is no "
                                + PgType.Declared.of(field).text());
            }
        }
        return wrongType(column, table);
    }

    /// Null where it cannot be read.
    ArrowFile file() {
        return file;
    }

    Path path() {
        return path;
    }

    FileStats stats() {
        return stats;
    }

    /// Why it cannot be read, or a column of it; null where all of it can.
    QueryException anyFault() {
        if (fault != null) {
            return fault;
        }
        for (QueryException each : columnFaults) {
            if (each != null) {
                return each;
            }
        }
        return null;
    }

    private static QueryException again(QueryException fault) {
        return new QueryException(fault.state(), fault.getMessage(), fault)
                .withDetail(fault.detail())
                .withHint(fault.hint());
    }

    private ArrowFile readable() {
        if (file == null) {
            throw again(fault);
        }
        return file;
    }

    int batchCount() {
        return file == null ? 1 : batches.size();
    }

    int batchRows(int batch) {
        LiveRows left = live(batch);
        return left != null
                ? left.rowCount()
                : file == null ? 1 : batches.get(batch).rowCount();
    }

    /// Writes where the rows of a batch lie in the file, one after the other.
    ///
    /// @param base to which each place is added
    void numberRows(int batch, long base, MemorySegment numbers) {
        long first = base;
        for (int before = 0; before < batch; before++) {
            first += batches.get(before).rowCount();
        }
        LiveRows left = live(batch);
        long at = 0;
        for (int row = 0; row < batches.get(batch).rowCount(); row++) {
            if (left == null || !left.isDeleted(row)) {
                numbers.set(LittleEndian.INT64, at, first + row);
                at += Long.BYTES;
            }
        }
    }

    long rowCount() {
        return rowCount;
    }

    long byteSize() {
        return file == null ? 0 : file.byteSize();
    }

    void checkIntact() {
        readable().checkIntact();
    }

    /// For one thread, batch by batch.
    boolean preload(int batch, BooleanSupplier goesOn) {
        if (file == null) {
            return false;
        }
        BatchPiece piece = batches.get(batch);
        if (piece.firstRow() == 0) {
            isPreloaded = file.preload(piece.batch(), goesOn);
        }
        return isPreloaded;
    }

    private Object constant(int batch, int column) {
        return constants[column] instanceof Object[] each
                ? each[batches.get(batch).batch()]
                : constants[column];
    }

    /// The file's batch of which a batch is all, or a piece.
    int fileBatch(int batch) {
        return batches.get(batch).batch();
    }

    /// Of how many rows [#statsOf] tells: of a batch in pieces its first tells of all, if all are there.
    long statsRows(int batch) {
        if (live != null || file == null || batches.get(batch).isWhole()) {
            return batchRows(batch);
        }
        BatchPiece piece = batches.get(batch);
        return piece.firstRow() == 0 ? file.batchRows(piece.batch()) : 0;
    }

    /// What is known of a column in [#statsRows] rows, for the statistics of the table.
    ColumnStats statsOf(int batch, int column) {
        return statsRows(batch) == batchRows(batch)
                ? batchStats(batch, column)
                : stats(batch, column, (int) statsRows(batch), null);
    }

    ColumnStats batchStats(int batch, int column) {
        return stats(batch, column, file == null ? 1 : batches.get(batch).rowCount(), live(batch));
    }

    /// @param storedRows of how many rows of the file's batch, from the first of this batch on
    /// @param left those of them that are left; null for all
    private ColumnStats stats(int batch, int column, int storedRows, LiveRows left) {
        int rows = left == null ? storedRows : left.rowCount();
        switch (columns[column]) {
            case CONSTANT -> {
                Object value = constant(batch, column);
                return value == null ? new ColumnStats(rows, null, null, 0) : new ColumnStats(0, value, value, 1);
            }
            case ABSENT -> {
                return new ColumnStats(rows, null, null, 0);
            }
            case FAULTY -> {
                return ColumnStats.UNKNOWN;
            }
            default -> {
                if (stats == null) {
                    return ColumnStats.UNKNOWN;
                }
                FileStats.BatchStats known =
                        stats.batches().get(batches.get(batch).batch());
                if (columns[column] >= known.columns().size()) {
                    return ColumnStats.UNKNOWN;
                }
                ColumnStats stored = known.columns().get(columns[column]);
                if (storedRows < known.rowCount()) {
                    stored = stored.ofSome(known.rowCount(), storedRows);
                }
                if (orders[column] != null) { // they are of other texts
                    stored = new ColumnStats(stored.nullCount(), null, null, stored.distinctCount());
                }
                return NumberWidening.widened(left == null ? stored : left.stats(stored), schema.type(column));
            }
        }
    }

    boolean isConstant(int column) {
        return columns[column] == CONSTANT;
    }

    /// Whether it has nothing of the column, which is NULL in all its rows.
    boolean isAbsent(int column) {
        return columns[column] == ABSENT;
    }

    /// Whether the column may be NULL in it.
    boolean isNullable(int column) {
        return switch (columns[column]) {
            case CONSTANT -> constants[column] instanceof Object[];
            case ABSENT -> true;
            case FAULTY -> schema.field(column).nullable();
            default -> file.field(columns[column]).nullable();
        };
    }

    /// Whether [#column] copies values that stand in the file: it takes time and memory then.
    ///
    /// @param isCoded whether the table has a dictionary for the column
    boolean isCopied(int batch, int column, boolean isCoded) {
        int index = columns[column];
        return index >= 0
                && (live(batch) != null
                        || file.isCopied(batches.get(batch), index)
                        || file.storage(index) instanceof Storage.Coded && !isCoded
                        || NumberWidening.bytes(file.field(index).type(), schema.type(column), 1) > 0);
    }

    /// Whether the column is in the file, or is of one value there.
    boolean has(int column) {
        return columns[column] >= 0 || columns[column] == CONSTANT;
    }

    /// Its dictionary of a column that it has; null where its values are not in one.
    Dictionary dictionary(int column, Allocator memory) {
        if (columns[column] == CONSTANT) {
            if (constants[column] instanceof Object[]) {
                return null;
            }
            Column value = ConstantColumn.of(schema.type(column), constants[column], 1, memory);
            return new Dictionary((Utf8Column) value);
        }
        return file.storage(columns[column]) instanceof Storage.Coded coded
                ? file.dictionary(coded.dictionaryId())
                : null;
    }

    /// Whether the texts of a column stand in it one by one.
    boolean isPlainText(int column) {
        return columns[column] >= 0 && !(file.storage(columns[column]) instanceof Storage.Coded);
    }

    /// The texts of such a column as codes; null where they are made of lists or structs.
    ///
    /// - Memory: in `memory`, also after the file is closed.
    CodedText codedText(int column, Allocator memory) {
        OwnedMemory read = new OwnedMemory();
        try {
            List<Utf8Column> texts = new ArrayList<>();
            for (int batch = 0; batch < batchCount(); batch++) {
                if (!(column(batch, column, null, null, read) instanceof Utf8Column text)) {
                    return null;
                }
                texts.add(text);
            }
            return CodedText.of(schema.type(column), texts, memory);
        } finally {
            read.close();
        }
    }

    long textBytes(int batch, int column) {
        return columns[column] < 0 ? 0 : file.textBytes(batches.get(batch), columns[column]);
    }

    /// @param isCoded whether the table has a dictionary for the column
    long readBytes(int batch, int column, boolean isCoded) {
        long rows = batchRows(batch);
        int index = columns[column];
        if (index < 0) {
            Object value = index == CONSTANT ? constant(batch, column) : null;
            return rows * Math.max(4, schema.type(column).byteWidth())
                    + rows
                    + (value instanceof String text && !isCoded ? rows * text.length() * 3L : 0);
        }
        long bytes = file.decodedBytes(batches.get(batch), index)
                + NumberWidening.bytes(file.field(index).type(), schema.type(column), rows);
        LiveRows left = live(batch);
        if (left != null) {
            int width = schema.type(column).byteWidth();
            long values = width >= 0 || isCoded
                    ? rows * Math.max(4, width)
                    : Math.max(file.textBytes(batches.get(batch), index), file.decodedBytes(batches.get(batch), index));
            bytes += left.bytes(values);
        }
        return file.storage(index) instanceof Storage.Coded coded && !isCoded
                ? bytes + PlainText.mostBytes(file.dictionary(coded.dictionaryId()), rows)
                : bytes;
    }

    /// What lists hold; null where the file has no such lists that can be read element by element.
    Field elementField(ListTable.Lists lists) {
        List<FilePart> around = columns[lists.column()] < 0 ? null : own(lists);
        if (around == null) {
            return null;
        }
        Storage storage = around.isEmpty()
                ? file.storage(columns[lists.column()])
                : around.getLast().storage();
        Storage element = storage.elements();
        return element != null
                        && (element.isFlat() || !elementParts(lists, around).isEmpty())
                ? new Field("", element.type(), true)
                : null;
    }

    /// Whether it has no such column: every row's value is NULL.
    boolean lacks(int column) {
        return columns[column] == ABSENT;
    }

    /// Whether it has no such lists: there are none, or all are NULL.
    boolean lacks(ListTable.Lists lists) {
        return own(lists) == null;
    }

    /// Whether texts of a column's structs have a [MemberOrder].
    boolean isOrdered(int column) {
        return columns[column] >= 0 && MemberOrder.of(file.storage(columns[column])) != null;
    }

    /// The members of the structs in lists that the file does not lack.
    List<FilePart> elementParts(ListTable.Lists lists) {
        return elementParts(lists, own(lists));
    }

    /// @param around of [#own]
    private List<FilePart> elementParts(ListTable.Lists lists, List<FilePart> around) {
        return around.isEmpty()
                ? file.elementParts(columns[lists.column()])
                : around.getLast().elementParts();
    }

    /// The members that lead to lists as this file has them; null where it lacks the column or one of them.
    private List<FilePart> own(ListTable.Lists lists) {
        if (lacks(lists.column())) {
            return null;
        }
        List<FilePart> own = new ArrayList<>();
        for (FilePart member : lists.members()) {
            FilePart found = named(elementParts(lists, own), member.field().name());
            if (found == null) {
                return null;
            }
            own.add(found);
        }
        return own;
    }

    private static FilePart named(List<FilePart> parts, String name) {
        return parts.stream()
                .filter(part -> part.field().name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /// As of [ListTable#elements].
    ListRows elements(int batch, ListTable.Lists lists, FilePart member, Allocator memory) {
        List<FilePart> around = own(lists);
        FilePart own = member == null || around == null
                ? null
                : named(elementParts(lists, around), member.field().name());
        if (around == null || member != null && own == null) {
            return lists(batch, lists, memory);
        }
        MemberOrder order = orders[lists.column()];
        for (FilePart each : lists.members()) {
            order = ordered(order, each);
        }
        order = member == null ? order : ordered(order, member);
        ListRows read = readable().elements(batches.get(batch), columns[lists.column()], around, own, order, memory);
        return left(batch, lists, read, memory);
    }

    private static MemberOrder ordered(MemberOrder order, FilePart member) {
        MemberOrder inner = order;
        for (String field : member.path().fields()) {
            inner = inner == null ? null : inner.of(field);
        }
        return inner;
    }

    /// As of [ListTable#lists].
    ListRows lists(int batch, ListTable.Lists lists, Allocator memory) {
        List<FilePart> members = own(lists);
        if (members != null) {
            ListRows read = readable().lists(batches.get(batch), columns[lists.column()], members, memory);
            return left(batch, lists, read, memory);
        }
        int rowCount = batchRows(batch);
        if (!lists.members().isEmpty()) {
            ListTable.Lists around = new ListTable.Lists(
                    lists.column(), lists.members().subList(0, lists.members().size() - 1));
            ListRows outer = lists(batch, around, memory);
            rowCount = 0;
            for (int row = 0; row < outer.rowCount(); row++) {
                rowCount = outer.length(row) > 0 ? Math.max(rowCount, outer.end(row)) : rowCount;
            }
        }
        Validity none = Validity.of(memory.allocate((rowCount + 7L) / 8), rowCount, rowCount);
        return new ListRows(new int[rowCount + 1], none, null);
    }

    /// Without the lists of deleted rows. What lies in elements stays, where the lists around tell of it.
    private ListRows left(int batch, ListTable.Lists lists, ListRows read, Allocator memory) {
        LiveRows left = live(batch);
        return left == null || !lists.members().isEmpty() ? read : left.of(read, memory);
    }

    long elementBytes(int batch, int column) {
        if (lacks(column)) {
            return 0;
        }
        LiveRows left = live(batch);
        return file.decodedBytes(batches.get(batch), columns[column]) + (left == null ? 0 : left.rowCount() * 9L);
    }

    /// @param whole the table's dictionary for the column, or null
    /// @param own the file's part of it; null where the file lacks the column
    Column column(int batch, int column, Dictionary whole, Dictionary own, Allocator memory) {
        DataType type = schema.type(column);
        int rowCount = batchRows(batch);
        switch (columns[column]) {
            case FAULTY -> throw again(file == null ? fault : columnFaults[column]);
            case CONSTANT -> {
                Object value = constant(batch, column);
                if (value == null) {
                    return NullColumn.of(type, rowCount, memory);
                }
                return whole == null
                        ? ConstantColumn.of(type, value, rowCount, memory)
                        : new DictionaryColumn(
                                rowCount,
                                memory.allocate(rowCount), // zeroed: of one entry
                                1,
                                own,
                                Validity.allPresent());
            }
            case ABSENT -> {
                return whole == null
                        ? NullColumn.of(type, rowCount, memory)
                        : NullColumn.coded(whole, rowCount, memory);
            }
            default -> {
                LiveRows left = live(batch);
                Column stored = file.column(batches.get(batch), columns[column], orders[column], memory);
                Column read = left == null ? stored : left.of(stored, memory);
                if (!(read instanceof DictionaryColumn coded)) {
                    return NumberWidening.widened(read, type, memory);
                }
                return whole == null
                        ? PlainText.of(coded, memory)
                        : new DictionaryColumn(
                                coded.rowCount(), coded.codes(), coded.codeBytes(), own, coded.validity());
            }
        }
    }
}
