package dev.quarrel.export.config;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// The selection of a database's tables to export.
///
/// Names are patterns as `pg_dump` and psql have them: `*` stands for any characters, `?` for one, double quotes keep
/// case and take everything inside literally; without a schema the search path finds them.
///
/// @param tables of tables, partitioned tables, materialized views, views and foreign tables
/// @param schemas of schemas: their tables, partitioned tables and materialized views
/// @param everything whether the tables of all schemas are meant, but the system's
/// @param excluded of tables to leave out, with their partitions and children
public record Selection(List<String> tables, List<String> schemas, boolean everything, List<String> excluded) {
    public static final Selection NONE = new Selection(List.of(), List.of(), false, List.of());

    public Selection {
        tables = List.copyOf(tables);
        schemas = List.copyOf(schemas);
        excluded = List.copyOf(excluded);
        if (everything && !schemas.isEmpty()) {
            throw new QueryException(
                            SqlState.INVALID_PARAMETER_VALUE, "all tables were asked for, and those of some schemas")
                    .withHint("name the schemas, or ask for all");
        }
    }

    public static Selection tables(List<String> names) {
        return new Selection(names, List.of(), false, List.of());
    }

    /// Whether nothing is selected.
    public boolean isEmpty() {
        return tables.isEmpty() && schemas.isEmpty() && !everything;
    }

    /// Whether the database may have several tables of it.
    boolean mayBeSeveral() {
        return everything || !schemas.isEmpty() || tables.size() > 1;
    }
}
