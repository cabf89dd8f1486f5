package dev.quarrel.core.arrow.dataset.rows;

import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;

/// The columns of files that need not have the same ones: by name, in order of first appearance. Numbers of two widths
/// have the wider type, and a column that some file lacks may be NULL. NULLs of no type are of the type that other
/// files have.
public final class UnionByName {
    private final SequencedMap<String, Found> columns = new LinkedHashMap<>();
    private int fileCount;

    /// @param first the first file that has it
    /// @param count how many have it
    /// @param isTyped whether one of these says of which type it is
    private record Found(Field field, NestedType nested, Path first, int count, boolean isTyped) {
        Found again(Field both) {
            return new Found(both, nested, first, count + 1, isTyped);
        }
    }

    /// - Errors: `QueryException` 42804 naming both files where a column has types that have none in common.
    ///
    /// @param nested the columns that hold lists, structs and maps, by name
    /// @param untyped the columns that hold NULLs of no type
    public void add(Path file, Schema schema, Map<String, NestedType> nested, Set<String> untyped) {
        fileCount++;
        for (Field field : schema.fields()) {
            Found known = columns.get(field.name());
            NestedType ofField = nested.get(field.name());
            boolean isTyped = !untyped.contains(field.name());
            if (known == null) {
                columns.put(field.name(), new Found(field, ofField, file, 1, isTyped));
                continue;
            }
            if (!isTyped) {
                columns.put(field.name(), known.again(known.field().withNullable(true)));
                continue;
            }
            if (!known.isTyped()) {
                Field typed = field.withNullable(true);
                columns.put(field.name(), new Found(typed, ofField, file, known.count() + 1, true));
                continue;
            }
            Field both = common(known.field(), field);
            if (both == null || !Objects.equals(known.nested(), ofField)) {
                throw new QueryException(
                                SqlState.DATATYPE_MISMATCH,
                                "file \"" + file + "\" has column \"" + field.name() + "\" as " + type(field, ofField)
                                        + ", file \"" + known.first() + "\" as "
                                        + type(known.field(), known.nested()))
                        .withHint("Import them as two tables.");
            }
            columns.put(field.name(), known.again(both));
        }
    }

    private static String type(Field field, NestedType nested) {
        return nested == null ? PgType.Declared.of(field).text() : nested.describe();
    }

    private static Field common(Field one, Field other) {
        boolean isNullable = one.nullable() || other.nullable();
        DataType type = NumberWidening.common(one.type(), other.type());
        if (type == null) {
            return null;
        }
        boolean isSame = Objects.equals(PgType.Declared.of(one), PgType.Declared.of(other))
                && Objects.equals(one.collation(), other.collation());
        // Types that have the same values in files, such as json and text, are what holds both.
        return isSame ? one.withNullable(isNullable) : new Field(one.name(), type, isNullable);
    }

    /// The columns of all files, then those of their paths' keys that no file has.
    ///
    /// @param known columns of the table that gets the rows: what has no type in any file is left out, and NULL
    /// there
    public Schema schema(List<Field> keys, Set<String> known) {
        List<Field> fields = new ArrayList<>();
        for (Found each : columns.values()) {
            Field field = each.field();
            if (each.isTyped() || !known.contains(field.name())) {
                fields.add(each.count() < fileCount ? field.withNullable(true) : field);
            }
        }
        keys.stream().filter(key -> !columns.containsKey(key.name())).forEach(fields::add);
        return new Schema(fields);
    }

    /// The columns that hold lists, structs and maps, by name.
    public Map<String, NestedType> nested() {
        Map<String, NestedType> nested = new HashMap<>();
        columns.forEach((name, each) -> {
            if (each.nested() != null) {
                nested.put(name, each.nested());
            }
        });
        return nested;
    }
}
