package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.Storage;
import dev.quarrel.core.type.Field;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/// Columns that files have, by name: numbers of two widths have the wider type, and a file that has nothing but NULLs
/// of no type, or lists of these, says nothing of the type.
final class TypedFields {
    private final SequencedMap<String, Field> fields = new LinkedHashMap<>();
    private final Set<String> untyped = new HashSet<>();

    void add(Field field, ArrowFile file) {
        String name = field.name();
        if (!hasType(file, name)) {
            if (fields.putIfAbsent(name, field) == null) {
                untyped.add(name);
            }
        } else if (untyped.remove(name)) {
            fields.put(name, field);
        } else {
            fields.merge(name, field, ArrowTable::wider);
        }
    }

    Map<String, Field> byName() {
        return fields;
    }

    /// Whether a file's column has values of some type.
    static boolean hasType(ArrowFile file, String column) {
        return hasType(file.storage(file.columnIndex(column)));
    }

    private static boolean hasType(Storage storage) {
        return switch (storage) {
            case Storage.AllNull _ -> false;
            case Storage.Listed listed -> hasType(listed.element());
            case Storage.ListedViews views -> hasType(views.element());
            default -> true;
        };
    }
}
