package dev.quarrel.core.table;

import dev.quarrel.core.type.Collation;
import dev.quarrel.core.type.QueryException;
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

    /// The table that a plan's scan names: also one of [ElementsName].
    default Table scanned(String schemaName, String tableName) {
        return ElementsName.find(this, schemaName, tableName);
    }

    /// The collation of texts that no column has one for, such as literals.
    default Collation defaultCollation() {
        return Collation.DEFAULT;
    }

    /// What COMMENT ON said of a table or a column, or null.
    ///
    /// @param column null for the table itself
    default String comment(String schemaName, String tableName, String column) {
        return null;
    }

    /// Whether it has what a session alone sees: its temporary tables, or what its transaction has changed.
    default boolean isOfOneSession() {
        return false;
    }

    /// Translates an access fault in mapped memory, as [Table#faultOf] does, over all tables: null when no file is to
    /// blame, and the error is a bug.
    default QueryException faultOf(InternalError error) {
        for (String schemaName : schemaNames()) {
            for (Table table : tables(schemaName)) {
                QueryException fault = table.faultOf(error);
                if (fault != null) {
                    return fault;
                }
            }
        }
        return null;
    }

    @Override
    void close();
}
