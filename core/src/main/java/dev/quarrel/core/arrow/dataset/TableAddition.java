package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What one run adds to a table: files, and the columns that they have.
///
/// - Threads: one at a time, as its writer sees to.
final class TableAddition {
    private final String schemaName;
    private final String tableName;
    private final List<Field> fields = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();
    private List<UniqueKey> uniqueKeys = List.of();
    private Watermark watermark;
    private Map<String, DeletedRows> deleted; // of files before; null where the run does not change the table's rows
    private int created;
    private Path base; // below which its files are written; null before the first

    private record Part(Manifest.FileEntry entry, Schema schema) {}

    TableAddition(String schemaName, String tableName) {
        this.schemaName = schemaName;
        this.tableName = tableName;
    }

    /// Takes over the files of a table that the run finished before it was interrupted.
    void addFinished(Manifest.TableEntry table) {
        fields.addAll(table.fields());
        uniqueKeys = table.uniqueKeys();
        Schema schema = new Schema(table.fields());
        table.files().forEach(file -> parts.add(new Part(file, schema)));
        created = table.files().size();
    }

    /// Says what keys hold in all files that the run adds.
    void declare(List<UniqueKey> keys) {
        uniqueKeys = List.copyOf(keys);
    }

    /// Says up to where the table's source was read.
    void declare(Watermark newWatermark) {
        watermark = newWatermark;
    }

    /// Says that the table's files before stay, less these rows of theirs.
    ///
    /// @param rows by path: all that are deleted of the file
    void change(Map<String, DeletedRows> rows) {
        deleted = Map.copyOf(rows);
    }

    /// Whether the run changes a table's rows, in place of replacing or appending to them.
    boolean isChange() {
        return deleted != null;
    }

    /// The table of its files before, less what is deleted, and these. Keys that were declared hold in all of it.
    Manifest.TableEntry changed(Manifest.TableEntry old) {
        List<Field> all = new ArrayList<>(old.fields());
        parts.forEach(
                part -> merge(all, part.schema().fields(), Path.of(part.entry().path())));
        List<Manifest.FileEntry> files = new ArrayList<>();
        for (Manifest.FileEntry file : old.withDeleted(deleted).files()) {
            if (file.liveRows() > 0 || file.rows() == 0) {
                files.add(file);
            }
        }
        files.addAll(files(all));
        return new Manifest.TableEntry(old.schemaName(), old.name(), all, uniqueKeys, files, watermark, old.defaults());
    }

    /// The number of the next file.
    int nextNumber() {
        return created++;
    }

    /// Below which all its files are written.
    Path base(DatasetFiles files) {
        if (base == null) {
            base = files.base(files.folder(schemaName, tableName));
        }
        return base;
    }

    /// Adds a file.
    ///
    /// - Errors: `QueryException` 42804 when a column has another type than in the table's other files.
    ///
    /// @param keyFields the columns that stand in the names of its folders
    void add(Manifest.FileEntry entry, Schema schema, List<Field> keyFields, Path file) {
        merge(fields, schema.fields(), file);
        merge(fields, keyFields, file);
        parts.add(new Part(entry, schema));
    }

    List<Manifest.FileEntry> entries() {
        return parts.stream().map(Part::entry).toList();
    }

    /// The files where they lie now, but for some.
    List<WrittenFile> written(DatasetFiles places, Set<String> paths) {
        return parts.stream()
                .filter(part -> !paths.contains(part.entry().path()))
                .map(part -> new WrittenFile(
                        places.written(part.entry()),
                        part.schema(),
                        part.entry().rows(),
                        part.entry().bytes(),
                        part.entry().sha256(),
                        part.entry().stats()))
                .toList();
    }

    /// The table of these files alone.
    Manifest.TableEntry alone() {
        return new Manifest.TableEntry(schemaName, tableName, fields, uniqueKeys, files(fields), watermark);
    }

    /// The table of its files before, and these. Rows of both may be equal: no key holds in it but those that rows are
    /// held to.
    Manifest.TableEntry after(Manifest.TableEntry old) {
        List<Field> all = new ArrayList<>(old.fields());
        for (Part part : parts) {
            merge(all, part.schema().fields(), Path.of(part.entry().path()));
        }
        // The keys, which stand in no file.
        merge(all, fields, Path.of(parts.getFirst().entry().path()));
        List<Manifest.FileEntry> files = new ArrayList<>(old.files());
        files.addAll(files(all));
        return old.withOtherRows(all, files);
    }

    private static void merge(List<Field> fields, List<Field> more, Path file) {
        for (Field field : more) {
            int known = new Schema(fields).indexOf(field.name());
            if (known < 0) {
                fields.add(field);
            } else if (!fields.get(known).type().equals(field.type())) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        "file \"" + file + "\" has column \"" + field.name() + "\" as " + field.type()
                                + ", the table as " + fields.get(known).type());
            } else if (field.nullable() && !fields.get(known).nullable()) {
                fields.set(known, field);
            } else {
                // A column's collation is that of the last run.
                fields.set(known, fields.get(known).withCollation(field.collation()));
            }
        }
    }

    /// The new files, in the order of their names' numbers, with statistics in the order of the table's columns.
    private List<Manifest.FileEntry> files(List<Field> columns) {
        Schema target = new Schema(columns);
        return parts.stream()
                .map(part -> new Manifest.FileEntry(
                        part.entry().path(),
                        part.entry().run(),
                        part.entry().rows(),
                        part.entry().bytes(),
                        part.entry().sha256(),
                        part.entry().keys(),
                        part.entry().stats().reordered(part.schema(), target)))
                .sorted(Comparator.<Manifest.FileEntry>comparingInt(
                                entry -> entry.path().length())
                        .thenComparing(Manifest.FileEntry::path))
                .toList();
    }

    /// Looks whether a table takes rows of these columns: they may bring new ones, which are NULL in the rows before
    /// them, and leave out those that may be NULL.
    ///
    /// - Errors: `QueryException` 42804 naming the table, the column, and both its types.
    static void check(Manifest.TableEntry table, List<Field> fields, Path root) {
        Schema added = new Schema(fields);
        for (Field old : table.fields()) {
            int index = added.indexOf(old.name());
            String place = "column \"" + old.name() + "\" of table \"" + table.name() + "\" ";
            if (index < 0 && !old.nullable()) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        place + "is " + typeName(old) + " NOT NULL in \"" + root
                                + "\", and the rows to append have no such column");
            }
            if (index >= 0 && !isSame(old, added.field(index))) {
                throw new QueryException(
                                SqlState.DATATYPE_MISMATCH,
                                place + "is " + typeName(old) + " in \"" + root + "\", and "
                                        + typeName(added.field(index)) + " in the rows to append")
                        .withHint("replace the table, or export it into another folder");
            }
        }
    }

    private static boolean isSame(Field one, Field two) {
        boolean isSameOther = one.other() == null || two.other() == null
                ? one.other() == two.other()
                : one.other().name().equals(two.other().name());
        return one.type().equals(two.type()) && isSameOther;
    }

    private static String typeName(Field field) {
        return field.pgType() == null ? PgType.defaultName(field.type()) : field.pgType();
    }
}
