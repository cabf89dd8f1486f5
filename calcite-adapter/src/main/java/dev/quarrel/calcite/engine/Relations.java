package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.Notice;
import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.arrow.dataset.DatasetTransaction;
import dev.quarrel.core.arrow.dataset.OverDataset;
import dev.quarrel.core.arrow.dataset.SessionTables;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Where a session's statements find relations, and make new ones.
///
/// - Errors: PostgreSQL's of names and privileges.
///
/// @param seen what the session's transaction sees of the catalog
/// @param changes what the session's transaction changes; null for nothing yet
/// @param isBlock whether that may be more than one statement
record Relations(
        LocalEngine engine,
        TablePrivileges privileges,
        List<String> searchPath,
        Supplier<SharedSnapshot> seen,
        DatasetTransaction changes,
        boolean isBlock,
        Consumer<Notice> notices) {
    /// A relation's schema and name.
    record Place(String schema, String name) {}

    /// Begins what changes a dataset.
    ///
    /// - Errors: 0A000 for a database of no dataset.
    static DatasetTransaction begin(LocalEngine engine, SessionTables session) {
        if (engine.catalog() instanceof OverDataset over) {
            return DatasetTransaction.begin(over, session);
        }
        throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "this database keeps no tables that are made by SQL");
    }

    /// Whether there is a dataset that statements can change: not where nothing is written, nor in an earlier run.
    static boolean canBegin(LocalEngine engine) {
        if (!engine.config().writes().isAllowed() || !(engine.catalog() instanceof OverDataset over)) {
            return false;
        }
        try {
            over.dataset().requireNewest();
            return true;
        } catch (QueryException _) {
            return false;
        }
    }

    /// The catalog as the transaction sees it, but for rows that it has added last. The caller closes it.
    CatalogSnapshot snapshot() {
        return changes == null ? seen.get().stored() : changes.definitions();
    }

    /// Where the relation is that is meant, or null.
    Place find(List<String> name, CatalogSnapshot snapshot) {
        List<String> schemas = name.size() > 1 ? List.of(name.get(name.size() - 2)) : searchPath;
        return schemas.stream()
                .filter(schema -> snapshot.table(schema, name.getLast()) != null)
                .map(schema -> new Place(schema, name.getLast()))
                .findFirst()
                .orElse(null);
    }

    /// A relation that is to be there.
    ///
    /// - Errors: 3F000 where its schema is not, 42P01 where it is not.
    ///
    /// @param kind what the error calls it
    Place require(List<String> name, String kind, CatalogSnapshot snapshot) {
        Place place = find(name, snapshot);
        if (place == null) {
            String schema = name.size() > 1 ? name.get(name.size() - 2) : null;
            throw schema == null || snapshot.schemaNames().contains(schema)
                    ? new QueryException(
                            SqlState.UNDEFINED_TABLE, kind + " \"" + String.join(".", name) + "\" does not exist")
                    : noSchema(schema);
        }
        return place;
    }

    /// The same for one that need not be there: a notice says so, and null is the answer.
    Place maybe(List<String> name, String kind, CatalogSnapshot snapshot) {
        Place place = find(name, snapshot);
        if (place == null) {
            String schema = name.size() > 1 ? name.get(name.size() - 2) : null;
            notice(
                    "00000",
                    schema == null || snapshot.schemaNames().contains(schema)
                            ? kind + " \"" + name.getLast() + "\" does not exist, skipping"
                            : "schema \"" + schema + "\" does not exist, skipping");
        }
        return place;
    }

    private static QueryException noSchema(String name) {
        return new QueryException(SqlState.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist");
    }

    /// Where a new relation of that name is made.
    ///
    /// - Errors: 3F000 for no schema, 42501 for one that the user may not create in.
    Place make(List<String> name) {
        String schema = schema(name);
        requireCreate(schema);
        return new Place(schema, name.getLast());
    }

    private String schema(List<String> name) {
        if (name.size() > 1) {
            requireSchema(name.get(name.size() - 2));
            return name.get(name.size() - 2);
        }
        try (CatalogSnapshot snapshot = snapshot()) {
            return searchPath.stream()
                    .filter(schema -> !schema.equals(Catalog.TEMPORARY_SCHEMA))
                    .filter(snapshot.schemaNames()::contains)
                    .findFirst()
                    .orElseThrow(() -> new QueryException(
                            SqlState.INVALID_SCHEMA_NAME, "no schema has been selected to create in"));
        }
    }

    void requireSchema(String name) {
        if (name.equals("pg_catalog") || name.equals("information_schema")) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for schema " + name);
        }
        if (name.equals(Catalog.TEMPORARY_SCHEMA)) {
            return;
        }
        try (CatalogSnapshot snapshot = snapshot()) {
            if (!snapshot.schemaNames().contains(name)) {
                throw noSchema(name);
            }
        }
    }

    void requireCreate(String schema) {
        if (!privileges.mayCreateIn(schema)) {
            throw new QueryException(SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for schema " + schema);
        }
    }

    /// Whether a relation of that name is there.
    boolean isThere(Place place) {
        return changes.isThere(place.schema(), place.name());
    }

    /// What PostgreSQL calls a relation of its kind.
    static String kind(Table table) {
        return table.view() != null ? "view" : table.foreign() != null ? "foreign table" : "table";
    }

    static QueryException alreadyThere(Place place) {
        return new QueryException(SqlState.DUPLICATE_TABLE, "relation \"" + place.name() + "\" already exists");
    }

    /// A table that takes rows.
    ///
    /// @param columns those that rows have, in their order
    /// @param all all of them
    /// @param structs the names of those that files hold as structs, or lists of structs
    /// @param defaults what columns hold of which rows say nothing
    /// @param keys that rows are held to
    record Taker(
            Place place,
            Schema columns,
            Schema all,
            Set<String> structs,
            List<ColumnDefault> defaults,
            List<UniqueKey> keys) {
        /// Null for a column without.
        ColumnDefault defaultOf(String column) {
            return defaults.stream()
                    .filter(each -> each.column().equals(column))
                    .findFirst()
                    .orElse(null);
        }

        /// What a column is in an expression that is assigned DEFAULT.
        ///
        /// - Errors: 0A000 for a counter.
        String expressionOf(String column) {
            ColumnDefault known = defaultOf(column);
            if (known != null && known.counter() != null) {
                throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "DEFAULT of column \"" + column + "\", which counts, is not supported beside other values");
            }
            return known == null ? "NULL" : known.expression();
        }

        /// The same for rows of the first columns alone.
        Taker first(int count) {
            return of(new Schema(columns.fields().subList(0, count)));
        }

        /// The same for rows of some columns.
        Taker of(Schema listed) {
            return new Taker(place, listed, all, structs, defaults, keys);
        }

        /// Statements write structs as texts, of which nobody can ask for fields: not beside structs that have some.
        ///
        /// - Errors: 0A000.
        void requireFlat() {
            for (Field field : columns.fields()) {
                if (structs.contains(field.name())) {
                    throw new QueryException(
                                    SqlState.FEATURE_NOT_SUPPORTED,
                                    "column \"" + field.name() + "\" of relation \"" + place.name()
                                            + "\" holds structs, which INSERT and COPY do not write")
                            .withHint("List the other columns, so that rows have NULL there, or add files by"
                                    + " quarrel import --append.");
                }
            }
        }
    }

    private static Set<String> structs(Table table) {
        Set<String> names = new HashSet<>();
        int shown = table.shownSchema().size();
        for (Field field : table.schema().fields().subList(shown, table.schema().size())) {
            FieldPath ofLists = FilePart.ofMembers(field.name());
            FieldPath path = ofLists == null ? FieldPath.parse(field.name()) : ofLists;
            if (path != null) {
                names.add(path.column());
            }
        }
        return names;
    }

    /// - Errors: 0A000 for a table that takes in events: a transaction of several statements cannot show both these and
    ///   its own changes.
    void requireStill(Place place) {
        if (isBlock) {
            requireNoEvents(place);
        }
    }

    /// The same for what would leave rows behind that lie in no file yet, in blocks or not.
    void requireNoEvents(Place place) {
        if (changes != null && changes.isLive(place.schema(), place.name())) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "table \"" + place.name() + "\" takes in events, and cannot be changed "
                            + (isBlock ? "inside a transaction block" : "so"));
        }
    }

    /// The table that an INSERT names.
    Taker taker(Statement.Insert insert) {
        return taker(insert.name(), insert.columns(), "insert into");
    }

    /// The table that rows are to go into.
    ///
    /// - Errors: 42P01, 42501, 42703, 42701, 42809 for what is no table of the dataset's.
    ///
    /// @param columns that are listed; empty for all
    Taker taker(List<String> name, List<String> columns, String verb) {
        try (CatalogSnapshot snapshot = snapshot()) {
            Place place = find(name, snapshot);
            if (place == null) {
                throw new QueryException(
                        SqlState.UNDEFINED_TABLE, "relation \"" + String.join(".", name) + "\" does not exist");
            }
            Table table = snapshot.table(place.schema(), place.name());
            table.awaitOpen(() -> {});
            if (!privileges.mayCreateIn(place.schema())) {
                throw new QueryException(
                        SqlState.INSUFFICIENT_PRIVILEGE, "permission denied for table " + place.name());
            }
            if (table.view() != null) {
                throw new QueryException(
                        verb.equals("copy to") ? SqlState.WRONG_OBJECT_TYPE : SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "cannot " + verb + " view \"" + place.name() + "\"");
            }
            if (table.fault() != null) {
                throw table.fault();
            }
            if (table.foreign() != null) {
                throw new QueryException(
                        SqlState.WRONG_OBJECT_TYPE, "cannot " + verb + " foreign table \"" + place.name() + "\"");
            }
            requireStill(place);
            Schema all = table.shownSchema();
            return new Taker(
                    place,
                    columns(columns, all, place.name()),
                    all,
                    structs(table),
                    table.defaults(),
                    table.uniqueKeys().stream().filter(UniqueKey::enforced).toList());
        }
    }

    private static Schema columns(List<String> listed, Schema all, String table) {
        if (listed.isEmpty()) {
            return all;
        }
        List<Field> fields = new ArrayList<>();
        for (String column : listed) {
            int index = all.indexOf(column);
            if (index < 0) {
                throw new QueryException(
                        SqlState.UNDEFINED_COLUMN,
                        "column \"" + column + "\" of relation \"" + table + "\" does not exist");
            }
            if (fields.stream().anyMatch(field -> field.name().equals(column))) {
                throw new QueryException(
                        SqlState.DUPLICATE_COLUMN, "column \"" + column + "\" specified more than once");
            }
            fields.add(all.field(index));
        }
        return new Schema(fields);
    }

    void notice(String code, String message) {
        notices.accept(new Notice("NOTICE", code, message));
    }
}
