package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.FileStamp;
import dev.quarrel.core.type.Field;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which columns the tables of a dataset's schema `public` have by its manifest, and which names are of views and
/// foreign tables: for who adds rows to tables that others make and change meanwhile.
///
/// - Threads: one looks; any may ask.
public final class StoredTables {
    private final Path root;
    private FileStamp manifest; // null where it is to be read again in any case
    private FileStamp names;
    private volatile State state = new State(Map.of(), Set.of(), Set.of());

    private record State(Map<String, List<Field>> fields, Set<String> keyed, Set<String> others) {}

    public StoredTables(Path root) {
        this.root = root;
    }

    /// Reads the dataset's definitions, if they may have changed.
    ///
    /// - Errors: `QueryException` 58030 or XX001 naming the file; what was known stays known, and the file is read
    ///   again when it changes.
    ///
    /// @return whether they have changed
    public boolean look() {
        FileStamp newManifest = FileStamp.of(root.resolve(Manifest.FILE_NAME));
        FileStamp newNames = FileStamp.of(root.resolve(NamedTables.FILE_NAME));
        if (newManifest.equals(manifest) && newNames.equals(names)) {
            return false;
        }
        // One that was written just now may be written again within the same step of its time.
        boolean isSettled = newManifest.unsettledNanos() == 0 && newNames.unsettledNanos() == 0;
        manifest = isSettled ? newManifest : null;
        names = newNames;
        State before = state;
        state = read();
        return !state.equals(before);
    }

    private State read() {
        Map<String, List<Field>> fields = new HashMap<>();
        Set<String> keyed = new HashSet<>();
        Manifest tables = Manifest.read(root);
        if (tables != null) {
            tables.tables().stream()
                    .filter(table -> isPublic(table.schemaName()))
                    .forEach(table -> {
                        fields.put(table.name(), table.fields());
                        if (!table.enforcedKeys().isEmpty()) {
                            keyed.add(table.name());
                        }
                    });
        }
        return new State(fields, keyed, others(root));
    }

    /// The names of views and foreign tables.
    ///
    /// - Errors: as `look`.
    public static Set<String> others(Path root) {
        NamedTables named = NamedTables.read(root);
        Set<String> others = new HashSet<>();
        named.views().stream().filter(view -> isPublic(view.schemaName())).forEach(view -> others.add(view.name()));
        named.tables().stream()
                .filter(table -> isPublic(table.schemaName()))
                .forEach(table -> others.add(table.name()));
        return others;
    }

    private static boolean isPublic(String schemaName) {
        return schemaName.equals(DatasetCatalog.DEFAULT_SCHEMA);
    }

    /// A table's columns, with those that stand in the names of folders; none where it is not there.
    public List<Field> fields(String table) {
        return state.fields().getOrDefault(table, List.of());
    }

    /// Whether a table has keys that rows are held to.
    public boolean isKeyed(String table) {
        return state.keyed().contains(table);
    }

    /// Whether the name is a view's, or a foreign table's.
    public boolean isOther(String name) {
        return state.others().contains(name);
    }
}
