package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.CodedText;
import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.arrow.FooterStats;
import dev.quarrel.core.arrow.MemberOrder;
import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.dataset.rows.NumberWidening;
import dev.quarrel.core.arrow.lists.ListRows;
import dev.quarrel.core.arrow.stats.StatsMerge;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.ColumnStats;
import dev.quarrel.core.table.ElementFields;
import dev.quarrel.core.table.ForeignTable;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.TableStats;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.core.type.ValueOrder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/// A table over the record batches of one or several Arrow files, matched by column name.
///
/// A file that lacks a column has NULL for it, or the value that its path or its metadata give it ([TableFile]). A
/// column that is dictionary-encoded in every file that has it is a [DictionaryColumn] in every batch, in one
/// code space. So is one that is plain text in files of few rows, as single INSERTs make them; where more rows are
/// plain, it is plain text in every batch.
///
/// - Memory: the files are borrowed; `close` frees only merged dictionaries.
public final class ArrowTable implements ListTable, AutoCloseable {
    /// So many rows of plain text are made codes when somebody reads the column: some milliseconds.
    private static final long MOST_CODED_ROWS = 1 << 16;

    private static final long MOST_CODED_BYTES = 4 << 20;

    private final String schemaName;
    private final String name;
    private final Schema schema;
    private final int hiddenColumns;
    private final FilePart[] parts;
    private final ForeignTable foreign;
    private final List<UniqueKey> uniqueKeys;
    private final List<ColumnDefault> defaults;
    private final List<TableFile> files;

    /// For each batch of the table its file, and its index there.
    private final int[] batchFiles;

    private final int[] batchIndexes;
    private final TableStats stats;
    private final List<Integer> sortedBy;

    private final OwnedMemory dictionaryMemory = new OwnedMemory(); // guarded by dictionaries
    private final CodedColumn[] dictionaries; // guarded by itself, as is dictionariesMade
    private final boolean[] dictionariesMade;
    private final ElementTable.Made elementTables = new ElementTable.Made(this);
    private volatile Runnable firstRead; // null when there was one

    /// @param places for each file which of `codes` is its own; -1 for one that lacks the column
    /// @param texts for each file its texts, where these are plain; null for others
    private record CodedColumn(TableDictionary codes, int[] places, CodedText[] texts) {
        Dictionary own(int file) {
            return places[file] < 0 ? null : codes.files().get(places[file]);
        }
    }

    private ArrowTable(TableShape shape, List<TableFile> files, Schema schema) {
        this.schemaName = shape.schemaName();
        this.name = shape.name();
        this.schema = schema;
        this.hiddenColumns = shape.hiddenColumns();
        this.parts = shape.parts();
        this.foreign = shape.foreign();
        this.uniqueKeys = List.copyOf(shape.uniqueKeys());
        this.defaults = List.copyOf(shape.defaults());
        this.files = List.copyOf(files);
        int batchCount = 0;
        for (TableFile file : files) {
            batchCount = Math.addExact(batchCount, file.batchCount());
        }
        this.batchFiles = new int[batchCount];
        this.batchIndexes = new int[batchCount];
        int batch = 0;
        for (int file = 0; file < files.size(); file++) {
            for (int index = 0; index < files.get(file).batchCount(); index++, batch++) {
                batchFiles[batch] = file;
                batchIndexes[batch] = index;
            }
        }
        this.stats = mergedStats();
        this.sortedBy = mergedOrder();
        this.dictionaries = new CodedColumn[schema.size()];
        this.dictionariesMade = new boolean[schema.size()];
    }

    @Override
    public long storedBytes() {
        return files.stream().mapToLong(TableFile::byteSize).sum();
    }

    /// A table whose columns are those of all files, in order of first appearance.
    ///
    /// - Errors: `QueryException` 42804 naming the file when a column has another type than in an earlier file.
    public static ArrowTable of(String schemaName, String name, List<ArrowFile> files) {
        List<TableFile.Part> parts = new ArrayList<>();
        for (ArrowFile file : files) {
            parts.add(TableFile.Part.of(file, FooterStats.of(file)));
        }
        List<Field> fields = fields(parts);
        return of(
                new TableShape(
                        schemaName,
                        name,
                        fields,
                        new NamedTable.Virtual[fields.size()],
                        0,
                        List.of(),
                        List.of(),
                        null,
                        true,
                        false),
                parts);
    }

