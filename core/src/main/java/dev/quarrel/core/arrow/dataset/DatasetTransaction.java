package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.dataset.TableOpener.OpenTable;
import dev.quarrel.core.arrow.dataset.rows.MetRows;
import dev.quarrel.core.column.Batch;
import dev.quarrel.core.table.Catalog;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.ColumnDefault;
import dev.quarrel.core.table.Counter;
import dev.quarrel.core.table.CounterMoves;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/// Changes of a dataset that are made together or not at all: rows, tables, views, schemas, and what is said of them.
///
/// Each change is checked against the dataset as it was when the transaction began, with the changes before it, and
/// seen by [#snapshot] alone. [#commit] makes them all in the dataset as it is then, as one run, which nobody sees
/// half; others may have changed it meanwhile, and a change that does not fit any more is an error, of which nothing is
/// left.
///
/// - Errors: of changes, `QueryException` with PostgreSQL's SQLSTATEs: 42P07, 42P01, 3F000, ….
/// - Memory: the rows' files lie in `ROOT/_staged/`, and go when it is closed without a commit.
/// - Threads: one; snapshots may be read by any.
public final class DatasetTransaction implements AutoCloseable {
    private final DatasetCatalog dataset;
    private final Shared<CatalogSnapshot> begun; // guarded by the dataset
    private final SessionTables session;
    private final DatasetState stored; // without the session's tables
    private final DatasetState before;
    private final Set<List<String>> lively; // tables of which others have rows that lie in no file
    private final List<UnaryOperator<DatasetState>> changes = new ArrayList<>();
    private final Map<List<String>, PendingRows> pending = new LinkedHashMap<>();
    private final CounterMoves moves;
    private boolean isOfSession; // whether the session's folder may have files that are none of its tables'
    private StagedFolder folder; // null before the first file
    private final Map<List<String>, OpenTable> opened = new HashMap<>(); // of those that it has changed
    private DatasetState state;
    private DatasetState shownState; // that these are of; null for none yet
    private Map<String, Map<String, Table>> shown;
    private long shownVersion;
    private String source = "SQL";

    private DatasetTransaction(
            DatasetCatalog dataset,
            SessionTables session,
            CatalogSnapshot begun,
            DatasetState stored,
            Set<List<String>> lively) {
        this.dataset = dataset;
        this.session = session;
        this.begun = new Shared<>(begun, () -> {}).use();
        this.stored = stored;
        this.before = stored.with(session);
        this.lively = lively;
        this.state = before;
        this.moves = new CounterMoves(dataset.counters());
    }

    /// - Errors: `QueryException` 55000 where nothing can be written.
    public static DatasetTransaction begin(OverDataset catalog) {
        return begin(catalog, new SessionTables());
    }

    /// The same of a session with temporary tables.
    public static DatasetTransaction begin(OverDataset catalog, SessionTables session) {
        DatasetCatalog dataset = catalog.dataset();
        dataset.requireNewest();
        while (true) {
            try (CatalogSnapshot own = dataset.snapshot()) {
                CatalogSnapshot seen = catalog.snapshot();
                try (CatalogSnapshot after = dataset.snapshot()) {
                    if (own.version() == after.version()) {
                        CatalogSnapshot taken = seen;
                        seen = null;
                        return new DatasetTransaction(
                                dataset, session, taken, DatasetCatalog.stateOf(own), lively(own, taken));
                    }
                } finally {
                    if (seen != null) {
                        seen.close();
                    }
                }
            }
        }
    }

    private static Set<List<String>> lively(CatalogSnapshot files, CatalogSnapshot seen) {
        Set<List<String>> lively = new HashSet<>();
        for (String schemaName : seen.schemaNames()) {
            for (Table table : seen.tables(schemaName)) {
                Table stored = files.table(schemaName, table.name());
                if (stored == null || stored.getClass() != table.getClass()) {
                    lively.add(List.of(schemaName, table.name()));
                }
            }
        }
        return lively;
    }

