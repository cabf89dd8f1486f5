package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.CounterMoves;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

/// What a dataset has by its manifest and its names, as one value: each change makes another one of it.
///
/// - Errors: `QueryException`, PostgreSQL's, of changes that the state does not take.
///
/// @param tables the manifest's, and those of a session, by schema and name
/// @param others the names of relations that are neither in the manifest nor in `names`: those of folders without a
///     manifest, and those that were named for the process
/// @param passing temporary tables that go with the transaction
record DatasetState(
        Map<List<String>, Manifest.TableEntry> tables,
        NamedTables names,
        Set<List<String>> others,
        Set<List<String>> passing) {
    DatasetState {
        tables = Collections.unmodifiableMap(tables);
    }

    static DatasetState of(Manifest manifest, NamedTables names, Set<List<String>> others) {
        Map<List<String>, Manifest.TableEntry> tables = new LinkedHashMap<>();
        manifest.tables().forEach(table -> tables.put(List.of(table.schemaName(), table.name()), table));
        return new DatasetState(tables, names, others, Set.of());
    }

    /// The same with the tables of a session.
    DatasetState with(SessionTables session) {
        Map<List<String>, Manifest.TableEntry> all = new LinkedHashMap<>(tables);
        all.putAll(session.tables());
        NamedTables named = names;
        for (NamedView view : session.views()) {
            named = named.with(view);
        }
        return with(all).with(named);
    }

    /// Without any session's tables: those of the manifest.
    Map<List<String>, Manifest.TableEntry> lasting() {
        Map<List<String>, Manifest.TableEntry> lasting = new LinkedHashMap<>(tables);
        lasting.keySet().removeIf(table -> table.getFirst().equals(Catalog.TEMPORARY_SCHEMA));
        return lasting;
    }

    /// Without any session's views.
    NamedTables lastingNames() {
        List<NamedView> lasting =
                names.views().stream().filter(view -> !isTemporary(view)).toList();
        return new NamedTables(names.tables(), lasting, names.comments(), names.schemas());
    }

    private static boolean isTemporary(NamedView view) {
        return view.schemaName().equals(Catalog.TEMPORARY_SCHEMA);
    }

    /// The views of a session.
    List<NamedView> temporaryViews() {
        return names.views().stream().filter(DatasetState::isTemporary).toList();
    }

    /// The same without any session's tables and views.
    DatasetState withoutSession() {
        return new DatasetState(lasting(), lastingNames(), others, Set.of());
    }

    private DatasetState with(Map<List<String>, Manifest.TableEntry> newTables) {
        return new DatasetState(newTables, names, others, passing);
    }

    private DatasetState with(NamedTables newNames) {
        return new DatasetState(tables, newNames, others, passing);
    }

    private DatasetState with(Manifest.TableEntry table) {
        Map<List<String>, Manifest.TableEntry> all = new LinkedHashMap<>(tables);
        all.put(List.of(table.schemaName(), table.name()), table);
        return with(all);
    }

    /// Whether a relation has the name.
    boolean isThere(String schemaName, String name) {
        return tables.containsKey(List.of(schemaName, name))
                || names.view(schemaName, name) != null
                || names.find(schemaName, name) != null
                || others.contains(List.of(schemaName, name));
    }

    /// Whether a session's tables or views are among them.
    boolean hasTemporary() {
        return names.views().stream().anyMatch(DatasetState::isTemporary)
                || tables.keySet().stream().anyMatch(table -> table.getFirst().equals(Catalog.TEMPORARY_SCHEMA));
    }

    /// Those that relations are in, those that were made, and the default one.
    Set<String> schemaNames() {
        Set<String> schemas = new HashSet<>(names.schemas());
        schemas.add(DatasetCatalog.DEFAULT_SCHEMA);
        tables.keySet().forEach(table -> schemas.add(table.getFirst()));
        others.forEach(table -> schemas.add(table.getFirst()));
        names.views().forEach(view -> schemas.add(view.schemaName()));
        names.tables().forEach(table -> schemas.add(table.schemaName()));
        return schemas;
    }

    private void requireFree(String schemaName, String name) {
        if (!schemaName.equals(Catalog.TEMPORARY_SCHEMA) && !schemaNames().contains(schemaName)) {
            throw new QueryException(SqlState.INVALID_SCHEMA_NAME, "schema \"" + schemaName + "\" does not exist");
        }
        if (isThere(schemaName, name)) {
            throw new QueryException(SqlState.DUPLICATE_TABLE, "relation \"" + name + "\" already exists");
        }
    }

    private Manifest.TableEntry table(String schemaName, String name) {
        Manifest.TableEntry table = tables.get(List.of(schemaName, name));
        if (table == null) {
            throw new QueryException(SqlState.UNDEFINED_TABLE, "relation \"" + name + "\" does not exist");
        }
        return table;
    }

    private static Manifest.FileEntry entry(Path root, WrittenFile file) {
        String path = DatasetFiles.below(root, file.path());
        return new Manifest.FileEntry(path, 0, file.rowCount(), file.byteSize(), file.sha256(), Map.of(), file.stats());
    }

    private static TableAddition addition(String schemaName, String name, Path root, List<WrittenFile> files) {
        TableAddition addition = new TableAddition(schemaName, name);
        files.forEach(file -> addition.add(entry(root, file), file.schema(), List.of(), file.path()));
        return addition;
    }

    /// A new table of files below the dataset's folder. Nobody has said anything of it.
    ///
    /// @param keys that its rows will be held to
    DatasetState withTable(
            String schemaName,
            String name,
            Path root,
            List<WrittenFile> files,
            List<ColumnDefault> defaults,
            List<UniqueKey> keys) {
        requireFree(schemaName, name);
        for (UniqueKey key : keys) {
            if (key.name().equals(name) || isIndex(schemaName, key.name()) || isThere(schemaName, key.name())) {
                throw new QueryException(SqlState.DUPLICATE_TABLE, "relation \"" + key.name() + "\" already exists");
            }
        }
        Manifest.TableEntry table = addition(schemaName, name, root, files).alone();
        return with(table.withDefaults(defaults).withKeys(keys)).with(names.withoutComments(schemaName, name));
    }

    /// With a temporary table that goes with the transaction.
    DatasetState withPassing(List<String> table) {
        Set<List<String>> all = new HashSet<>(passing);
        all.add(table);
        return new DatasetState(tables, names, others, all);
    }

    private DatasetState withoutPassing(Set<List<String>> gone) {
        Set<List<String>> left = new HashSet<>(passing);
        left.removeAll(gone);
        return new DatasetState(tables, names, others, left);
    }

    /// - Errors: 0A000 for what is kept by name, and would be seen by others.
    private static void requireLasting(String schemaName) {
        if (schemaName.equals(Catalog.TEMPORARY_SCHEMA)) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "temporary foreign tables are not supported");
        }
    }

    /// A table with more rows.
    ///
    /// @param keys holds them to the table's keys
    DatasetState withRows(String schemaName, String name, Path root, List<WrittenFile> files, KeyCheck keys) {
        Manifest.TableEntry table = table(schemaName, name);
        for (WrittenFile file : files) {
            for (Field field : file.schema().fields()) {
                if (table.fields().stream().noneMatch(each -> each.name().equals(field.name()))) {
                    throw new QueryException(
                            SqlState.UNDEFINED_COLUMN,
                            "column \"" + field.name() + "\" of relation \"" + name + "\" does not exist");
                }
            }
            TableAddition.check(table, file.schema().fields(), root);
        }
        keys.require(table, files);
        return files.isEmpty()
                ? this
                : with(addition(schemaName, name, root, files).after(table));
    }

    /// A table without some of its rows.
    ///
    /// - Errors: 40001 where somebody else has deleted one of them, or written their files anew.
    ///
    /// @param rows their places by the files' paths, ascending
    DatasetState withoutRows(String schemaName, String name, Map<String, long[]> rows) {
        Manifest.TableEntry table = table(schemaName, name);
        List<Manifest.FileEntry> files = new ArrayList<>();
        int found = 0;
        for (Manifest.FileEntry file : table.files()) {
            long[] more = rows.get(file.path());
            found += more == null ? 0 : 1;
            Manifest.FileEntry left = more == null ? file : file.withDeleted(with(file, more));
            if (left.liveRows() > 0 || left.rows() == 0) {
                files.add(left);
            }
        }
        if (found < rows.size()) {
            throw concurrent();
        }
        if (files.isEmpty()) {
            return withoutRows(schemaName, name);
        }
        return with(table.withFiles(files).withoutWatermark());
    }

    private static DeletedRows with(Manifest.FileEntry file, long[] more) {
        try {
            return file.deleted().with(more, file.rows());
        } catch (IllegalArgumentException _) { // one is there already
            throw concurrent();
        }
    }

    private static QueryException concurrent() {
        return new QueryException(
                SqlState.SERIALIZATION_FAILURE, "could not serialize access due to concurrent update");
    }

    /// A table without any row but those of new files; its columns stay.
    DatasetState withOnly(String schemaName, String name, Path root, List<WrittenFile> files) {
        Manifest.TableEntry table = table(schemaName, name);
        Manifest.TableEntry empty = table.withOtherRows(table.fields(), List.of());
        return with(addition(schemaName, name, root, files).after(empty));
    }

    /// The same for one whose columns no new file can have: its smallest file stays, of which all rows are deleted.
    DatasetState withoutRows(String schemaName, String name) {
        Manifest.TableEntry table = table(schemaName, name);
        Manifest.FileEntry smallest = table.files().stream()
                .min(java.util.Comparator.comparingLong(Manifest.FileEntry::rows))
                .orElseThrow();
        Manifest.FileEntry left = smallest.withDeleted(DeletedRows.all(smallest.rows()));
        return with(table.withOtherRows(table.fields(), List.of(left)));
    }

    /// A table with one more column.
    ///
    /// - Errors: 23502 for NULL in rows that are there, where there may be none.
    ///
    /// @param value that it has in the rows that are there, as a manifest has keys; null for NULL
    /// @param newDefault null for none
    DatasetState withColumn(String schemaName, String name, Field column, String value, ColumnDefault newDefault) {
        Manifest.TableEntry table = table(schemaName, name);
        if (table.fields().stream().anyMatch(field -> field.name().equals(column.name()))) {
            throw new QueryException(
                    SqlState.DUPLICATE_COLUMN,
                    "column \"" + column.name() + "\" of relation \"" + name + "\" already exists");
        }
        List<Field> fields = new ArrayList<>(table.fields());
        boolean hasRows = table.files().stream().anyMatch(file -> file.liveRows() > 0);
        if (!column.nullable() && value == null && hasRows) {
            throw new QueryException(
                    SqlState.NOT_NULL_VIOLATION,
                    "column \"" + column.name() + "\" of relation \"" + name + "\" contains null values");
        }
        fields.add(column);
        List<ColumnDefault> defaults = new ArrayList<>(table.defaults());
        if (newDefault != null) {
            defaults.add(newDefault);
        }
        List<Manifest.FileEntry> files = table.files().stream()
                .map(file -> value == null ? file : file.withKey(column.name(), value))
                .toList();
        return with(table.withFields(fields).withFiles(files).withDefaults(defaults));
    }

    /// A table of which a column holds something else in rows that say nothing of it.
    ///
    /// @param newDefault null for NULL
    DatasetState withDefault(String schemaName, String name, String column, ColumnDefault newDefault) {
        Manifest.TableEntry table = table(schemaName, name);
        List<ColumnDefault> defaults = new ArrayList<>(table.defaults());
        defaults.removeIf(each -> each.column().equals(column));
        if (newDefault != null) {
            defaults.add(newDefault);
        }
        return with(table.withDefaults(defaults));
    }

    /// A table whose counters have come further, as far as it still has them.
    ///
    /// - Errors: 40001 where another process has moved them, too.
    DatasetState withCounters(CounterMoves moves) {
        DatasetState state = this;
        for (Manifest.TableEntry table : tables.values()) {
            List<ColumnDefault> moved = moves.of(table.defaults());
            state = moved.equals(table.defaults()) ? state : state.with(table.withDefaults(moved));
        }
        return state;
    }

    /// A table whose counters begin again.
    DatasetState withRestartedCounters(String schemaName, String name) {
        Manifest.TableEntry table = table(schemaName, name);
        return with(table.withDefaults(table.defaults().stream()
                .map(each ->
                        each.counter() == null ? each : each.with(each.counter().restarted(CounterMoves.newId())))
                .toList()));
    }

    /// A table whose rows are held to a key.
    ///
    /// - Errors: 23505 where they are not, 42P07 and 42P16 for one too many.
    DatasetState withKey(String schemaName, String name, Path root, UniqueKey key) {
        Manifest.TableEntry table = table(schemaName, name);
        for (UniqueKey each : table.uniqueKeys()) {
            if (each.isPrimary() && key.isPrimary()) {
                throw new QueryException(
                        SqlState.INVALID_TABLE_DEFINITION,
                        "multiple primary keys for table \"" + name + "\" are not allowed");
            }
        }
        if (isIndex(schemaName, key.name()) || isThere(schemaName, key.name())) {
            throw new QueryException(SqlState.DUPLICATE_TABLE, "relation \"" + key.name() + "\" already exists");
        }
        Set<String> columns = new HashSet<>(key.columns());
        List<Field> fields = table.fields().stream()
                .map(field -> key.isPrimary() && columns.contains(field.name()) ? field.withNullable(false) : field)
                .toList();
        KeyCheck.requireUnique(root, table, key);
        List<UniqueKey> keys = new ArrayList<>(table.uniqueKeys());
        keys.add(key);
        return with(table.withFields(fields).withKeys(keys));
    }

    /// Whether a table of the schema has a key of that name.
    boolean isIndex(String schemaName, String name) {
        return tables.entrySet().stream()
                .filter(table -> table.getKey().getFirst().equals(schemaName))
                .anyMatch(table -> table.getValue().uniqueKeys().stream()
                        .anyMatch(key -> key.name().equals(name)));
    }

    /// A table without a key.
    DatasetState withoutKey(String schemaName, String name, String key) {
        Manifest.TableEntry table = table(schemaName, name);
        List<UniqueKey> keys = new ArrayList<>(table.uniqueKeys());
        if (!keys.removeIf(each -> each.name().equals(key))) {
            throw new QueryException(
                    SqlState.UNDEFINED_OBJECT,
                    "constraint \"" + key + "\" of relation \"" + name + "\" does not exist");
        }
        return with(table.withKeys(keys));
    }

    /// A table of which a column may be NULL, or may not.
    ///
    /// - Errors: 23502 where it is in some row.
    DatasetState withNullable(String schemaName, String name, Path root, String column, boolean isNullable) {
        Manifest.TableEntry table = table(schemaName, name);
        if (!isNullable) {
            KeyCheck.requirePresent(root, table, column);
        }
        return with(table.withFields(table.fields().stream()
                .map(field -> field.name().equals(column) ? field.withNullable(isNullable) : field)
                .toList()));
    }

    /// Without tables of the manifest, and what was said of them.
    DatasetState withoutTables(Set<List<String>> dropped) {
        Map<List<String>, Manifest.TableEntry> left = new LinkedHashMap<>(tables);
        NamedTables said = names;
        for (List<String> table : dropped) {
            if (left.remove(table) == null) {
                throw new QueryException(SqlState.UNDEFINED_TABLE, "table \"" + table.getLast() + "\" does not exist");
            }
            said = said.withoutComments(table.getFirst(), table.getLast());
        }
        return with(left).with(said).withoutPassing(dropped);
    }

    DatasetState withView(NamedView view, boolean orReplace) {
        boolean isView = names.view(view.schemaName(), view.name()) != null;
        if (!isView || !orReplace) {
            requireFree(view.schemaName(), view.name());
        }
        return with(names.with(view));
    }

    DatasetState withoutViews(Set<List<String>> dropped) {
        return with(names.withoutViews(dropped));
    }

    DatasetState withNamed(NamedTable table) {
        requireLasting(table.schemaName());
        requireFree(table.schemaName(), table.name());
        return with(names.with(table));
    }

    /// - Errors: 55000 for one that is named for this process alone.
    DatasetState withoutNamed(Set<List<String>> dropped) {
        NamedTables left = names;
        for (List<String> name : dropped) {
            if (left.find(name.getFirst(), name.getLast()) == null) {
                throw new QueryException(
                        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "foreign table \"" + name.getLast() + "\" was named when this process began, and stays");
            }
            left = left.without(name.getFirst(), name.getLast());
        }
        return with(left);
    }

    /// A table, a view or a named table under another name; what was said of it goes with it.
    DatasetState renamed(List<String> from, List<String> to) {
        requireFree(to.getFirst(), to.getLast());
        NamedTables said = names.withComments(names.comments().stream()
                .map(comment -> comment.isOf(from.getFirst(), from.getLast())
                        ? new RelationComment(to.getFirst(), to.getLast(), comment.column(), comment.text())
                        : comment)
                .toList());
        NamedView view = names.view(from.getFirst(), from.getLast());
        if (view != null) {
            List<NamedView> views = replaced(
                    said.views(),
                    each -> each.equals(view)
                            ? new NamedView(to.getFirst(), to.getLast(), view.fields(), view.view())
                            : each);
            return with(new NamedTables(said.tables(), views, said.comments(), said.schemas()));
        }
        NamedTable named = names.find(from.getFirst(), from.getLast());
        if (named != null) {
            List<NamedTable> all = replaced(
                    said.tables(), each -> each.equals(named) ? named.renamed(to.getFirst(), to.getLast()) : each);
            return with(new NamedTables(all, said.views(), said.comments(), said.schemas()));
        }
        Manifest.TableEntry table = table(from.getFirst(), from.getLast());
        Map<List<String>, Manifest.TableEntry> left = new LinkedHashMap<>(tables);
        left.remove(from);
        return with(left)
                .with(said)
                .with(new Manifest.TableEntry(
                        to.getFirst(),
                        to.getLast(),
                        table.fields(),
                        table.uniqueKeys(),
                        table.files(),
                        table.watermark(),
                        table.defaults()));
    }

    private static <T> List<T> replaced(List<T> all, UnaryOperator<T> each) {
        return all.stream().map(each).toList();
    }

    /// @param column null for the relation itself
    /// @param text null to take back what was said
    DatasetState withComment(String schemaName, String relation, String column, String text) {
        if (!isThere(schemaName, relation)) {
            throw new QueryException(SqlState.UNDEFINED_TABLE, "relation \"" + relation + "\" does not exist");
        }
        List<RelationComment> comments = new ArrayList<>(names.comments());
        comments.removeIf(each -> each.isOf(schemaName, relation) && Objects.equals(each.column(), column));
        if (text != null) {
            comments.add(new RelationComment(schemaName, relation, column, text));
        }
        return with(names.withComments(comments));
    }

    DatasetState withSchema(String name) {
        if (schemaNames().contains(name)) {
            throw new QueryException(SqlState.DUPLICATE_SCHEMA, "schema \"" + name + "\" already exists");
        }
        List<String> schemas = new ArrayList<>(names.schemas());
        schemas.add(name);
        return with(new NamedTables(names.tables(), names.views(), names.comments(), schemas));
    }

    /// - Errors: 3F000 for one that is not there, 2BP01 for one that has relations.
    DatasetState withoutSchema(String name) {
        if (!schemaNames().contains(name)) {
            throw new QueryException(SqlState.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist");
        }
        List<String> schemas = new ArrayList<>(names.schemas());
        schemas.remove(name);
        DatasetState left = with(new NamedTables(names.tables(), names.views(), names.comments(), schemas));
        if (left.schemaNames().contains(name)) {
            throw new QueryException(
                            SqlState.DEPENDENT_OBJECTS_STILL_EXIST,
                            "cannot drop schema " + name + " because other objects depend on it")
                    .withHint("Use DROP ... CASCADE to drop the dependent objects too.");
        }
        return left;
    }
}
