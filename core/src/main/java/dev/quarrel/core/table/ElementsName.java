package dev.quarrel.core.table;

/// The name by which a plan reads a table's rows by the elements of a column ([Table#elements]): no table's own name
/// has its separator.
public final class ElementsName {
    private static final char SEPARATOR = '\0';

    private ElementsName() {}

    /// @param table a table's name, or one by elements
    /// @param isOuter as of [Table#elements]
    public static String of(String table, String column, boolean isOuter) {
        return table + SEPARATOR + (isOuter ? "" + SEPARATOR : "") + column;
    }

    private static boolean isOuter(String name, int end) {
        return name.charAt(end + 1) == SEPARATOR;
    }

    /// The table of a plan's name, by names of a snapshot's tables; null where there is none.
    static Table find(CatalogSnapshot snapshot, String schemaName, String name) {
        int end = name.indexOf(SEPARATOR);
        if (end < 0) {
            return snapshot.table(schemaName, name);
        }
        Table table = snapshot.table(schemaName, name.substring(0, end));
        while (end < name.length() && table != null && table.fault() == null) {
            int next = columnEnd(name, end);
            boolean isOuter = isOuter(name, end);
            table = table.elements(name.substring(end + (isOuter ? 2 : 1), next), isOuter);
            end = next;
        }
        return table == null || table.fault() != null ? null : table;
    }

    /// Where the column's name ends that is behind a separator.
    private static int columnEnd(String name, int separator) {
        int next = name.indexOf(SEPARATOR, separator + 2);
        return next < 0 ? name.length() : next;
    }

    /// How a plan is shown to have it.
    public static String shown(String name) {
        int end = name.indexOf(SEPARATOR);
        if (end < 0) {
            return name;
        }
        StringBuilder shown = new StringBuilder(name.substring(0, end));
        while (end < name.length()) {
            int next = columnEnd(name, end);
            boolean isOuter = isOuter(name, end);
            shown.append(isOuter ? " left join unnest(" : ", unnest(")
                    .append(name, end + (isOuter ? 2 : 1), next)
                    .append(")");
            end = next;
        }
        return shown.toString();
    }
}
