package dev.quarrel.core.arrow.dataset;

/// What COMMENT ON said of a relation or a column.
///
/// @param column null for the relation itself
record RelationComment(String schemaName, String relation, String column, String text) {
    boolean isOf(String schema, String name) {
        return schemaName.equals(schema) && relation.equals(name);
    }
}
