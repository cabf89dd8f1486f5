package dev.quarrel.core.table;

import java.util.List;

/// What CREATE VIEW said.
///
/// @param sql the query, as it was written
/// @param queryColumns the names that the query's own columns had then, in their order
/// @param searchPath where its names are looked up
/// @param relations those that it reads, each as schema and name
public record ViewDefinition(
        String sql, List<String> queryColumns, List<String> searchPath, List<List<String>> relations) {
    public ViewDefinition {
        queryColumns = List.copyOf(queryColumns);
        searchPath = List.copyOf(searchPath);
        relations = List.copyOf(relations);
    }

    public boolean reads(String schemaName, String name) {
        return relations.contains(List.of(schemaName, name));
    }
}
