package dev.quarrel.ingest.table;

import dev.quarrel.core.type.Field;
import java.util.List;

/// What is known of tables beside their events.
public interface KnownTables {
    /// What somebody has said of a table's columns; empty for others.
    List<Field> declared(String table);

    /// The columns that a table has at the moment; empty where it has no file.
    List<Field> stored(String table);

    /// Why there can be no events of that name, or null.
    String fault(String table);
}