    /// Whether events come into a table at this moment, which a transaction of several statements cannot show beside
    /// its own rows.
    public boolean isLive(String schemaName, String name) {
        return lively.contains(List.of(schemaName, name));
    }

    /// The dataset's folder.
    public Path root() {
        return dataset.root();
    }

    /// - Errors: as [DatasetCatalog#requireReadable].
    public void requireReadable(Path path, List<Path> roots) {
        dataset.requireReadable(path, roots);
    }

    /// A named table with its files' columns: as [DatasetCatalog#described].
    public NamedTable described(NamedTable table, List<Path> roots) {
        return dataset.described(table, roots);
    }

    /// Whether rows were added since the last [#snapshot].
    public boolean hasPending() {
        return !pending.isEmpty();
    }

    /// How many changes there are, for [#undo].
    public int position() {
        return changes.size();
    }

    /// How far it has come, for [#backTo].
    public int mark() {
        flush();
        return changes.size();
    }

    /// Undoes all since a mark.
    public void backTo(int mark) {
        forgetPending();
        undo(mark);
    }

    /// Undoes the changes of a statement that fails.
    public void undo(int position) {
        if (position < changes.size()) {
            changes.subList(position, changes.size()).clear();
            state = before;
            for (UnaryOperator<DatasetState> change : changes) {
                state = change.apply(state);
            }
        }
    }

    private void change(UnaryOperator<DatasetState> change) {
        flush();
        state = change.apply(state);
        changes.add(change);
    }

    /// Where a statement writes rows. They are part of nothing until one of the changes below takes them.
    ///
    /// @param schemaName of the table that they are for
    public StagedTable stage(String schemaName) {
        if (schemaName.equals(Catalog.TEMPORARY_SCHEMA)) {
            isOfSession = true;
            return new StagedTable(session.folder(dataset.root()));
        }
        if (folder == null) {
            folder = StagedFolder.begin(dataset.root());
        }
        return new StagedTable(folder);
    }

    /// Has a temporary table dropped at the end of the transaction.
    public void dropAtCommit(String name) {
        change(now -> now.withPassing(List.of(Catalog.TEMPORARY_SCHEMA, name)));
    }

    /// Whether a relation has that name.
    public boolean isThere(String schemaName, String name) {
        return state.isThere(schemaName, name) || isLive(schemaName, name);
    }

    public Set<String> schemaNames() {
        return state.schemaNames();
    }

    /// Whether the session has temporary tables or views, those that the transaction makes among them.
    public boolean hasTemporary() {
        return state.hasTemporary();
    }

    /// Makes a table of rows.
    ///
    /// @param mayBe whether nothing is done where somebody else has made one of the name meanwhile
    public void createTable(String schemaName, String name, boolean mayBe, StagedTable rows) {
        createTable(schemaName, name, mayBe, rows, List.of(), List.of());
    }

    /// The same of one with defaults and keys.
    ///
    /// @param keys of rows that come; there are none yet
    public void createTable(
            String schemaName,
            String name,
            boolean mayBe,
            StagedTable rows,
            List<ColumnDefault> defaults,
            List<UniqueKey> keys) {
        Path root = dataset.root();
        change(now -> mayBe && now.isThere(schemaName, name)
                ? now
                : now.withTable(schemaName, name, root, rows.files(), defaults, keys));
    }

    /// Whether a table of the schema has a key of that name.
    public boolean isIndex(String schemaName, String name) {
        return state.isIndex(schemaName, name);
    }

    /// An id for a new counter, unlike all others.
    public static long newCounterId() {
        return CounterMoves.newId();
    }

    /// The first of some values of a counter that nobody else gets; the others follow, an increment apart. They are
    /// used up whatever becomes of the transaction.
    ///
    /// - Errors: 2200H where the column has no room for them.
    ///
    /// @param most the greatest value that the column holds
    public long nextValues(Counter counter, long count, String typeName, long most) {
        return moves.take(counter, count, typeName, most);
    }

