package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.FooterStats;
import dev.quarrel.core.arrow.NullColumn;
import dev.quarrel.core.arrow.OwnedMemory;
import dev.quarrel.core.arrow.PlainText;
import dev.quarrel.core.arrow.Storage;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.arrow.stats.StatsMerge;
import dev.quarrel.core.arrow.stats.StatsText;
import dev.quarrel.core.column.Allocator;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.column.Column;
import dev.quarrel.core.column.Dictionary;
import dev.quarrel.core.column.DictionaryColumn;
import dev.quarrel.core.column.Utf8Column;
import dev.quarrel.core.column.Validity;
import dev.quarrel.core.table.ColumnStats;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/// A table over the record batches of one or several Arrow files, matched by column name.
///
/// A file that lacks a column has NULL for it, or the value that its folder's name gives it (`key=value`). A
/// column that is dictionary-encoded in every file that has it is a [DictionaryColumn] in every batch, in one
/// code space; one that is so only in some is plain text in every batch.
///
/// - Memory: the files are borrowed; `close` frees only merged dictionaries.
public final class ArrowTable implements Table, AutoCloseable {
    private static final int CONSTANT = -2;

    private final String schemaName;
    private final String name;
    private final Schema schema;
    private final List<UniqueKey> uniqueKeys;
    private final List<ArrowFile> files;
    private final List<FileStats> fileStats;

    /// For each file and column of the table its index in the file, -1, or [#CONSTANT].
    private final int[][] fileColumns;

    /// For each file and column of the table the value of its folder's key, where it is one.
    private final Object[][] constants;

    /// For each batch of the table its file, and its index there.
    private final int[] batchFiles;

    private final int[] batchIndexes;
    private final TableStats stats;
    private final List<Integer> sortedBy;

    private final OwnedMemory dictionaryMemory = new OwnedMemory(); // guarded by dictionaries
    private final TableDictionary[] dictionaries; // guarded by itself, as is dictionariesMade
    private final boolean[] dictionariesMade;
    private volatile Runnable firstRead; // null when there was one

    private ArrowTable(
            String schemaName,
            String name,
            Schema schema,
            List<UniqueKey> uniqueKeys,
            List<ArrowFile> files,
            List<Map<String, String>> keys,
            List<FileStats> fileStats) {
        this.schemaName = schemaName;
        this.name = name;
        this.schema = schema;
        this.uniqueKeys = List.copyOf(uniqueKeys);
        this.files = List.copyOf(files);
        this.fileStats = Collections.unmodifiableList(new ArrayList<>(fileStats));
        this.fileColumns = new int[files.size()][];
        this.constants = new Object[files.size()][schema.size()];
        int batchCount = 0;
        for (int file = 0; file < files.size(); file++) {
            fileColumns[file] = columnsOf(files.get(file), keys.get(file), constants[file]);
            batchCount = Math.addExact(batchCount, files.get(file).batchCount());
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
        this.dictionaries = new TableDictionary[schema.size()];
        this.dictionariesMade = new boolean[schema.size()];
    }

    @Override
    public long storedBytes() {
        return files.stream().mapToLong(ArrowFile::byteSize).sum();
    }

    /// A table whose columns are those of all files, in order of first appearance.
    ///
    /// - Errors: `QueryException` 42804 naming the file when a column has another type than in an earlier file.
    public static ArrowTable of(String schemaName, String name, List<ArrowFile> files) {
        List<FileStats> stats = new ArrayList<>();
        for (ArrowFile file : files) {
            stats.add(FooterStats.of(file));
        }
        return of(
                schemaName, name, fields(files), List.of(), files, Collections.nCopies(files.size(), Map.of()), stats);
    }

    /// A table as a dataset lists it.
    ///
    /// @param files one a file listed
    /// @param stats one a file; null where nothing is known
    static ArrowTable of(DatasetListing.TableFiles listed, List<ArrowFile> files, List<FileStats> stats) {
        List<Map<String, String>> keys =
                listed.files().stream().map(DatasetListing.ListedFile::keys).toList();
        List<Field> fields = listed.fields();
        if (fields == null) {
            fields = fields(files);
            Set<String> known = fields.stream().map(Field::name).collect(Collectors.toCollection(HashSet::new));
            for (Field key : PartitionFolder.fields(keys)) {
                if (known.add(key.name())) {
                    fields.add(key);
                }
            }
        }
        return of(listed.schemaName(), listed.name(), fields, listed.uniqueKeys(), files, keys, stats);
    }

    /// The columns of all files, in order of first appearance.
    private static List<Field> fields(List<ArrowFile> files) {
        Map<String, Field> fields = new LinkedHashMap<>();
        for (ArrowFile file : files) {
            file.schema().fields().forEach(field -> fields.putIfAbsent(field.name(), field));
        }
        return new ArrayList<>(fields.values());
    }

    /// @param fields the columns of the table
    /// @param keys one a file: the values of columns that it lacks
    /// @param stats one a file; null where nothing is known
    private static ArrowTable of(
            String schemaName,
            String name,
            List<Field> fields,
            List<UniqueKey> uniqueKeys,
            List<ArrowFile> files,
            List<Map<String, String>> keys,
            List<FileStats> stats) {
        List<Field> merged = new ArrayList<>();
        for (Field field : fields) {
            // A file without the column has NULL for it, whatever the others promise.
            boolean nullable = field.nullable();
            OtherType other = field.other();
            for (int index = 0; index < files.size(); index++) {
                ArrowFile file = files.get(index);
                int column = file.columnIndex(field.name());
                nullable |= column < 0
                        ? keys.get(index).get(field.name()) == null
                        : file.schema().field(column).nullable();
                if (column >= 0 && file.schema().type(column) instanceof DataType.Utf8) {
                    other = merged(other, file.schema().field(column).other(), file, field.name());
                }
            }
            Field whole = other == null ? field.withNullable(nullable) : new Field(field.name(), nullable, other);
            merged.add(whole.withCollation(field.collation()));
        }
        return new ArrowTable(schemaName, name, new Schema(merged), uniqueKeys, files, keys, stats);
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

    private int[] columnsOf(ArrowFile file, Map<String, String> keys, Object[] values) {
        int[] columns = new int[schema.size()];
        for (int column = 0; column < columns.length; column++) {
            Field field = schema.field(column);
            columns[column] = file.columnIndex(field.name());
            String key = columns[column] < 0 ? keys.get(field.name()) : null;
            if (key != null) {
                columns[column] = CONSTANT;
                values[column] = StatsText.parse(field.type(), key);
                if (values[column] == null) {
                    throw file.fault()
                            .corrupt("its key " + field.name() + " is \"" + key + "\", which is no " + field.type());
                }
            }
            if (columns[column] >= 0 && !file.schema().type(columns[column]).equals(field.type())) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        "file \"" + file.path() + "\" has column \"" + field.name() + "\" as "
                                + file.schema().type(columns[column]) + ", table \"" + name + "\" as " + field.type());
            }
        }
        return columns;
    }

