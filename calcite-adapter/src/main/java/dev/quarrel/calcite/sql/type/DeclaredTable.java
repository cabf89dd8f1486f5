package dev.quarrel.calcite.sql.type;

import dev.quarrel.core.table.ViewDefinition;
import dev.quarrel.core.type.Collation;
import java.util.List;

/// A table that knows how its columns were declared, where their RelDataType does not tell.
public interface DeclaredTable {
    /// `atttypmod` of a column, -1 for none.
    int typmod(int column);

    /// The collation that a column's file names, or null.
    Collation collation(int column);

    /// The names of the columns that its primary key is; empty where it has none.
    List<String> primaryKey();

    /// Columns that the rows ascend in, each by itself; empty where none is known.
    default List<Integer> sortedBy() {
        return List.of();
    }

    /// The collation of that name that a column has; null where none has, or the columns are not known yet.
    Collation collation(String name);

    /// What CREATE VIEW said; null for what has rows of its own.
    default ViewDefinition view() {
        return null;
    }

    /// What it is by the elements of a column of lists of structs, whose fields are columns of it; null where it has
    /// no such column.
    default DeclaredTable elements(String column) {
        return null;
    }

    /// Whether its rows can be scanned, and are not known by their texts alone.
    default boolean isScanned() {
        return false;
    }

    /// How many of its last columns no `*` has.
    int hiddenColumns();
}
