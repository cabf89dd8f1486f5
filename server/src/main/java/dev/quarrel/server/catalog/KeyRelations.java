package dev.quarrel.server.catalog;

import dev.quarrel.core.pg.Identifiers;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Schema;
import dev.quarrel.server.catalog.ObjectNames.Index;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What catalogs say of tables' keys: each has an index, and is a constraint unless it was declared as an index alone.
///
/// Nobody can read such an index: it says which rows are unique, not how to find them.
final class KeyRelations {
    static final long BTREE = 403;

    private final ObjectNames names;
    private final String database;
    private final Function<String, RelationRows> rows;

    /// @param rows of a relation, by its qualified name
    KeyRelations(ObjectNames names, String database, Function<String, RelationRows> rows) {
        this.names = names;
        this.database = database;
        this.rows = rows;
    }

    /// Adds the rows of one index, but those of its columns.
    void add(Index index, Table table) {
        addIndex(index, table);
        rows.apply("pg_catalog.pg_indexes")
                .add(
                        "schemaname",
                        table.schemaName(),
                        "tablename",
                        table.name(),
                        "indexname",
                        index.named().name(),
                        "indexdef",
                        definition(index, true));
        if (index.constraint() != 0) {
            addConstraint(index, table);
            addInformation(index, table);
        }
    }

    private static String numbers(UniqueKey key, Schema schema, String separator) {
        return key.columns().stream()
                .map(column -> String.valueOf(schema.indexOf(column) + 1))
                .collect(Collectors.joining(separator));
    }

    private void addIndex(Index index, Table table) {
        UniqueKey key = index.key();
        int columns = key.columns().size();
        String zeros = String.join(" ", Collections.nCopies(columns, "0"));
        rows.apply("pg_catalog.pg_class")
                .add(
                        "oid",
                        index.oid(),
                        "relname",
                        index.named().name(),
                        "relnamespace",
                        names.schemaOid(table.schemaName()),
                        "relowner",
                        ObjectNames.OWNER,
                        "relam",
                        BTREE,
                        "reltuples",
                        table.stats().rowCount(),
                        "relpersistence",
                        "p",
                        "relkind",
                        "i",
                        "relnatts",
                        columns,
                        "relispopulated",
                        true,
                        "relreplident",
                        "n",
                        "relfrozenxid",
                        "0",
                        "relminmxid",
                        "0");
        rows.apply("pg_catalog.pg_index")
                .add(
                        "indexrelid",
                        index.oid(),
                        "indrelid",
                        index.table().oid(),
                        "indnatts",
                        columns,
                        "indnkeyatts",
                        columns,
                        "indisunique",
                        true,
                        "indnullsnotdistinct",
                        !key.nullsDistinct(),
                        "indisprimary",
                        key.isPrimary(),
                        "indimmediate",
                        true,
                        "indisvalid",
                        true,
                        "indisready",
                        true,
                        "indislive",
                        true,
                        "indkey",
                        numbers(key, table.schema(), " "),
                        "indcollation",
                        zeros,
                        "indclass",
                        zeros,
                        "indoption",
                        zeros);
    }

    private void addConstraint(Index index, Table table) {
        rows.apply("pg_catalog.pg_constraint")
                .add(
                        "oid",
                        index.constraint(),
                        "conname",
                        index.named().name(),
                        "connamespace",
                        names.schemaOid(table.schemaName()),
                        "contype",
                        index.key().isPrimary() ? "p" : "u",
                        "conenforced",
                        true,
                        "convalidated",
                        true,
                        "conrelid",
                        index.table().oid(),
                        "conindid",
                        index.oid(),
                        "confupdtype",
                        " ",
                        "confdeltype",
                        " ",
                        "confmatchtype",
                        " ",
                        "conislocal",
                        true,
                        "connoinherit",
                        true,
                        "conkey",
                        "{" + numbers(index.key(), table.schema(), ",") + "}");
    }

    private void addInformation(Index index, Table table) {
        UniqueKey key = index.key();
        String name = index.named().name();
        List<Object> constraint = List.of(
                "constraint_catalog",
                database,
                "constraint_schema",
                table.schemaName(),
                "constraint_name",
                name,
                "table_catalog",
                database,
                "table_schema",
                table.schemaName(),
                "table_name",
                table.name());
        rows.apply("information_schema.constraint_table_usage").add(constraint.toArray());
        rows.apply("information_schema.table_constraints")
                .add(with(
                        constraint,
                        "constraint_type",
                        key.isPrimary() ? "PRIMARY KEY" : "UNIQUE",
                        "is_deferrable",
                        "NO",
                        "initially_deferred",
                        "NO",
                        "enforced",
                        "YES",
                        "nulls_distinct",
                        key.isPrimary() ? null : key.nullsDistinct() ? "YES" : "NO"));
        for (int place = 0; place < key.columns().size(); place++) {
            String column = key.columns().get(place);
            rows.apply("information_schema.constraint_column_usage").add(with(constraint, "column_name", column));
            rows.apply("information_schema.key_column_usage")
                    .add(with(constraint, "column_name", column, "ordinal_position", place + 1));
        }
    }

    private static Object[] with(List<Object> namesAndValues, Object... more) {
        return Stream.concat(namesAndValues.stream(), Arrays.stream(more)).toArray();
    }

    /// What would make the index.
    ///
    /// @param isQualified whether the table's name has its schema
    static String definition(Index index, boolean isQualified) {
        String table = Identifiers.quoted(index.table().name());
        return "CREATE UNIQUE INDEX "
                + Identifiers.quoted(index.named().name()) + " ON "
                + (isQualified ? Identifiers.quoted(index.table().schemaName()) + "." + table : table)
                + " USING btree (" + columns(index.key()) + ")"
                + (index.key().nullsDistinct() ? "" : " NULLS NOT DISTINCT");
    }

    /// What declares the constraint.
    static String constraint(UniqueKey key) {
        return (key.isPrimary() ? "PRIMARY KEY" : key.nullsDistinct() ? "UNIQUE" : "UNIQUE NULLS NOT DISTINCT") + " ("
                + columns(key) + ")";
    }

    private static String columns(UniqueKey key) {
        return key.columns().stream().map(Identifiers::quoted).collect(Collectors.joining(", "));
    }
}
