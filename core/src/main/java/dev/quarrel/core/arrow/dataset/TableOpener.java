package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFile;
import dev.quarrel.core.arrow.FileFault;
import dev.quarrel.core.arrow.FilePart;
import dev.quarrel.core.arrow.FileStamp;
import dev.quarrel.core.arrow.FooterStats;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.arrow.stats.FileStats;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/// Opens the files that a catalog's tables read, each once, and has statistics made of those that bring none.
///
/// - Threads: share it freely; files are opened outside of any lock.
final class TableOpener {
    private static final int MAX_WAITS = 10;

    private final Object lock; // the catalog's
    private final Path copies;
    private final StatsMaker maker; // null: statistics are those that files bring
    private final Consumer<Path> onOpen; // told of each file before it is opened
    private final Runnable onStats; // called with the lock when statistics of a file have been made

    // All guarded by the lock.
    private final Map<FileIdentity, Shared<ArrowFile>> openFiles = new HashMap<>();
    private final Map<FileIdentity, FileStats> madeStats = new HashMap<>(); // of open files
    private boolean closed;

    TableOpener(Object lock, Path copies, StatsMaker maker, Consumer<Path> onOpen, Runnable onStats) {
        this.lock = lock;
        this.copies = copies;
        this.maker = maker;
        this.onOpen = onOpen;
        this.onStats = onStats;
    }

    record FileIdentity(Path path, FileStamp stamp) {}

    /// A table with the files it reads; made anew only when one of them or its columns change.
    record OpenTable(
            DatasetListing.TableFiles listed,
            List<FileIdentity> identities,
            Table table,
            Shared<ArrowTable> owner,
            List<Shared<ArrowFile>> files,
            List<FileIdentity> unknown) { // files without statistics
        OpenTable use() {
            files.forEach(Shared::use);
            if (owner != null) {
                owner.use();
            }
            return this;
        }

        void letGo() {
            if (owner != null) {
                owner.letGo();
            }
            files.forEach(Shared::letGo);
        }
    }

    /// `known` if it is still right, or the table opened anew; counted as used by the caller.
    OpenTable opened(DatasetListing.TableFiles listed, OpenTable known) {
        return opened(
                listed,
                known,
                listed.files().stream().map(TableOpener::identity).toList());
    }

    /// The same for who sees an earlier state: files that have been replaced since are those that are still open.
    OpenTable openedAgain(DatasetListing.TableFiles listed, OpenTable known) {
        List<FileIdentity> identities = listed.files().stream()
                .map(file -> {
                    FileIdentity identity = identity(file);
                    return identity.stamp().isMissing() && file.isOfRun() ? opened(identity) : identity;
                })
                .toList();
        return opened(listed, known, identities);
    }

    private FileIdentity opened(FileIdentity moved) {
        synchronized (lock) {
            return openFiles.keySet().stream()
                    .filter(open -> open.path().equals(moved.path()))
                    .findFirst()
                    .orElse(moved);
        }
    }

    private OpenTable opened(DatasetListing.TableFiles listed, OpenTable known, List<FileIdentity> identities) {
        if (known != null && isSame(known, listed, identities)) {
            synchronized (lock) {
                if (!isBetterKnown(known)) {
                    return known.use();
                }
            }
        }
        if (listed.fault() != null) {
            return broken(listed, identities, listed.fault());
        }
        List<Shared<ArrowFile>> files = new ArrayList<>();
        try {
            List<TableFile.Part> parts = new ArrayList<>();
            List<FileIdentity> unknown = new ArrayList<>();
            QueryException firstFault = null;
            for (int index = 0; index < identities.size(); index++) {
                FileIdentity identity = identities.get(index);
                DatasetListing.ListedFile file = listed.files().get(index);
                try {
                    Shared<ArrowFile> opened = file(identity, file);
                    files.add(opened);
                    FileStats own = checked(opened.value(), file.entry(), listed.fields());
                    boolean isAll =
                            own != null && opened.value().parts().stream().noneMatch(FilePart::isMember);
                    FileStats made = isAll ? null : made(identity, opened.value());
                    if (!isAll && made == null) {
                        unknown.add(identity);
                    }
                    FileStats stats = own == null ? made : made == null ? own : own.withMore(made);
                    parts.add(
                            new TableFile.Part(file.path(), opened.value(), null, file.keys(), stats, file.deleted()));
                } catch (QueryException fault) {
                    if (file.entry() != null) {
                        throw fault; // the manifest vouches for all of them
                    }
                    firstFault = firstFault == null ? fault : firstFault;
                    parts.add(new TableFile.Part(file.path(), null, fault, file.keys(), null));
                }
            }
            boolean isDeclared = listed.named() != null && listed.named().isDeclared();
            if (firstFault != null && files.isEmpty() && !isDeclared) {
                throw firstFault;
            }
            ArrowTable table = ArrowTable.of(listed, parts);
            if (maker != null && !unknown.isEmpty()) {
                table.onFirstRead(() -> unknown.forEach(this::look));
            }
            return new OpenTable(
                    listed,
                    identities,
                    table,
                    new Shared<>(table, () -> {}).use(),
                    List.copyOf(files),
                    List.copyOf(unknown));
        } catch (RuntimeException | Error e) {
            synchronized (lock) {
                files.forEach(Shared::letGo);
            }
            if (!(e instanceof QueryException fault)) {
                throw e;
            }
            return broken(listed, identities, fault);
        }
    }