    /// A table as a dataset lists it.
    ///
    /// @param parts one a file listed
    static ArrowTable of(DatasetListing.TableFiles listed, List<TableFile.Part> parts) {
        return of(listed.named() == null ? shape(listed, parts) : shape(listed, listed.named(), parts), parts);
    }

    private static TableShape shape(DatasetListing.TableFiles listed, List<TableFile.Part> parts) {
        List<Field> fields = listed.fields();
        if (fields == null) {
            fields = withKeys(
                    fields(parts),
                    PartitionFolder.fields(listed.files().stream()
                            .map(DatasetListing.ListedFile::keys)
                            .toList()));
        }
        return new TableShape(
                listed.schemaName(),
                listed.name(),
                fields,
                new NamedTable.Virtual[fields.size()],
                0,
                listed.uniqueKeys(),
                listed.defaults(),
                null,
                listed.fields() != null,
                listed.fields() != null);
    }

    private static TableShape shape(DatasetListing.TableFiles listed, NamedTable named, List<TableFile.Part> parts) {
        List<NamedTable.Column> columns = new ArrayList<>(named.columns());
        if (!named.isDeclared()) {
            List<Field> keys = listed.keyFields();
            withKeys(fields(parts), keys).forEach(field -> columns.add(new NamedTable.Column(field)));
        }
        columns.add(NamedTable.Column.virtual(new Field(FileSource.PATH, DataType.UTF8, false), FileSource.PATH));
        columns.add(NamedTable.Column.virtual(new Field(FileSource.NAME, DataType.UTF8, false), FileSource.NAME));
        NamedTable.Virtual[] virtuals =
                columns.stream().map(NamedTable.Column::virtual).toArray(NamedTable.Virtual[]::new);
        List<Field> fields = columns.stream()
                .map(column -> column.virtual() == null && NamedTable.isOpenNumeric(column.field())
                        ? numeric(column.field(), parts)
                        : column.field())
                .toList();
        return new TableShape(
                named.schemaName(),
                named.name(),
                fields,
                virtuals,
                2,
                List.of(),
                List.of(),
                named.foreign(),
                false,
                false);
    }

    /// Says of each row of a batch in which file it lies, and where there, as [FoundRows] has it.
    void numberRows(int batch, MemorySegment numbers) {
        long file = (long) batchFiles[batch] << FoundRows.PLACE_BITS;
        files.get(batchFiles[batch]).numberRows(batchIndexes[batch], file, numbers);
    }

    /// Its columns as somebody might declare them: those of keys are virtual.
    List<NamedTable.Column> declaredColumns(DatasetListing.TableFiles listed) {
        Set<String> keys = listed.keyFields().stream().map(Field::name).collect(Collectors.toSet());
        List<NamedTable.Column> columns = new ArrayList<>();
        for (Field field : schema.fields().subList(0, schema.size() - hiddenColumns)) {
            boolean isKey = keys.contains(field.name()) && files.getFirst().isConstant(schema.indexOf(field.name()));
            columns.add(
                    isKey
                            ? NamedTable.Column.virtual(field.withNullable(true), field.name())
                            : new NamedTable.Column(field.withNullable(true)));
        }
        return columns;
    }

    /// `numeric` without digits is what the files have.
    private static Field numeric(Field declared, List<TableFile.Part> parts) {
        DataType type = null;
        for (TableFile.Part part : parts) {
            int index = part.file() == null ? -1 : part.file().columnIndex(declared.name());
            DataType own = index < 0 ? null : part.file().schema().type(index);
            if (own instanceof DataType.Decimal) {
                type = type == null
                        ? own
                        : NumberWidening.common(type, own) == null ? type : NumberWidening.common(type, own);
            }
        }
        return type == null ? declared : new Field(declared.name(), type, declared.nullable());
    }

    private static List<Field> withKeys(List<Field> fields, List<Field> keys) {
        Set<String> known = fields.stream().map(Field::name).collect(Collectors.toCollection(HashSet::new));
        for (Field key : keys) {
            if (known.add(key.name())) {
                fields.add(key);
            }
        }
        return fields;
    }

    /// The columns of all files, in order of first appearance.
    private static List<Field> fields(List<TableFile.Part> parts) {
        TypedFields fields = new TypedFields();
        for (TableFile.Part part : parts) {
            for (Field field : part.file() == null
                    ? List.<Field>of()
                    : part.file().schema().fields()) {
                fields.add(field, part.file());
            }
        }
        return new ArrayList<>(fields.byName().values());
    }

