package dev.quarrel.core.table;

import dev.quarrel.core.type.Field;
import java.util.List;
import java.util.Map;

/// The fields of the structs in lists, and of the structs in lists among these.
///
/// @param fields those of structs in structs, too, by their paths
/// @param lists of fields that are lists of structs, by name
public record ElementFields(List<Field> fields, Map<String, ElementFields> lists) {
    public ElementFields {
        fields = List.copyOf(fields);
        lists = Map.copyOf(lists);
    }
}