    /// Statistics made of a file that brings none, or null.
    private FileStats made(FileIdentity identity, ArrowFile file) {
        if (maker == null) {
            return null;
        }
        synchronized (lock) {
            FileStats made = madeStats.get(identity);
            if (made != null) {
                return made;
            }
        }
        FileStats made = maker.known(file, identity.stamp());
        if (made != null) {
            synchronized (lock) {
                madeStats.put(identity, made);
            }
        }
        return made;
    }

    /// Whether statistics of all of a table's files have come that had none when it was opened.
    private boolean isBetterKnown(OpenTable known) {
        return !known.unknown().isEmpty() && madeStats.keySet().containsAll(known.unknown());
    }

    /// Has a file looked at, which stays open until that is done.
    private void look(FileIdentity identity) {
        Shared<ArrowFile> file;
        synchronized (lock) {
            file = openFiles.get(identity);
            if (closed || file == null || madeStats.containsKey(identity)) {
                return;
            }
            file.use();
        }
        maker.add(new StatsMaker.Job(file.value(), identity.stamp(), (_, stats) -> {
            synchronized (lock) {
                if (stats != null) {
                    madeStats.put(identity, stats);
                    onStats.run();
                }
                file.letGo();
            }
        }));
    }

    /// A file of others may be changing at this moment: it is opened as it is after a step of the clock without a
    /// change, so that the next one is seen.
    private static FileIdentity identity(DatasetListing.ListedFile file) {
        FileStamp stamp = FileStamp.of(file.path());
        for (int waits = 0; waits < MAX_WAITS && !file.isOfRun() && stamp.unsettledNanos() > 0; waits++) {
            LockSupport.parkNanos(stamp.unsettledNanos());
            stamp = FileStamp.of(file.path());
        }
        return new FileIdentity(file.path(), stamp);
    }

    private ArrowFile open(FileIdentity identity, DatasetListing.ListedFile file) {
        if (file.isOfRun()) {
            return ArrowFile.openRun(identity.path(), file.entry().bytes());
        }
        if (identity.stamp().unsettledNanos() > 0) {
            throw new FileFault(identity.path()).unreadable("it is being written", null);
        }
        return ArrowFile.open(identity.path(), identity.stamp(), copies);
    }

    /// A file that is open, or opened now, outside of any lock; counted as used by the caller.
    private Shared<ArrowFile> file(FileIdentity identity, DatasetListing.ListedFile file) {
        synchronized (lock) {
            Shared<ArrowFile> known = openFiles.get(identity);
            if (known != null) {
                return known.use();
            }
        }
        onOpen.accept(identity.path());
        ArrowFile opened = open(identity, file);
        synchronized (lock) {
            Shared<ArrowFile> known = openFiles.get(identity);
            if (known != null) { // of two tables that read it
                opened.close();
                return known.use();
            }
            Shared<ArrowFile> shared = new Shared<>(opened, () -> {
                openFiles.remove(identity);
                madeStats.remove(identity);
            });
            openFiles.put(identity, shared);
            return shared.use();
        }
    }

    /// Compares a file with its entry in the manifest; answers its statistics in its own order of columns.
    private static FileStats checked(ArrowFile file, Manifest.FileEntry entry, List<Field> fields) {
        if (entry == null) {
            return FooterStats.of(file);
        }
        if (file.byteSize() != entry.bytes() || file.rowCount() != entry.rows()) {
            throw file.fault()
                    .corrupt("it has " + file.byteSize() + " bytes and " + file.rowCount() + " rows, the manifest says "
                            + entry.bytes() + " and " + entry.rows());
        }
        FileStats stats = statsOf(entry, file, fields);
        return stats == null ? FooterStats.of(file) : stats;
    }

    /// What a table's manifest says of a file's batches, in the file's own order of columns; null where it says
    /// nothing, or speaks of others.
    static FileStats statsOf(Manifest.FileEntry entry, ArrowFile file, List<Field> fields) {
        FileStats stats = entry.stats();
        boolean fits = stats != null && stats.batches().size() == file.batchCount();
        for (int batch = 0; fits && batch < file.batchCount(); batch++) {
            fits = stats.batches().get(batch).rowCount() == file.batchRows(batch);
        }
        return fits ? stats.reordered(new Schema(fields), file.schema()) : null;
    }

    static OpenTable broken(DatasetListing.TableFiles listed, List<FileIdentity> identities, QueryException fault) {
        List<Field> fields = listed.named() != null
                ? listed.named().fields()
                : listed.fields() == null ? List.of() : listed.fields();
        Table table = new BrokenTable(listed.schemaName(), listed.name(), fields, fault, listed.named());
        return new OpenTable(listed, identities, table, null, List.of(), List.of());
    }

    private static boolean isSame(OpenTable known, DatasetListing.TableFiles listed, List<FileIdentity> identities) {
        boolean sameFault = known.listed().fault() == null
                ? listed.fault() == null
                : listed.fault() != null
                        && listed.fault()
                                .getMessage()
                                .equals(known.listed().fault().getMessage());
        return sameFault
                && known.identities().equals(identities)
                && deletedRows(known.listed()).equals(deletedRows(listed))
                && Objects.equals(known.listed().fields(), listed.fields())
                && known.listed().uniqueKeys().equals(listed.uniqueKeys())
                && known.listed().defaults().equals(listed.defaults())
                && Objects.equals(known.listed().named(), listed.named());
    }

    private static List<DeletedRows> deletedRows(DatasetListing.TableFiles listed) {
        return listed.files().stream().map(DatasetListing.ListedFile::deleted).toList();
    }

    /// No file is looked at any more.
    void close() {
        synchronized (lock) {
            closed = true;
        }
        if (maker != null) {
            maker.close();
        }
    }
}