    static Field wider(Field known, Field more) {
        PgType array = NumberWidening.ofArrays(known, more);
        if (array.isArray() && !PgType.Declared.of(known).equals(PgType.Declared.of(more))) {
            return new Field(known.name(), known.type(), known.nullable(), array.formatName())
                    .withCollation(known.collation());
        }
        DataType common = NumberWidening.common(known.type(), more.type());
        return common == null || common.equals(known.type())
                ? known
                : new Field(known.name(), common, known.nullable());
    }

    static ArrowTable of(TableShape shownColumns, List<TableFile.Part> parts) {
        TableShape shape = shownColumns.withParts(parts);
        Schema declared = new Schema(shape.fields());
        MemberOrder[] orders = memberOrders(declared, parts);
        List<TableFile> files = parts.stream()
                .map(part -> new TableFile(
                        part, shape.name(), declared, shape.virtuals(), shape.parts(), orders, shape.isStrict()))
                .toList();
        List<Field> merged = new ArrayList<>();
        for (int index = 0; index < declared.size(); index++) {
            Field field = declared.field(index);
            // A file without the column has NULL for it, whatever the others promise.
            boolean nullable = field.nullable();
            boolean isHeld = shape.isHeld() && !nullable;
            OtherType other = field.other();
            for (int file = 0; file < files.size(); file++) {
                TableFile each = files.get(file);
                nullable |= isHeld ? each.isAbsent(index) && each.rowCount() > 0 : each.isNullable(index);
                ArrowFile opened = parts.get(file).file();
                int column = opened == null || shape.foreign() != null ? -1 : opened.columnIndex(field.name());
                boolean isText = column >= 0 && opened.field(column).type() instanceof DataType.Utf8;
                if (isText && TypedFields.hasType(opened, field.name())) {
                    other = merged(other, opened.field(column).other(), opened, field.name());
                }
            }
            OtherType typed = other == null ? null : other.withFields(RowFields.of(field, parts));
            Field whole = typed == null ? field.withNullable(nullable) : new Field(field.name(), nullable, typed);
            merged.add(whole.withCollation(field.collation()));
        }
        return new ArrowTable(shape, files, new Schema(merged));
    }

    /// For each column the members of its structs in all files, in order of first appearance.
    private static MemberOrder[] memberOrders(Schema schema, List<TableFile.Part> parts) {
        MemberOrder[] orders = new MemberOrder[schema.size()];
        for (int column = 0; column < orders.length; column++) {
            for (TableFile.Part part :
                    schema.type(column) instanceof DataType.Utf8 ? parts : List.<TableFile.Part>of()) {
                int index = part.file() == null
                        ? -1
                        : part.file().columnIndex(schema.field(column).name());
                if (index >= 0
                        && TypedFields.hasType(part.file(), schema.field(column).name())) {
                    orders[column] = MemberOrder.merged(
                            orders[column], MemberOrder.of(part.file().storage(index)));
                }
            }
        }
        return orders;
    }

