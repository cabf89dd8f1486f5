package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The keys that an ON CONFLICT means.
final class ConflictKeys {
    private ConflictKeys() {}

    /// - Errors: 42P10 for columns that are no key, 42704 for a constraint that is none, 42703 for a column that is
    ///   none.
    ///
    /// @return one where something is named; else all
    static List<UniqueKey> of(Statement.OnConflict conflict, Relations.Taker table) {
        if (conflict.constraint() != null) {
            return List.of(table.keys().stream()
                    .filter(key ->
                            key.kind() != UniqueKey.Kind.INDEX && key.name().equals(conflict.constraint()))
                    .findFirst()
                    .orElseThrow(() -> new QueryException(
                            SqlState.UNDEFINED_OBJECT,
                            "constraint \"" + conflict.constraint() + "\" for table \""
                                    + table.place().name() + "\" does not exist")));
        }
        if (conflict.columns().isEmpty()) {
            return table.keys();
        }
        for (String column : conflict.columns()) {
            if (table.all().indexOf(column) < 0) {
                throw new QueryException(SqlState.UNDEFINED_COLUMN, "column \"" + column + "\" does not exist");
            }
        }
        Set<String> wanted = new HashSet<>(conflict.columns());
        return List.of(table.keys().stream()
                .filter(key -> wanted.equals(new HashSet<>(key.columns())))
                .findFirst()
                .orElseThrow(() -> new QueryException(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        "there is no unique or exclusion constraint matching the ON CONFLICT specification")));
    }
}