    private TableStats mergedStats() {
        long rowCount = 0;
        for (ArrowFile file : files) {
            rowCount += file.rowCount();
        }
        long[] rowCounts = new long[batchFiles.length];
        for (int batch = 0; batch < rowCounts.length; batch++) {
            rowCounts[batch] = batchRows(batch);
        }
        List<ColumnStats> columns = new ArrayList<>();
        for (int column = 0; column < schema.size(); column++) {
            List<ColumnStats> parts = new ArrayList<>();
            for (int batch = 0; batch < rowCounts.length; batch++) {
                parts.add(batchStats(batch, column));
            }
            columns.add(StatsMerge.merge(parts, rowCounts));
        }
        return new TableStats(rowCount, columns);
    }

    /// One file ascends by what it says. Several do if each does by the same first column and their ranges follow one
    /// another; bounds that touch are left out, since a text bound may have been rounded.
    private List<Integer> mergedOrder() {
        if (files.isEmpty() || fileStats.contains(null)) {
            return List.of();
        }
        List<Integer> order = indexes(fileStats.getFirst().sortedBy());
        if (files.size() == 1 || order.isEmpty()) {
            return order;
        }
        int leading = order.getFirst();
        for (FileStats file : fileStats) {
            List<Integer> other = indexes(file.sortedBy());
            if (other.isEmpty() || other.getFirst() != leading) {
                return List.of();
            }
        }
        Object previousMax = null;
        for (int batch = 0; batch < batchFiles.length; batch++) {
            ColumnStats batchStats = batchStats(batch, leading);
            if (batchRows(batch) == 0) {
                continue;
            }
            if (batchStats.nullCount() != 0
                    || batchStats.min() == null
                    || batchStats.max() == null
                    || (previousMax != null
                            && batch > 0
                            && batchFiles[batch] != batchFiles[batch - 1]
                            && ValueOrder.compare(previousMax, batchStats.min()) >= 0)) {
                return List.of();
            }
            previousMax = batchStats.max();
        }
        return List.of(leading);
    }