    /// An enum may have got labels from one run to the next; where their orders differ, they have none.
    ///
    /// - Errors: `QueryException` 42804 naming the file where it has another type.
    private static OtherType merged(OtherType one, OtherType two, ArrowFile file, String column) {
        if (one == null && two == null) {
            return null;
        }
        if (one == null || two == null || !one.name().equals(two.name())) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH,
                    "file \"" + file.path() + "\" has column \"" + column + "\" of type "
                            + (two == null ? "text" : two.name()) + ", others of type "
                            + (one == null ? "text" : one.name()));
        }
        OtherType longer = two.labels().size() >= one.labels().size() ? two : one;
        List<String> shared = new ArrayList<>(longer.labels());
        List<String> shorter = longer == two ? one.labels() : two.labels();
        shared.retainAll(shorter);
        return new OtherType(
                longer.oid(),
                longer.name(),
                shared.equals(shorter) ? longer.labels() : List.of(),
                one.isStyled() || two.isStyled(),
                one.isRow() || two.isRow());
    }

    private TableStats mergedStats() {
        long rowCount = 0;
        for (TableFile file : files) {
            rowCount += file.rowCount();
        }
        long[] rowCounts = new long[batchFiles.length];
        for (int batch = 0; batch < rowCounts.length; batch++) {
            rowCounts[batch] = files.get(batchFiles[batch]).statsRows(batchIndexes[batch]);
        }
        List<ColumnStats> columns = new ArrayList<>();
        for (int column = 0; column < schema.size(); column++) {
            List<ColumnStats> parts = new ArrayList<>();
            for (int batch = 0; batch < rowCounts.length; batch++) {
                parts.add(files.get(batchFiles[batch]).statsOf(batchIndexes[batch], column));
            }
            columns.add(StatsMerge.merge(parts, rowCounts));
        }
        return new TableStats(rowCount, columns);
    }

    /// One file ascends by what it says. Several do if each does by the same first column and their ranges follow one
    /// another; bounds that touch are left out, since a text bound may have been rounded.
    private List<Integer> mergedOrder() {
        if (files.isEmpty() || files.stream().anyMatch(file -> file.stats() == null)) {
            return List.of();
        }
        List<Integer> order = new ArrayList<>(indexes(files.getFirst().stats().sortedBy()));
        for (TableFile file : files.size() == 1 ? List.<TableFile>of() : files) {
            order.retainAll(indexes(file.stats().sortedBy()));
        }
        if (files.size() > 1) {
            order.removeIf(column -> !ascendsFromFileToFile(column));
        }
        return List.copyOf(order);
    }

    /// Whether the values of each file are not less than those of the one before, as far as statistics tell.
    private boolean ascendsFromFileToFile(int column) {
        Object previousMax = null;
        for (int batch = 0; batch < batchFiles.length; batch++) {
            if (batchRows(batch) == 0) {
                continue;
            }
            ColumnStats batchStats = batchStats(batch, column);
            if (batchStats.nullCount() != 0
                    || batchStats.min() == null
                    || batchStats.max() == null
                    || (previousMax != null
                            && batch > 0
                            && batchFiles[batch] != batchFiles[batch - 1]
                            && ValueOrder.compare(previousMax, batchStats.min()) > 0)) {
                return false;
            }
            previousMax = batchStats.max();
        }
        return true;
    }

    private List<Integer> indexes(List<String> names) {
        List<Integer> indexes = new ArrayList<>();
        for (String column : names) {
            int index = schema.indexOf(column);
            if (index >= 0) {
                indexes.add(index);
            }
        }
        return indexes;
    }

    @Override
    public String schemaName() {
        return schemaName;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Schema schema() {
        return schema;
    }

    @Override
    public TableStats stats() {
        return stats;
    }

    @Override
    public List<Integer> sortedBy() {
        return sortedBy;
    }

    @Override
    public List<UniqueKey> uniqueKeys() {
        return uniqueKeys;
    }

    @Override
    public List<ColumnDefault> defaults() {
        return defaults;
    }

    @Override
    public int hiddenColumns() {
        return hiddenColumns;
    }

    @Override
    public ForeignTable foreign() {
        return foreign;
    }

    /// The first thing that is wrong with a file of it, or null.
    QueryException anyFault() {
        return files.stream()
                .map(TableFile::anyFault)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    @Override
    public int fileCount() {
        return files.size();
    }

    @Override
    public int fileOf(int batch) {
        return batchFiles[batch];
    }

    @Override
    public long fileBytes(int file) {
        return files.get(file).byteSize();
    }

    @Override
    public String fileName(int file) {
        return files.get(file).path().toString();
    }

    @Override
    public int batchCount() {
        return batchFiles.length;
    }

    @Override
    public int batchRows(int batch) {
        return files.get(batchFiles[batch]).batchRows(batchIndexes[batch]);
    }

    @Override
    public ColumnStats batchStats(int batch, int column) {
        return files.get(batchFiles[batch]).batchStats(batchIndexes[batch], column);
    }

    @Override
    public Dictionary dictionary(int column) {
        CodedColumn dictionary = codedColumn(column);
        return dictionary == null ? null : dictionary.codes().table();
    }

    private CodedColumn codedColumn(int column) {
        if (schema.type(column).byteWidth() >= 0) {
            return null;
        }
        synchronized (dictionaries) {
            if (!dictionariesMade[column]) {
                try {
                    dictionaries[column] = mergedDictionary(column);
                } catch (InternalError e) {
                    QueryException fault = faultOf(e); // entries in mapped files were compared
                    if (fault == null) {
                        throw e;
                    }
                    throw fault;
                }
                dictionariesMade[column] = true;
            }
            return dictionaries[column];
        }
    }

    private CodedColumn mergedDictionary(int column) {
        if (!isMostlyCoded(column)) {
            return null;
        }
        List<Dictionary> fileDictionaries = new ArrayList<>();
        CodedText[] texts = new CodedText[files.size()];
        int[] places = new int[files.size()];
        for (int file = 0; file < files.size(); file++) {
            places[file] = -1;
            if (files.get(file).has(column)) {
                Dictionary own;
                if (files.get(file).isPlainText(column)) {
                    texts[file] = files.get(file).codedText(column, dictionaryMemory);
                    own = texts[file] == null ? null : texts[file].dictionary();
                } else {
                    own = files.get(file).dictionary(column, dictionaryMemory);
                }
                if (own == null) {
                    return null;
                }
                places[file] = fileDictionaries.size();
                fileDictionaries.add(own);
            }
        }
        TableDictionary merged =
                fileDictionaries.isEmpty() ? null : TableDictionary.of(fileDictionaries, dictionaryMemory);
        return merged == null ? null : new CodedColumn(merged, places, texts);
    }

    /// Whether so few rows of a column of text are not in dictionaries that these may be put into one.
    private boolean isMostlyCoded(int column) {
        boolean isAnyCoded = false;
        long codedRows = 0;
        long plainRows = 0;
        long plainBytes = 0;
        for (TableFile file : having(column)) {
            if (!file.isPlainText(column)) {
                isAnyCoded = true;
                codedRows += file.rowCount();
                continue;
            }
            plainRows += file.rowCount();
            for (int batch = 0; batch < file.batchCount(); batch++) {
                plainBytes += file.textBytes(batch, column);
            }
        }
        return isAnyCoded && plainRows <= Math.min(MOST_CODED_ROWS, codedRows) && plainBytes <= MOST_CODED_BYTES;
    }

    @Override
    public long textBytes(int column) {
        long bytes = 0;
        for (int batch = 0; batch < batchFiles.length; batch++) {
            bytes += files.get(batchFiles[batch]).textBytes(batchIndexes[batch], column);
        }
        return bytes;
    }

    @Override
    public long readBytes(int batch, int[] columns) {
        TableFile file = files.get(batchFiles[batch]);
        long bytes = 0;
        for (int column : columns) {
            CodedColumn coded = codedColumn(column);
            if (coded == null || coded.texts()[batchFiles[batch]] == null) {
                bytes += file.readBytes(batchIndexes[batch], column, coded != null);
            }
        }
        return bytes;
    }

    /// Has `action` called once, by the next thread that reads a batch; it must be quick and not throw.
    void onFirstRead(Runnable action) {
        firstRead = action;
    }

    private void noteRead() {
        if (firstRead != null) {
            Runnable action;
            synchronized (this) {
                action = firstRead;
                firstRead = null;
            }
            if (action != null) {
                action.run();
            }
        }
    }

    @Override
    public Batch read(int batch, int[] columns) {
        noteRead();
        files.get(batchFiles[batch]).checkIntact();
        List<Field> fields = new ArrayList<>(columns.length);
        List<Column> views = new ArrayList<>(columns.length);
        OwnedMemory memory = new OwnedMemory();
        try {
            for (int column : columns) {
                fields.add(schema.field(column));
                views.add(isCopied(batch, column) ? null : column(batch, column, memory));
            }
            OwnedMemory copies = memory;
            Batch result = Batch.lazy(
                    new Schema(fields),
                    views,
                    place -> column(batch, columns[place], copies),
                    batchRows(batch),
                    copies::close);
            memory = null;
            return result;
        } finally {
            if (memory != null) {
                memory.close();
            }
        }
    }

    @Override
    public void preload(BooleanSupplier goesOn) {
        for (int batch = 0; batch < batchFiles.length && goesOn.getAsBoolean(); batch++) {
            try {
                if (files.get(batchFiles[batch]).preload(batchIndexes[batch], goesOn)) {
                    checkColumns(batch, goesOn);
                }
            } catch (QueryException | InternalError _) {
                // Whoever reads the batch is told.
            }
        }
    }

    /// Reads the columns that lie in the file as they are: their offsets and codes are checked then, once and for all.
    private void checkColumns(int batch, BooleanSupplier goesOn) {
        for (int column = 0; column < schema.size() && goesOn.getAsBoolean(); column++) {
            if (readBytes(batch, new int[] {column}) == 0) {
                OwnedMemory memory = new OwnedMemory();
                try {
                    column(batch, column, memory);
                } finally {
                    memory.close();
                }
            }
        }
    }

    private boolean isCopied(int batch, int column) {
        int file = batchFiles[batch];
        CodedColumn coded = codedColumn(column);
        boolean isMade = coded != null && coded.texts()[file] != null;
        return !isMade && files.get(file).isCopied(batchIndexes[batch], column, coded != null);
    }

    private Column column(int batch, int column, Allocator memory) {
        int file = batchFiles[batch];
        CodedColumn coded = codedColumn(column);
        if (coded != null && coded.texts()[file] != null) {
            return coded.texts()[file].column(batchIndexes[batch], coded.own(file));
        }
        return files.get(file)
                .column(
                        batchIndexes[batch],
                        column,
                        coded == null ? null : coded.codes().table(),
                        coded == null ? null : coded.own(file),
                        memory);
    }

    @Override
    public Table elements(String column, boolean isOuter) {
        return elementTables.get(schema.indexOf(column), isOuter);
    }

    @Override
    public ElementFields elementFields(String column) {
        ElementTable elements = elementTables.get(schema.indexOf(column), false);
        return elements == null ? null : elements.ownFields();
    }

    @Override
    public Field elementField(Lists lists) {
        int column = lists.column();
        boolean isOfFiles = parts[column] == null ? column < schema.size() - hiddenColumns : parts[column].isMember();
        if (!isOfFiles) {
            return null;
        }
        Field common = null;
        for (TableFile file : having(lists)) {
            Field own = file.elementField(lists);
            if (own == null || common != null && !common.type().equals(own.type())) {
                return null;
            }
            common = own;
        }
        return common;
    }

    @Override
    public List<FilePart> elementParts(Lists lists) {
        List<TableFile> having = having(lists);
        Map<String, FilePart> members = new LinkedHashMap<>();
        for (TableFile file : having) {
            for (FilePart part : file.elementParts(lists)) {
                members.merge(part.field().name(), part, (known, more) -> {
                    FilePart both = known.as(wider(known.field(), more.field()));
                    return known.hasElementsOf(more) ? both : both.withoutElements();
                });
            }
        }
        // A map's pair has no names of its own: texts of it are read by its places.
        boolean areNamed = having.stream()
                .allMatch(file -> file.isOrdered(lists.column())
                        || file.elementParts(lists).stream()
                                .map(part -> part.field().name())
                                .toList()
                                .equals(List.copyOf(members.keySet())));
        boolean fit = areNamed
                && having.stream()
                        .flatMap(file -> file.elementParts(lists).stream())
                        .allMatch(own -> fits(
                                own.field(), members.get(own.field().name()).field()));
        return fit ? List.copyOf(members.values()) : null;
    }

    private List<TableFile> having(int column) {
        return files.stream().filter(file -> !file.lacks(column)).toList();
    }

    private List<TableFile> having(Lists lists) {
        return files.stream().filter(file -> !file.lacks(lists)).toList();
    }

    /// Whether values of one field are values of the other, of as many or more digits.
    private static boolean fits(Field own, Field whole) {
        boolean isText = own.type() instanceof DataType.Utf8;
        return NumberWidening.isTo(own.type(), whole.type())
                && (!isText
                        || NumberWidening.ofArrays(own, whole)
                                .equals(PgType.Declared.of(whole).type()))
                && Objects.equals(own.other(), whole.other())
                && Objects.equals(own.collation(), whole.collation());
    }

    @Override
    public ListRows lists(int batch, Lists lists, Allocator memory) {
        noteRead();
        return files.get(batchFiles[batch]).lists(batchIndexes[batch], lists, memory);
    }

    @Override
    public ListRows elements(int batch, Lists lists, FilePart member, Allocator memory) {
        noteRead();
        return files.get(batchFiles[batch]).elements(batchIndexes[batch], lists, member, memory);
    }

    @Override
    public long elementBytes(int batch, Lists lists) {
        return files.get(batchFiles[batch]).elementBytes(batchIndexes[batch], lists.column());
    }

    @Override
    public void checkIntact(int batch) {
        files.get(batchFiles[batch]).checkIntact();
    }

    @Override
    public QueryException faultOf(InternalError error) {
        for (TableFile file : files) {
            QueryException fault = file.file() == null ? null : file.file().faultOf(error);
            if (fault != null) {
                return fault;
            }
        }
        return null;
    }

    /// Frees merged dictionaries; the files stay open.
    @Override
    public void close() {
        dictionaryMemory.close();
    }

    @Override
    public String toString() {
        return schemaName + "." + name + schema;
    }
}
