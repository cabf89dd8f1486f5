package dev.quarrel.calcite.sql;

/// A table that knows how its columns were declared, where their RelDataType does not tell.
public interface DeclaredTable {
    /// `atttypmod` of a column, -1 for none.
    int typmod(int column);
}
