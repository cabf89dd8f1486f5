package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The columns of a table that COPY lists.
final class CopiedTable {
    private CopiedTable() {}

    /// - Errors: 42703 for a column that the table does not have, 42701 for one listed twice, as PostgreSQL words them
    ///   for COPY.
    static void check(Statement.Copy copy, Function<Statement.Query, PlannedQuery> plan) {
        List<String> listed = copy.columns();
        Set<String> forced = copy.options().quoted();
        if (listed.isEmpty() && (forced == null || forced.isEmpty())) {
            return;
        }
        Set<String> known = plan.apply(copy.table() == null ? copy.query() : copy.allColumns()).columns().stream()
                .map(column -> column.name())
                .collect(Collectors.toSet());
        Set<String> seen = new HashSet<>();
        for (String name : listed) {
            require(known, name, copy.table());
            if (!seen.add(name)) {
                throw new QueryException(SqlState.DUPLICATE_COLUMN, "column \"" + name + "\" specified more than once");
            }
        }
        if (forced != null) {
            forced.forEach(name -> require(known, name, copy.table()));
        }
    }

    private static void require(Set<String> known, String name, String table) {
        if (!known.contains(name)) {
            throw new QueryException(
                    SqlState.UNDEFINED_COLUMN,
                    "column \"" + name + "\" " + (table == null ? "" : "of relation \"" + table + "\" ")
                            + "does not exist");
        }
    }
}
