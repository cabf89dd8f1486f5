package dev.quarrel.core.table;

import java.util.List;
import java.util.Map;

/// What a table's `CREATE FOREIGN TABLE` said.
///
/// @param server its name
/// @param options each as `name=value`, in their order
/// @param columnOptions the same of columns that have some
public record ForeignTable(String server, List<String> options, Map<String, List<String>> columnOptions) {}