    /// Gives a column another default.
    ///
    /// @param newDefault null for none
    public void setDefault(String schemaName, String name, String column, ColumnDefault newDefault) {
        change(now -> now.withDefault(schemaName, name, column, newDefault));
    }

    /// Has a table's counters begin again.
    public void restartCounters(String schemaName, String name) {
        change(now -> now.withRestartedCounters(schemaName, name));
    }

    /// Holds a table's rows to a key, those that it has and those that come.
    ///
    /// - Errors: 23505 where they are not, 23502 for NULL in a primary key.
    public void addKey(String schemaName, String name, UniqueKey key) {
        Path root = dataset.root();
        change(now -> now.withKey(schemaName, name, root, key));
    }

    public void dropKey(String schemaName, String name, String key) {
        change(now -> now.withoutKey(schemaName, name, key));
    }

    /// Says whether a column may be NULL.
    ///
    /// - Errors: 23502 where it is and may not be.
    public void setNullable(String schemaName, String name, String column, boolean isNullable) {
        Path root = dataset.root();
        change(now -> now.withNullable(schemaName, name, root, column, isNullable));
    }

    /// Adds rows to a table.
    ///
    /// @param from what the run that has them says of their source
    public void append(String schemaName, String name, StagedTable rows, String from) {
        append(schemaName, name, rows, from, new KeyCheck(dataset.root()));
    }

    private void append(String schemaName, String name, StagedTable rows, String from, KeyCheck keys) {
        Path root = dataset.root();
        source = changes.isEmpty() ? from : "SQL";
        change(now -> now.withRows(schemaName, name, root, rows.files(), keys));
    }

    /// Adds a few rows to a table: many such follow each other, and become files when somebody looks.
    ///
    /// @param columns of the rows; those of the table that are not among them are NULL
    /// @param rows stay the caller's
    public void append(String schemaName, String name, Schema columns, Batch rows) {
        List<String> place = List.of(schemaName, name);
        PendingRows known = pending.get(place);
        if (known != null && !known.takes(columns)) {
            flush();
        }
        PendingRows before = pending.get(place);
        KeyCheck keys = before == null ? new KeyCheck(dataset.root()) : before.keys();
        Manifest.TableEntry table = state.tables().get(place);
        if (table != null) {
            keys.require(table, columns, rows);
        }
        pending.computeIfAbsent(place, _ -> new PendingRows(schemaName, name, columns, keys))
                .add(rows);
    }

    /// Writes the rows that lie in no file.
    private void flush() {
        List<PendingRows> all = List.copyOf(pending.values());
        pending.clear();
        try {
            for (PendingRows rows : all) {
                StagedTable staged = stage(rows.schemaName());
                rows.writeTo(staged);
                append(rows.schemaName(), rows.name(), staged, "SQL", rows.keys());
            }
        } finally {
            all.forEach(PendingRows::close);
        }
    }

    private void forgetPending() {
        pending.values().forEach(PendingRows::close);
        pending.clear();
    }

    /// Takes all rows out of a table.
    ///
    /// @param rows a file without any, of the table's columns; null for a table of which such a file cannot be
    ///     written
    public void truncate(String schemaName, String name, StagedTable rows) {
        Path root = dataset.root();
        change(now ->
                rows == null ? now.withoutRows(schemaName, name) : now.withOnly(schemaName, name, root, rows.files()));
    }

    /// Tells rows to insert that are equal, by one of some keys, to one of a table's, or to one before them.
    ///
    /// - Memory: the caller closes the result, before the rows, which stay the caller's.
    ///
    /// @param columns that the rows have: all of the keys' among them
    /// @param skips whether one that is so is not inserted: what comes behind it may be equal to it
    public MetRows met(
            String schemaName, String name, List<UniqueKey> keys, Schema columns, List<Batch> rows, boolean skips) {
        flush();
        Manifest.TableEntry table = state.tables().get(List.of(schemaName, name));
        return KeyCheck.met(dataset.root(), table, keys, columns, rows, skips);
    }

