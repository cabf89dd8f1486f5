package dev.quarrel.core.table;

/// The name by which a plan reads a table's rows by the elements of a column ([Table#elements]): no table's own name
/// has its separator.
public final class ElementsName {
    private static final char SEPARATOR = '\0';

    private ElementsName() {}

    public static String of(String table, String column) {
        return table + SEPARATOR + column;
    }

    /// The table of a plan's name, by names of a snapshot's tables; null where there is none.
    static Table find(CatalogSnapshot snapshot, String schemaName, String name) {
        int end = name.indexOf(SEPARATOR);
        if (end < 0) {
            return snapshot.table(schemaName, name);
        }
        Table table = snapshot.table(schemaName, name.substring(0, end));
        return table == null || table.fault() != null ? null : table.elements(name.substring(end + 1));
    }

    /// How a plan is shown to have it.
    public static String shown(String name) {
        int end = name.indexOf(SEPARATOR);
        return end < 0 ? name : name.substring(0, end) + ", unnest(" + name.substring(end + 1) + ")";
    }
}
