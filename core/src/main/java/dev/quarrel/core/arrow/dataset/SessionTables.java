package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.table.Catalog;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The temporary tables and views of a session, in [Catalog#TEMPORARY_SCHEMA]: the tables' files lie where statements
/// stage rows, and go with the session.
///
/// - Threads: one.
public final class SessionTables implements AutoCloseable {
    private Map<List<String>, Manifest.TableEntry> tables = Map.of();
    private List<NamedView> views = List.of();
    private StagedFolder folder; // null before the first file
    private long version;

    public boolean isEmpty() {
        return tables.isEmpty() && views.isEmpty();
    }

    /// Another one whenever they are not what they were.
    public long version() {
        return version;
    }

    Map<List<String>, Manifest.TableEntry> tables() {
        return tables;
    }

    List<NamedView> views() {
        return views;
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
    /// @param all a dataset with these, which are taken
    void become(DatasetState all) {
        Map<List<String>, Manifest.TableEntry> own = new HashMap<>(all.tables());
        own.keySet().removeIf(table -> !table.getFirst().equals(Catalog.TEMPORARY_SCHEMA));
        List<NamedView> ownViews = all.temporaryViews();
        if (!own.equals(tables) || !ownViews.equals(views)) {
            tables = Map.copyOf(own);
            views = ownViews;
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
        views = List.of();
        version++;
        StagedFolder own = folder;
        folder = null;
        if (own != null) {
            own.close();
        }
    }
}
