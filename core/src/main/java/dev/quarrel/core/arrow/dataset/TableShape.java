package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.table.ForeignTable;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
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
record TableShape(
        String schemaName,
        String name,
        List<Field> fields,
        NamedTable.Virtual[] virtuals,
        FieldPath[] parts,
        int hiddenColumns,
        List<UniqueKey> uniqueKeys,
        ForeignTable foreign,
        boolean isStrict) {
    private static final int MAX_PARTS = 1000;

    TableShape(
            String schemaName,
            String name,
            List<Field> fields,
            NamedTable.Virtual[] virtuals,
            int hiddenColumns,
            List<UniqueKey> uniqueKeys,
            ForeignTable foreign,
            boolean isStrict) {
        this(
                schemaName,
                name,
                fields,
                virtuals,
                new FieldPath[fields.size()],
                hiddenColumns,
                uniqueKeys,
                foreign,
                isStrict);
    }

    /// The same with the parts of the files' struct columns behind the others.
    TableShape withParts(List<TableFile.Part> files) {
        Map<String, Field> known = new LinkedHashMap<>();
        Map<String, FieldPath> paths = new HashMap<>();
        for (TableFile.Part file : files) {
            for (FilePart part :
                    file.file() == null ? List.<FilePart>of() : file.file().parts()) {
                known.merge(part.field().name(), part.field(), ArrowTable::wider);
                paths.putIfAbsent(part.field().name(), part.path());
            }
        }
        // Of lists there is what all files have of them; which elements are NULL in one is NULL of others.
        for (TableFile.Part file : files) {
            known.values().removeIf(field -> {
                FieldPath path = paths.get(field.name());
                return path.fields().isEmpty()
                        && !field.name().equals(FilePart.Kind.PRESENCE.of(path.column()))
                        && (file.file() == null
                                || file.file().columnIndex(path.column()) >= 0
                                        && file.file().columnIndex(field.name()) < 0);
            });
        }
        List<Field> all = new ArrayList<>(fields);
        List<FieldPath> places = new ArrayList<>(Arrays.asList(parts));
        for (int column = 0; column < fields.size(); column++) {
            known.remove(fields.get(column).name());
        }
        known.values().forEach(field -> {
            FieldPath path = paths.get(field.name());
            if (isOfFiles(path.column()) && all.size() - fields.size() < MAX_PARTS) {
                all.add(field);
                places.add(path);
            }
        });
        return new TableShape(
                schemaName,
                name,
                all,
                Arrays.copyOf(virtuals, all.size()),
                places.toArray(FieldPath[]::new),
                hiddenColumns + all.size() - fields.size(),
                uniqueKeys,
                foreign,
                isStrict);
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
