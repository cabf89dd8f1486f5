package dev.quarrel.server.catalog;

import dev.quarrel.core.arrow.dataset.NamedTable;
import dev.quarrel.core.table.ForeignTable;
import dev.quarrel.core.table.Table;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Fills the relations of foreign tables, their servers and what these are made by.
final class ForeignRelations {
    private static final String WRAPPER = "arrow_fdw";

    private final Function<String, RelationRows> rows;
    private final String database;

    ForeignRelations(Function<String, RelationRows> rows, String database) {
        this.rows = rows;
        this.database = database;
    }

    private static long wrapperOid() {
        return ObjectNames.unnamedOid("fdw\0" + WRAPPER);
    }

    private static long serverOid(String name) {
        return ObjectNames.unnamedOid("server\0" + name);
    }

    void addServers() {
        rows.apply("pg_catalog.pg_foreign_data_wrapper")
                .add("oid", wrapperOid(), "fdwname", WRAPPER, "fdwowner", ObjectNames.OWNER);
        rows.apply("information_schema.foreign_data_wrappers")
                .add(
                        "foreign_data_wrapper_catalog",
                        database,
                        "foreign_data_wrapper_name",
                        WRAPPER,
                        "authorization_identifier",
                        SystemTables.OWNER_NAME,
                        "foreign_data_wrapper_language",
                        "c");
        for (String server : NamedTable.SERVERS.stream().sorted().toList()) {
            rows.apply("pg_catalog.pg_foreign_server")
                    .add(
                            "oid",
                            serverOid(server),
                            "srvname",
                            server,
                            "srvowner",
                            ObjectNames.OWNER,
                            "srvfdw",
                            wrapperOid());
            rows.apply("information_schema.foreign_servers")
                    .add(
                            "foreign_server_catalog", database,
                            "foreign_server_name", server,
                            "foreign_data_wrapper_catalog", database,
                            "foreign_data_wrapper_name", WRAPPER,
                            "authorization_identifier", SystemTables.OWNER_NAME);
        }
    }

    /// @param isReadable whether whoever reads the relations may read the table
    void add(long oid, Table table, boolean isReadable) {
        ForeignTable foreign = table.foreign();
        rows.apply("pg_catalog.pg_foreign_table")
                .add("ftrelid", oid, "ftserver", serverOid(foreign.server()), "ftoptions", array(foreign.options()));
        if (!isReadable) {
            return;
        }
        rows.apply("information_schema.foreign_tables")
                .add(
                        "foreign_table_catalog", database,
                        "foreign_table_schema", table.schemaName(),
                        "foreign_table_name", table.name(),
                        "foreign_server_catalog", database,
                        "foreign_server_name", foreign.server());
        for (String option : foreign.options()) {
            int end = option.indexOf('=');
            rows.apply("information_schema.foreign_table_options")
                    .add(
                            "foreign_table_catalog", database,
                            "foreign_table_schema", table.schemaName(),
                            "foreign_table_name", table.name(),
                            "option_name", option.substring(0, end),
                            "option_value", option.substring(end + 1));
        }
    }

    /// The options of a column as `attfdwoptions` has them, or null.
    static String columnOptions(Table table, String column) {
        List<String> options =
                table.foreign() == null ? null : table.foreign().columnOptions().get(column);
        return options == null ? null : array(options);
    }

    private static String array(List<String> texts) {
        return texts.isEmpty()
                ? null
                : texts.stream()
                        .map(text -> '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                        .collect(Collectors.joining(",", "{", "}"));
    }
}