    /// Takes rows out of a table.
    ///
    /// - Errors: 40001, here or at the commit, where somebody else has taken one of them.
    ///
    /// @param rows unique ones
    public void deleteRows(String schemaName, String name, FoundRows rows) {
        Map<String, long[]> places = new HashMap<>();
        rows.byFile().forEach((path, each) -> places.put(DatasetFiles.below(dataset.root(), Path.of(path)), each));
        change(now -> now.withoutRows(schemaName, name, places));
    }

    /// How many rows a table of the dataset's or the session's has.
    public long rowCount(String schemaName, String name) {
        flush();
        return state.tables().get(List.of(schemaName, name)).files().stream()
                .mapToLong(Manifest.FileEntry::liveRows)
                .sum();
    }

    /// Adds a column to a table.
    ///
    /// - Errors: 23502 for NULL in its rows, where there may be none.
    ///
    /// @param value what it holds in them, as manifests have the values of keys; null for NULL
    /// @param newDefault null for none
    public void addColumn(String schemaName, String name, Field column, String value, ColumnDefault newDefault) {
        change(now -> now.withColumn(schemaName, name, column, value, newDefault));
    }

    /// Takes tables out of the dataset. Who reads them keeps their files until he is done.
    ///
    /// @param tables each as schema and name
    public void dropTables(Set<List<String>> tables) {
        Set<List<String>> dropped = Set.copyOf(tables);
        change(now -> now.withoutTables(dropped));
    }

    /// Gives a table, a view or a named table another name or schema.
    ///
    /// @param from schema and name
    /// @param to schema and name
    public void rename(List<String> from, List<String> to) {
        change(now -> now.renamed(from, to));
    }

    /// Makes a view, or another one of its name.
    public void createView(NamedView view, boolean orReplace) {
        change(now -> now.withView(view, orReplace));
    }

    /// @param views each as schema and name
    public void dropViews(Set<List<String>> views) {
        Set<List<String>> dropped = Set.copyOf(views);
        change(now -> now.withoutViews(dropped));
    }

    /// Names a table over files: `_tables.json` has it.
    ///
    /// - Errors: 42501 for files elsewhere; what is wrong with its files.
    ///
    /// @param roots folders below which its files must lie, or else below the dataset's own
    public void name(NamedTable table, List<Path> roots) {
        if (isThere(table.schemaName(), table.name())) {
            throw new QueryException(SqlState.DUPLICATE_TABLE, "relation \"" + table.name() + "\" already exists");
        }
        dataset.check(table, roots);
        change(now -> now.withNamed(table));
    }

    /// Forgets tables that were named; their files stay.
    ///
    /// - Errors: 55000 for one that is named for this process alone.
    ///
    /// @param tables each as schema and name
    public void dropNamed(Collection<List<String>> tables) {
        Set<List<String>> dropped = Set.copyOf(tables);
        change(now -> now.withoutNamed(dropped));
    }

    /// Says something of a relation, or of a column.
    ///
    /// @param column null for the relation itself
    /// @param text null to take back what was said
    public void comment(String schemaName, String relation, String column, String text) {
        change(now -> now.withComment(schemaName, relation, column, text));
    }

    /// Makes a schema without relations.
    public void createSchema(String name) {
        change(now -> now.withSchema(name));
    }

    /// Drops a schema that has no relations.
    public void dropSchema(String name) {
        change(now -> now.withoutSchema(name));
    }

    /// The catalog with the changes up to now. The caller closes it, sooner or later than this.
    public CatalogSnapshot snapshot() {
        flush();
        return definitions();
    }

    /// The same for who looks at definitions alone: rows that were added last may not be there.
    public CatalogSnapshot definitions() {
        if (shownState != state) {
            openChanged();
            shown = shown();
            shownVersion = ChangedSnapshot.nextVersion();
            shownState = state;
        }
        List<OpenTable> used = List.copyOf(opened.values());
        synchronized (dataset) {
            used.forEach(OpenTable::use);
            begun.use();
        }
        return new ChangedSnapshot(
                shownVersion, shown, state.names(), begun.value().defaultCollation(), () -> {
                    synchronized (dataset) {
                        used.forEach(OpenTable::letGo);
                        begun.letGo();
                    }
                });
    }

