package dev.quarrel.calcite.sql;

/// A table that knows how its columns are declared where their RelDataType does not say.
public interface DeclaredTable {
    /// `atttypmod` of a column, -1 for none.
    int typmod(int column);
}
