package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.arrow.Storage;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.ForeignTable;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What a table is beside its files.
///
/// @param fields its columns
/// @param virtuals one a column: where its values are from that stand in no file, else null
/// @param parts one a column: which part of another it is, else null
/// @param hiddenColumns how many of the last ones are there for who names them alone
/// @param foreign null for a table of the dataset's own
/// @param isStrict whether a file of another column type is an error of all of the table
/// @param isHeld whether a column that is not nullable has no NULL, whatever its files' own columns may be
record TableShape(
        String schemaName,
        String name,
        List<Field> fields,
        NamedTable.Virtual[] virtuals,
        FilePart[] parts,
        int hiddenColumns,
        List<UniqueKey> uniqueKeys,
        List<ColumnDefault> defaults,
        ForeignTable foreign,
        boolean isStrict,
        boolean isHeld) {
    private static final int MAX_PARTS = 1000;

    TableShape(
            String schemaName,
            String name,
            List<Field> fields,
            NamedTable.Virtual[] virtuals,
            int hiddenColumns,
            List<UniqueKey> uniqueKeys,
            List<ColumnDefault> defaults,
            ForeignTable foreign,
            boolean isStrict,
            boolean isHeld) {
        this(
                schemaName,
                name,
                fields,
                virtuals,
                new FilePart[fields.size()],
                hiddenColumns,
                uniqueKeys,
                defaults,
                foreign,
                isStrict,
                isHeld);
    }

    /// The same with the parts of the files' struct columns behind the others.
    TableShape withParts(List<TableFile.Part> files) {
        TypedFields found = new TypedFields();
        Map<String, FilePart> firsts = new HashMap<>();
        for (TableFile.Part file : files) {
            for (FilePart part :
                    file.file() == null ? List.<FilePart>of() : file.file().parts()) {
                found.add(part.field(), file.file());
                firsts.putIfAbsent(part.field().name(), part);
            }
        }
        Map<String, Field> known = found.byName();
        for (TableFile.Part file : files) {
            known.values().removeIf(field -> !isOfAll(firsts.get(field.name()), files, file.file()));
        }
        List<Field> all = new ArrayList<>(fields);
        List<FilePart> places = new ArrayList<>(Arrays.asList(parts));
        for (int column = 0; column < fields.size(); column++) {
            known.remove(fields.get(column).name());
        }
        // Where there are too many, fields come first, and none has elements without the part that says which are NULL.
        List<Field> ordered = new ArrayList<>(known.values());
        ordered.sort(
                Comparator.comparing(field -> switch (firsts.get(field.name()).kind()) {
                    case MEMBER -> 0;
                    case PRESENCE -> 1;
                    case TAG, STRUCT, MEMBERS, JSON, CARDINALITY, ELEMENTS, ENDS -> 2;
                }));
        ordered.forEach(field -> {
            FilePart part = firsts.get(field.name());
            if (isOfFiles(part.root()) && all.size() - fields.size() < MAX_PARTS) {
                all.add(field);
                places.add(part);
            }
        });
        return new TableShape(
                schemaName,
                name,
                all,
                Arrays.copyOf(virtuals, all.size()),
                places.toArray(FilePart[]::new),
                hiddenColumns + all.size() - fields.size(),
                uniqueKeys,
                defaults,
                foreign,
                isStrict,
                isHeld);
    }

    /// Whether a table has the part although `file` is one of its files. Of lists there is what all files have of
    /// them, and values one behind the other where they are of one type; which elements are NULL in one is NULL of
    /// others.
    private static boolean isOfAll(FilePart part, List<TableFile.Part> files, ArrowFile file) {
        switch (part.kind()) {
            case MEMBER, TAG, MEMBERS, PRESENCE -> {
                return true;
            }
            case JSON, STRUCT -> { // of a file that holds something else there is none
                return file == null
                        || file.columnIndex(part.path().toString()) < 0
                        || file.columnIndex(part.field().name()) >= 0;
            }
            case CARDINALITY, ELEMENTS, ENDS -> {
                if (file == null) {
                    return false;
                }
                int lists = file.columnIndex(part.path().column());
                return lists < 0
                        || file.storage(lists) instanceof Storage.AllNull
                        || file.columnIndex(part.field().name()) >= 0
                                && (part.kind() == FilePart.Kind.CARDINALITY
                                        || elementType(file, lists).equals(firstElementType(part, files)));
            }
        }
        throw new IllegalStateException(part.toString());
    }

    private static DataType elementType(ArrowFile file, int lists) {
        return file.storage(lists) instanceof Storage.Listed listed
                ? listed.element().type()
                : DataType.UTF8;
    }

    private static DataType firstElementType(FilePart part, List<TableFile.Part> files) {
        for (TableFile.Part each : files) {
            int lists = each.file() == null
                    ? -1
                    : each.file().columnIndex(part.path().column());
            if (lists >= 0 && !(each.file().storage(lists) instanceof Storage.AllNull)) {
                return elementType(each.file(), lists);
            }
        }
        throw new IllegalStateException(part + " is of no file");
    }

    /// Whether a column's values stand in files.
    private boolean isOfFiles(String column) {
        for (int index = 0; index < fields.size(); index++) {
            if (fields.get(index).name().equals(column)) {
                return virtuals[index] == null && fields.get(index).type() instanceof DataType.Utf8;
            }
        }
        return false;
    }
}
