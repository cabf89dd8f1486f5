package dev.quarrel.export.mysql;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Columns that were named, `column`, `table.column` or `database.table.column`, and which of the names
/// were met.
final class MySqlColumnFilter {
    private final String purpose;
    private final List<MySqlName> names;
    private final Set<MySqlName> met = new HashSet<>();

    /// @param purpose what they are named for, for errors
    /// - Errors: `QueryException` 22023 for what is no name.
    MySqlColumnFilter(String purpose, List<String> texts) {
        this.purpose = purpose;
        this.names = texts.stream().map(text -> MySqlName.parse(text, 3)).toList();
    }

    boolean matches(String database, String table, String column) {
        boolean isNamed = false;
        for (MySqlName name : names) {
            if (name.isColumn(database, table, column)) {
                met.add(name);
                isNamed = true;
            }
        }
        return isNamed;
    }

    /// - Errors: `QueryException` 42703 for a name that matched no column.
    void checkAllMatched() {
        for (MySqlName name : names) {
            if (!met.contains(name)) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN,
                        "no exported table has column " + name.text() + ", which is to be " + purpose);
            }
        }
    }
}