    private List<Integer> indexes(List<String> names) {
        List<Integer> indexes = new ArrayList<>();
        for (String column : names) {
            int index = schema.indexOf(column);
            if (index < 0) {
                break;
            }
            indexes.add(index);
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

    /// The files, in the order of their batches.
    public List<ArrowFile> files() {
        return files;
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
        FileStats known = fileStats.get(batchFiles[batch]);
        int fileColumn = fileColumns[batchFiles[batch]][column];
        if (fileColumn == CONSTANT) {
            Object value = constants[batchFiles[batch]][column];
            return new ColumnStats(0, value, value, 1);
        }
        if (fileColumn < 0) {
            return new ColumnStats(batchRows(batch), null, null, 0);
        }
        return known == null
                ? ColumnStats.UNKNOWN
                : known.batches().get(batchIndexes[batch]).columns().get(fileColumn);
    }

    @Override
    public Dictionary dictionary(int column) {
        TableDictionary dictionary = tableDictionary(column);
        return dictionary == null ? null : dictionary.table();
    }

    private TableDictionary tableDictionary(int column) {
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

    private TableDictionary mergedDictionary(int column) {
        List<Dictionary> fileDictionaries = new ArrayList<>();
        for (int file = 0; file < files.size(); file++) {
            int fileColumn = fileColumns[file][column];
            if (fileColumn == CONSTANT) {
                Column value = ConstantColumn.of(schema.type(column), constants[file][column], 1, dictionaryMemory);
                fileDictionaries.add(new Dictionary((Utf8Column) value));
                continue;
            }
            if (fileColumn < 0) {
                continue;
            }
            if (!(files.get(file).storage(fileColumn) instanceof Storage.Coded coded)) {
                return null;
            }
            fileDictionaries.add(files.get(file).dictionary(coded.dictionaryId()));
        }
        return fileDictionaries.isEmpty() ? null : TableDictionary.of(fileDictionaries, dictionaryMemory);
    }

    @Override
    public long textBytes(int column) {
        long bytes = 0;
        for (int batch = 0; batch < batchFiles.length; batch++) {
            int fileColumn = fileColumns[batchFiles[batch]][column];
            bytes += fileColumn < 0 ? 0 : files.get(batchFiles[batch]).textBytes(batchIndexes[batch], fileColumn);
        }
        return bytes;
    }

    @Override
    public long readBytes(int batch, int[] columns) {
        ArrowFile file = files.get(batchFiles[batch]);
        long rows = batchRows(batch);
        long bytes = 0;
        for (int column : columns) {
            int fileColumn = fileColumns[batchFiles[batch]][column];
            if (fileColumn < 0) {
                Object value = constants[batchFiles[batch]][column];
                bytes += rows * Math.max(4, schema.type(column).byteWidth()) + rows;
                bytes +=
                        value instanceof String text && tableDictionary(column) == null ? rows * text.length() * 3L : 0;
            } else {
                bytes += file.decodedBytes(batchIndexes[batch], fileColumn);
                if (file.storage(fileColumn) instanceof Storage.Coded coded && tableDictionary(column) == null) {
                    bytes += PlainText.mostBytes(file.dictionary(coded.dictionaryId()), rows);
                }
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
        ArrowFile file = files.get(batchFiles[batch]);
        file.checkIntact();
        List<Field> fields = new ArrayList<>(columns.length);
        List<Column> views = new ArrayList<>(columns.length);
        OwnedMemory memory = new OwnedMemory();
        try {
            for (int column : columns) {
                fields.add(schema.field(column));
                views.add(column(batch, column, memory));
            }
            Batch result = Batch.owning(new Schema(fields), views, batchRows(batch), memory::close);
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

    private Column column(int batch, int column, Allocator memory) {
        int file = batchFiles[batch];
        int fileColumn = fileColumns[file][column];
        TableDictionary dictionary = tableDictionary(column);
        if (fileColumn == CONSTANT) {
            int rowCount = batchRows(batch);
            return dictionary == null
                    ? ConstantColumn.of(schema.type(column), constants[file][column], rowCount, memory)
                    : new DictionaryColumn(
                            rowCount,
                            memory.allocate(rowCount), // zeroed: of one entry
                            1,
                            dictionary.files().get(ordinal(file, column)),
                            Validity.allPresent());
        }
        if (fileColumn < 0) {
            return dictionary == null
                    ? NullColumn.of(schema.type(column), batchRows(batch), memory)
                    : NullColumn.coded(dictionary.table(), batchRows(batch), memory);
        }
        Column read = files.get(file).column(batchIndexes[batch], fileColumn, memory);
        if (!(read instanceof DictionaryColumn coded)) {
            return read;
        }
        if (dictionary == null) {
            return PlainText.of(coded, memory);
        }
        return new DictionaryColumn(
                coded.rowCount(),
                coded.codes(),
                coded.codeBytes(),
                dictionary.files().get(ordinal(file, column)),
                coded.validity());
    }

    /// Which of the files that have `column` the file is.
    private int ordinal(int file, int column) {
        int ordinal = 0;
        for (int earlier = 0; earlier < file; earlier++) {
            ordinal += fileColumns[earlier][column] != -1 ? 1 : 0;
        }
        return ordinal;
    }

    @Override
    public void checkIntact(int batch) {
        files.get(batchFiles[batch]).checkIntact();
    }

    @Override
    public QueryException faultOf(InternalError error) {
        for (ArrowFile file : files) {
            QueryException fault = file.faultOf(error);
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
