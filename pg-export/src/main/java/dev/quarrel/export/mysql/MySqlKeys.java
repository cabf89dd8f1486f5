package dev.quarrel.export.mysql;

import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.export.snapshot.ExportColumn;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The primary keys and unique indexes of MySQL's tables.
///
/// MySQL's catalog is that of the moment, whatever the snapshot: an index that is made after it need not hold in older
/// rows. So the keys are read before the snapshot and after it, and those count that both know.
///
/// Only columns whose values stay different in the file count. A collation that takes more texts for equal than we do
/// does no harm.
record MySqlKeys(Map<List<String>, List<UniqueKey>> byTable) {
    private static final String PRIMARY = "PRIMARY";
    private static final String SQL = """
            SELECT s.table_schema, s.table_name, s.index_name, s.column_name,
                   s.sub_part IS NULL AND s.column_name IS NOT NULL
                   AND c.data_type IN ('tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal', 'char', 'varchar',
                                       'binary', 'varbinary', 'date', 'datetime', 'timestamp', 'uuid')
                   AND COALESCE(c.character_set_name, 'utf8mb4')
                       IN ('ascii', 'latin1', 'utf8', 'utf8mb3', 'utf8mb4', 'ucs2', 'utf16', 'utf32')
            FROM information_schema.statistics s
            LEFT JOIN information_schema.columns c ON c.table_schema = s.table_schema AND c.table_name = s.table_name
                AND c.column_name = s.column_name
            WHERE s.non_unique = 0 AND s.index_type = 'BTREE'
            AND s.table_schema NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys', 'ndbinfo')
            ORDER BY s.table_schema, s.table_name, s.index_name <> 'PRIMARY', s.index_name, s.seq_in_index""";

    private record Index(String schema, String table, String name) {}

    /// The keys that there are at this moment.
    static MySqlKeys read(Connection connection) throws SQLException {
        Map<List<String>, List<UniqueKey>> keys = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(SQL)) {
            Index index = null;
            List<String> columns = new ArrayList<>();
            boolean isUsable = true;
            while (rows.next()) {
                Index next = new Index(rows.getString(1), rows.getString(2), rows.getString(3));
                if (!next.equals(index)) {
                    add(index, columns, isUsable, keys);
                    index = next;
                    columns = new ArrayList<>();
                    isUsable = true;
                }
                columns.add(rows.getString(4));
                isUsable &= rows.getBoolean(5);
            }
            add(index, columns, isUsable, keys);
        }
        return new MySqlKeys(keys);
    }

    private static void add(
            Index index, List<String> columns, boolean isUsable, Map<List<String>, List<UniqueKey>> keys) {
        if (index == null || !isUsable) {
            return;
        }
        boolean isPrimary = index.name().equals(PRIMARY);
        // Every primary key has that name there; PostgreSQL's names are one a schema.
        String name = isPrimary ? index.table() + "_pkey" : index.name();
        UniqueKey.Kind kind = isPrimary ? UniqueKey.Kind.PRIMARY : UniqueKey.Kind.CONSTRAINT;
        keys.computeIfAbsent(List.of(index.schema(), index.table()), _ -> new ArrayList<>())
                .add(new UniqueKey(name, kind, columns, true));
    }

    /// Those of a table that were there at another moment too, and hold in the columns that are exported.
    List<UniqueKey> of(String database, String table, MySqlKeys before, List<ExportColumn> columns) {
        List<String> name = List.of(database, table);
        Map<String, ExportColumn> byName =
                columns.stream().collect(Collectors.toMap(ExportColumn::name, Function.identity()));
        return byTable.getOrDefault(name, List.of()).stream()
                .filter(before.byTable.getOrDefault(name, List.of())::contains)
                .filter(key -> key.columns().stream()
                        .map(byName::get)
                        .allMatch(column -> column != null
                                && column.dataType().equals(column.declared().dataType())
                                && !(key.isPrimary() && column.nullable())))
                .toList();
    }
}