    private Map<String, Map<String, Table>> shown() {
        CatalogSnapshot base = begun.value();
        Set<String> schemas = state.schemaNames();
        Map<String, Map<String, Table>> bySchema = new TreeMap<>();
        for (String schemaName : base.schemaNames()) {
            Map<String, Table> tables = new TreeMap<>();
            for (Table table : base.tables(schemaName)) {
                if (isLeft(schemaName, table.name())) {
                    tables.put(table.name(), table);
                }
            }
            if (!tables.isEmpty() || schemas.contains(schemaName)) {
                bySchema.put(schemaName, tables);
            }
        }
        schemas.forEach(name -> bySchema.computeIfAbsent(name, _ -> new TreeMap<>()));
        opened.values().forEach(open -> {
            Table table = open.table();
            bySchema.get(table.schemaName()).put(table.name(), table);
        });
        state.names().views().forEach(view -> bySchema.get(view.schemaName()).put(view.name(), view));
        return bySchema;
    }

    /// Whether a relation is still the one that it was.
    private boolean isLeft(String schemaName, String name) {
        List<String> place = List.of(schemaName, name);
        if (stored.others().contains(place) || isLive(schemaName, name) && !stored.isThere(schemaName, name)) {
            return true;
        }
        return Objects.equals(state.tables().get(place), stored.tables().get(place))
                && Objects.equals(
                        state.names().find(schemaName, name), stored.names().find(schemaName, name))
                && Objects.equals(
                        state.names().view(schemaName, name), stored.names().view(schemaName, name));
    }

    /// Opens the tables that are not what they were, each once for each of its states.
    private void openChanged() {
        Map<List<String>, DatasetListing.TableFiles> wanted = new HashMap<>();
        state.tables().forEach((place, table) -> {
            if (!table.equals(stored.tables().get(place))) {
                wanted.put(
                        place,
                        DatasetListing.files(table, file -> dataset.root().resolve(file.path())));
            }
        });
        for (NamedTable table : state.names().tables()) {
            if (!table.equals(stored.names().find(table.schemaName(), table.name()))) {
                wanted.put(
                        List.of(table.schemaName(), table.name()),
                        DatasetListing.TableFiles.of(table, dataset.root(), new FileWatch()));
            }
        }
        Map<List<String>, OpenTable> next = new HashMap<>();
        try {
            wanted.forEach((place, files) -> next.put(place, dataset.opened(files, opened.get(place))));
        } catch (RuntimeException | Error wrong) {
            synchronized (dataset) {
                next.values().forEach(OpenTable::letGo);
            }
            throw wrong;
        }
        letGo();
        opened.putAll(next);
    }

    private void letGo() {
        synchronized (dataset) {
            opened.values().forEach(OpenTable::letGo);
        }
        opened.clear();
    }

    /// Makes the changes in the dataset.
    ///
    /// - Errors: of changes that do not fit any more, and the writer's; nothing is changed then.
    ///
    /// @param check run from time to time; what it throws ends the waiting for other runs
    public void commit(Runnable check) {
        flush();
        if (changes.isEmpty()) {
            return;
        }
        if (!state.passing().isEmpty()) {
            dropTables(state.passing());
        }
        if (!moves.isEmpty()) {
            change(now -> now.withCounters(moves));
        }
        boolean isOfManifest = !state.lasting().equals(stored.tables());
        isOfSession |= !session.isEmpty();
        session.become(dataset.commit(changes, session, isOfManifest, source, check));
        changes.clear();
    }

    /// Gives up what was not committed.
    @Override
    public void close() {
        forgetPending();
        letGo();
        synchronized (dataset) {
            begun.letGo();
        }
        try {
            if (isOfSession) {
                session.clean(dataset.root());
            }
        } finally {
            if (folder != null) {
                folder.close();
            }
        }
    }
}
