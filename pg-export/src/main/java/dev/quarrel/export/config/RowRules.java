package dev.quarrel.export.config;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import java.util.Optional;

/// The rules by which rows are chosen, and by which a run reads those alone that are new since the one before.
///
/// @param where conditions of SQL: `condition`, or `table:condition` for one table
/// @param incremental columns that rise with each change of a row: `column`, `table.column` or `schema.table.column`;
///     `xmin` is PostgreSQL's own. Empty: every run reads all rows
/// @param keys what tells a table's rows apart where it declares no key: `column,…` or `table:column,…`
/// @param overlap how far behind the greatest value of such a column the next run begins: an interval, or a number
/// @param deletes whether rows that the source has no more are looked for
/// @param verified whether every table's rows are counted by the source, and compared
public record RowRules(
        List<String> where,
        List<String> incremental,
        List<String> keys,
        Optional<String> overlap,
        boolean deletes,
        boolean verified) {
    public static final RowRules DEFAULT = new RowRules(List.of(), List.of(), List.of(), Optional.empty(), true, false);

    public RowRules {
        where = List.copyOf(where);
        incremental = List.copyOf(incremental);
        keys = List.copyOf(keys);
        if (incremental.isEmpty() && (!keys.isEmpty() || overlap.isPresent() || !deletes)) {
            throw new QueryException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "a key, an overlap, and whether to look for deleted rows belong to an incremental export");
        }
    }

    public boolean isIncremental() {
        return !incremental.isEmpty();
    }
}
