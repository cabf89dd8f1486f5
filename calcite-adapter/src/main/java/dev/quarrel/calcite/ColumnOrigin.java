package dev.quarrel.calcite;

/// The column of a table, or of a system relation, whose values a result's column has as they are.
///
/// @param number from 1, in the table's order
public record ColumnOrigin(String schema, String table, int number) {
    /// Whether another column is of the same table.
    public boolean isOfTable(ColumnOrigin other) {
        return table.equals(other.table) && schema.equals(other.schema);
    }
}
