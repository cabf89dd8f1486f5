package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.table.Catalog;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The temporary tables of a session, in [Catalog#TEMPORARY_SCHEMA]: their files lie where statements stage rows, and
/// go with the session.
///
/// - Threads: one.
public final class SessionTables implements AutoCloseable {
    private Map<List<String>, Manifest.TableEntry> tables = Map.of();
    private StagedFolder folder; // null before the first file
    private long version;

    public boolean isEmpty() {
        return tables.isEmpty();
    }

    /// Another one whenever they are not what they were.
    public long version() {
        return version;
    }

    Map<List<String>, Manifest.TableEntry> tables() {
        return tables;
    }

    /// Where their files lie.
    StagedFolder folder(Path root) {
        if (folder == null) {
            folder = StagedFolder.begin(root);
        }
        return folder;
    }

    /// Has these in place of those before.
    ///
    /// @param all those of a dataset, of which the temporary ones are taken
    void become(Map<List<String>, Manifest.TableEntry> all) {
        Map<List<String>, Manifest.TableEntry> own = new HashMap<>(all);
        own.keySet().removeIf(table -> !table.getFirst().equals(Catalog.TEMPORARY_SCHEMA));
        if (!own.equals(tables)) {
            tables = Map.copyOf(own);
            version++;
        }
    }

    /// Removes files that are part of none of them; one that cannot be goes with the session.
    void clean(Path root) {
        if (folder == null) {
            return;
        }
        Set<Path> used = new HashSet<>();
        tables.values().forEach(table -> table.files().forEach(file -> used.add(root.resolve(file.path()))));
        folder.removeOthers(used);
    }

    /// Drops them all.
    @Override
    public void close() {
        tables = Map.of();
        version++;
        StagedFolder own = folder;
        folder = null;
        if (own != null) {
            own.close();
        }
    }
}
