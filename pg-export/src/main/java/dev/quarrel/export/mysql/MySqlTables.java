package dev.quarrel.export.mysql;

import java.util.List;

/// Which tables, and which of their columns, to export.
///
/// @param tables names, with wildcards or without: `orders`, `shop.orders`, `o*`; backticks or double quotes around a
///     part take it literally
/// @param databases whose tables are all meant; wildcards likewise
/// @param everything whether the tables of all databases are meant, but the system's
/// @param excluded tables to leave out
/// @param excludedColumns `column`, `table.column` or `database.table.column`
/// @param decimalsAsText whether decimals of more than 38 digits are texts; otherwise they are an error
public record MySqlTables(
        List<String> tables,
        List<String> databases,
        boolean everything,
        List<String> excluded,
        List<String> excludedColumns,
        boolean decimalsAsText) {
    public MySqlTables {
        tables = List.copyOf(tables);
        databases = List.copyOf(databases);
        excluded = List.copyOf(excluded);
        excludedColumns = List.copyOf(excludedColumns);
    }
}
