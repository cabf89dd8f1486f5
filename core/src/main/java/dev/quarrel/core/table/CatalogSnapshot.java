package dev.quarrel.core.table;

import java.util.Collection;
import java.util.List;

/// The tables that one statement sees.
public interface CatalogSnapshot extends AutoCloseable {
    /// Grows whenever a table, its columns or its rows change: a key for plans.
    long version();

    /// Schema names in order; `public` always among them.
    List<String> schemaNames();

    /// Tables of a schema, ordered by name; empty for one that does not exist.
    Collection<Table> tables(String schemaName);

    /// The table of exactly that name, or null.
    Table table(String schemaName, String tableName);

    @Override
    void close();
}
