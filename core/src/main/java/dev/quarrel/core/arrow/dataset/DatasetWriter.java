package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.arrow.FileAppender;
import dev.quarrel.core.arrow.FileFault;
import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.arrow.OpenFiles;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.arrow.dataset.rows.DeletedRows;
import dev.quarrel.core.table.UniqueKey;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/// Adds one run to a dataset: it writes files next to those in use, then replaces the manifest in one step.
///
/// ```java
/// try (DatasetWriter run = DatasetWriter.begin(root, DatasetWriter.Mode.REPLACE, "ssb")) {
///     try (ArrowFileWriter file = run.create("public", "part", schema, WriteOptions.PLAIN)) {
///         file.append(batch);
///         run.add("public", "part", file.finish());
///     }
///     run.commit(null, null);
/// }
/// ```
///
/// `_SUCCESS` beside the manifest names the last run, and is written after everything else.
///
/// Until `commit` returns, readers see the dataset as it was, whatever becomes of this process. Files are written in
/// `ROOT/_writing/`, and move to their tables' folders just before the manifest is replaced. Once it stands, the files
/// that it lists no more move to `ROOT/_replaced/RUN/`, the run that wrote them: readers that list a table's folder
/// instead of the manifest would read both. A reader that has one open, or mapped, keeps it; one that finds it moved
/// reads the manifest again. Beginning a run removes what dead runs
/// left, and of what earlier runs have replaced all but the states that it is to keep ([KeptRuns]). One run at a
/// time writes to a dataset; a lock on `ROOT/_lock` sees to that, and ends with the process.
///
/// - Threads: `create` and `add` from any; the rest from one.
public final class DatasetWriter implements AutoCloseable {
    static final String LOCK_NAME = "_lock";
    private static final String MARK_NAME = "_SUCCESS";

    // The finished tables of a run that may be continued, written as a manifest is; its one run's source is the key.
    private static final String UNFINISHED_NAME = "_unfinished.json";

    /// The fate of a table's files from earlier runs when this run adds to the table.
    public enum Mode {
        /// They go; tables that this run does not touch stay.
        REPLACE,
        /// They stay, and the new ones follow.
        APPEND
    }

    private static final int KEPT_AS_THEY_ARE = -1;
    private static final long PAUSE_NANOS = 5_000_000;

    /// How long a run waits for another one to end: statements that write, and events, take the dataset for
    /// milliseconds, but all the time.
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    // Beside those that are written at the moment.
    private static final int MOST_IDLE_FILES = 256;

    private record TableKey(String schemaName, String name) {}

    private final Path root;
    private final DatasetFiles places;
    private final Mode mode;
    private final String source;
    private final int run;
    private final Manifest before;
    private final boolean isNew; // the folder
    private final boolean isFirst;
    private final FolderLock lock;
    private final int keptRuns;
    private final KeptRuns kept;
    private final OpenFiles files = new OpenFiles(MOST_IDLE_FILES);
    private final String key;
    private final Map<TableKey, TableAddition> tables = new LinkedHashMap<>(); // guarded by itself
    private final Map<TableKey, Manifest.TableEntry> finished = new LinkedHashMap<>(); // guarded by tables
    private final Map<TableKey, Set<String>> withdrawn = new LinkedHashMap<>(); // guarded by tables
    private boolean areNamesDurable; // guarded by tables
    private final Set<Manifest.FileEntry> taken = new LinkedHashSet<>(); // of other places
    private List<Manifest.TableEntry> becoming; // in place of those before; null where the run adds to them
    private NamedTables becomingNames; // null where they stay
    private boolean committed;

    private DatasetWriter(Path root, boolean isNew, Mode mode, String source, String key, int keptRuns, FolderLock lock)
            throws IOException {
        this.keptRuns = keptRuns;
        this.kept = new KeptRuns(root);
        this.root = root;
        this.places = new DatasetFiles(root);
        this.mode = mode;
        this.source = source;
        this.lock = lock;
        Manifest found = Manifest.read(root);
        this.isNew = isNew;
        this.isFirst = found == null;
        this.before = isFirst ? firstManifest() : found;
        this.key = key;
        NamedTables.settle(root);
        Manifest.Run interrupted = key == null ? null : keepFinished();
        int largest = removeLeftovers();
        this.run = interrupted == null ? largest + 1 : interrupted.id();
    }

    /// Takes over the tables that an interrupted run of the same key has finished, as far as their files are whole.
    ///
    /// @return the interrupted run; null if there is none
    private Manifest.Run keepFinished() {
        Manifest unfinished;
        try {
            unfinished = Manifest.read(root, UNFINISHED_NAME);
        } catch (QueryException _) {
            return null; // what it kept is read again then
        }
        if (unfinished == null
                || unfinished.runs().isEmpty()
                || !key.equals(unfinished.runs().getFirst().origin().source())) {
            return null;
        }
        for (Manifest.TableEntry table : unfinished.tables()) {
            if (table.files().stream().allMatch(this::isWhole)) {
                addition(table.schemaName(), table.name()).addFinished(table);
                finished.put(new TableKey(table.schemaName(), table.name()), table);
            }
        }
        return unfinished.runs().getFirst();
    }

    private boolean isWhole(Manifest.FileEntry file) {
        Path path = places.written(file);
        try {
            return Files.isRegularFile(path)
                    && Files.size(path) == file.bytes()
                    && sha256(path).equals(file.sha256());
        } catch (IOException | QueryException _) {
            return false;
        }
    }

    /// Starts a run, when another one that writes there has ended. ROOT is made if it is missing.
    ///
    /// - Errors: `QueryException` 55000 when another run still writes there after some seconds, or when ROOT holds
    ///   Arrow files but no manifest; 58030 naming the file when the disk fails.
    ///
    /// @param source what the rows come from, without passwords; may be null
    public static DatasetWriter begin(Path root, Mode mode, String source) {
        return begin(root, mode, source, null);
    }

    /// Starts a run, or goes on with one that was interrupted: with the tables that [#finish] was called for.
    ///
    /// @param key what tells runs apart whose files are the same; null for a run that nobody goes on with
    public static DatasetWriter begin(Path root, Mode mode, String source, String key) {
        return begin(root, mode, source, key, 0);
    }

    /// The same, and keeps earlier states of the dataset readable.
    ///
    /// @param keptRuns how many of them, when this run is complete; with 0 what it replaces goes with the run after
    /// it
    public static DatasetWriter begin(Path root, Mode mode, String source, String key, int keptRuns) {
        if (keptRuns < 0) {
            throw new IllegalArgumentException("runs to keep: " + keptRuns);
        }
        long start = System.nanoTime();
        while (true) {
            DatasetWriter writer = beginIfFree(root, mode, source, key, keptRuns);
            if (writer != null) {
                return writer;
            }
            if (System.nanoTime() - start > PATIENCE_NANOS
                    || Thread.currentThread().isInterrupted()) {
                throw new QueryException(
                        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "another run writes to \"" + root + "\" at this moment");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /// The same when no other run writes there any more. The earlier states that are kept stay as they are: neither
    /// goes one, nor does one more stay.
    ///
    /// @param check run from time to time; what it throws ends the waiting
    static DatasetWriter await(Path root, Mode mode, String source, Runnable check) {
        while (true) {
            check.run();
            DatasetWriter writer = beginIfFree(root, mode, source, null, KEPT_AS_THEY_ARE);
            if (writer != null) {
                return writer;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /// Null where another run writes there.
    private static DatasetWriter beginIfFree(Path root, Mode mode, String source, String key, int keptRuns) {
        requireFolder(root);
        ParquetRuns.requireNone(root);
        FolderLock lock = null;
        try {
            boolean isNew = !Files.exists(root);
            Files.createDirectories(root);
            lock = FolderLock.tryLock(root, LOCK_NAME);
            if (lock == null) {
                return null;
            }
            DatasetWriter writer = new DatasetWriter(root, isNew, mode, source, key, keptRuns, lock);
            lock = null;
            return writer;
        } catch (IOException e) {
            throw Durable.failed(root, e);
        } finally {
            if (lock != null) {
                lock.close();
            }
        }
    }

    /// - Errors: `QueryException` 58030 for a file where the folder, or one above it, is to be.
    static void requireFolder(Path root) {
        for (Path there = root.toAbsolutePath(); there != null; there = there.getParent()) {
            if (Files.isDirectory(there)) {
                return;
            }
            if (Files.exists(there)) {
                throw new QueryException(SqlState.IO_ERROR, "\"" + there + "\" is a file, and a dataset is a folder")
                        .withHint("name a folder that is empty or not there, or a dataset's; a single table may go to a"
                                + " file whose name ends in .arrow");
            }
        }
    }

    /// The number of this run: above that of every run before.
    public int run() {
        return run;
    }

    /// The files of a table that an interrupted run has finished, or this one; empty for others.
    public List<Manifest.FileEntry> finishedFiles(String schemaName, String tableName) {
        synchronized (tables) {
            Manifest.TableEntry table = finished.get(new TableKey(schemaName, tableName));
            return table == null ? List.of() : table.files();
        }
    }

    /// Says that all files of a table were added, so that a run of the same key that goes on need not make
    /// them again. Any thread.
    public void finish(String schemaName, String tableName) {
        if (key == null) {
            return;
        }
        synchronized (tables) {
            finished.put(
                    new TableKey(schemaName, tableName),
                    addition(schemaName, tableName).alone());
            Manifest.Run unfinished =
                    new Manifest.Run(run, Manifest.Origin.of(key), Instant.now().truncatedTo(ChronoUnit.MILLIS));
            new Manifest(List.of(unfinished), List.copyOf(finished.values())).write(root, UNFINISHED_NAME);
        }
    }

    /// Looks whether a table takes rows of these columns: an appended run may bring columns that may be NULL before it,
    /// and leave out those that may be NULL.
    ///
    /// - Errors: `QueryException` 42804 naming the table, the column, and both its types.
    public void check(String schemaName, String tableName, List<Field> fields) {
        Manifest.TableEntry table = before(schemaName, tableName);
        if (mode == Mode.APPEND && table != null) {
            TableAddition.check(table, fields, root);
        }
    }

    /// The same for rows of which some columns are written as lists and structs: they must be those that the table has.
    ///
    /// @param nested their types, by name
    public void check(String schemaName, String tableName, List<Field> fields, Map<String, NestedType> nested) {
        check(schemaName, tableName, fields);
        Manifest.TableEntry table = before(schemaName, tableName);
        if (mode == Mode.APPEND && table != null) {
            new AppendedForms(root, table).check(fields, nested);
        }
    }

    /// Starts the next file of a table. Any thread.
    public ArrowFileWriter create(String schemaName, String tableName, Schema schema, WriteOptions options) {
        return create(schemaName, tableName, Map.of(), schema, options);
    }

    /// Starts the next file of a table among those of the same keys. Any thread.
    ///
    /// @param keys names and texts of the columns that stand in the name of the file's folder instead of the
    ///     file, in their order; null for NULL
    public ArrowFileWriter create(
            String schemaName, String tableName, Map<String, String> keys, Schema schema, WriteOptions options) {
        Path base = base(schemaName, tableName);
        synchronized (tables) {
            areNamesDurable |= options.durable();
        }
        return ArrowFileWriter.create(nextPath(schemaName, tableName, keys), schema, options, files, base.equals(root));
    }

    /// Below which a table's files are written.
    private Path base(String schemaName, String tableName) {
        synchronized (tables) {
            return addition(schemaName, tableName).base(places);
        }
    }

    private Path nextPath(String schemaName, String tableName, Map<String, String> keys) {
        int number;
        synchronized (tables) {
            number = addition(schemaName, tableName).nextNumber();
        }
        Path folder = base(schemaName, tableName).resolve(root.relativize(places.folder(schemaName, tableName)));
        for (Map.Entry<String, String> key : keys.entrySet()) {
            folder = folder.resolve(PartitionFolder.name(key.getKey(), key.getValue()));
        }
        return folder.resolve("part-" + run + "-" + number + FileName.ARROW_SUFFIX);
    }

    /// Has the dataset consist of these tables once the run is committed, whatever it had before. Files that statements
    /// have staged move to their tables; those of a table that has another name get a name in its folder, too,
    /// where the disk gives a file two.
    ///
    /// @param state as changes of [#before()] have made it
    /// @param newNames what is named beside the tables from then on; null for what is
    void become(Collection<Manifest.TableEntry> state, NamedTables newNames) {
        Map<String, TableKey> owners = new HashMap<>();
        before.tables()
                .forEach(table -> table.files()
                        .forEach(file -> owners.put(file.path(), new TableKey(table.schemaName(), table.name()))));
        List<Manifest.TableEntry> all = new ArrayList<>();
        for (Manifest.TableEntry table : state) {
            TableKey name = new TableKey(table.schemaName(), table.name());
            List<Manifest.FileEntry> files = new ArrayList<>();
            for (Manifest.FileEntry file : table.files()) {
                boolean isStaged = StagedFolder.holds(file.path());
                files.add(isStaged || !name.equals(owners.getOrDefault(file.path(), name)) ? taken(name, file) : file);
            }
            all.add(table.withFiles(files));
        }
        becoming = all;
        becomingNames = newNames;
        synchronized (tables) {
            areNamesDurable |= !taken.isEmpty();
        }
    }

    /// A file of another place, as one of a table's.
    private Manifest.FileEntry taken(TableKey table, Manifest.FileEntry file) {
        Path from = root.resolve(file.path());
        Path target = nextPath(table.schemaName(), table.name(), file.keys());
        boolean isStaged = StagedFolder.holds(file.path());
        try {
            Files.createDirectories(target.getParent());
            if (isStaged) {
                Files.move(from, target, StandardCopyOption.ATOMIC_MOVE);
            } else {
                Files.createLink(target, from);
            }
        } catch (UnsupportedOperationException | FileSystemException e) {
            if (!isStaged) {
                return file; // it stays where it is: the manifest finds it there
            }
            throw Durable.failed(target, e instanceof IOException io ? io : new IOException(e));
        } catch (IOException e) {
            throw Durable.failed(target, e);
        }
        Manifest.FileEntry entry = file.at(places.finalPath(target), isStaged ? run : file.run());
        taken.add(entry);
        return entry;
    }

    /// Has small files become one where many have come to a table, as [FileMerge] does, those of this run among them.
    void mergeFiles(Runnable check) {
        for (Manifest.TableEntry table : becoming) {
            Manifest.TableEntry old = before(table.schemaName(), table.name());
            boolean isChanged = old == null || !old.files().equals(table.files());
            if (isChanged) {
                FileMerge.into(this, table, WriteOptions.PLAIN, check);
            }
        }
    }

    /// Where a file of a table lies now, of this run or of one before.
    Path place(Manifest.FileEntry file) {
        return places.written(file);
    }

    Path root() {
        return root;
    }

    /// The table as the manifest had it before this run; null where it had none.
    Manifest.TableEntry before(String schemaName, String tableName) {
        return before.tables().stream()
                .filter(each ->
                        each.schemaName().equals(schemaName) && each.name().equals(tableName))
                .findFirst()
                .orElse(null);
    }

    private TableAddition addition(String schemaName, String tableName) {
        return tables.computeIfAbsent(
                new TableKey(schemaName, tableName), _ -> new TableAddition(schemaName, tableName));
    }

    /// Makes a finished file part of the run, and its columns part of the table. Any thread.
    ///
    /// - Errors: `QueryException` 42804 when a column has another type than in the table's other files.
    ///
    /// @return where the file will be once the run is committed
    public Path add(String schemaName, String tableName, WrittenFile file) {
        return add(schemaName, tableName, Map.of(), List.of(), file);
    }

    /// The same for a file of keys.
    ///
    /// @param keys as `create` had them
    /// @param keyFields the columns that they are
    public Path add(
            String schemaName, String tableName, Map<String, String> keys, List<Field> keyFields, WrittenFile file) {
        String path = places.finalPath(file.path());
        Manifest.FileEntry entry =
                new Manifest.FileEntry(path, run, file.rowCount(), file.byteSize(), file.sha256(), keys, file.stats());
        synchronized (tables) {
            addition(schemaName, tableName).add(entry, file.schema(), keyFields, file.path());
        }
        return root.resolve(path);
    }

    /// Says what keys hold in the rows that this run adds to a table. They count where these are all rows of the table:
    /// no key is claimed of rows that several runs have added. Any thread.
    public void declareKeys(String schemaName, String tableName, List<UniqueKey> keys) {
        synchronized (tables) {
            addition(schemaName, tableName).declare(keys);
        }
    }

    /// Says up to where the source of a table was read by this run. Any thread.
    public void declareWatermark(String schemaName, String tableName, Watermark watermark) {
        synchronized (tables) {
            addition(schemaName, tableName).declare(watermark);
        }
    }

    /// Says that this run changes rows of a table: its files before stay, whatever the run's mode, less the rows that
    /// are there no more, and those of this run follow. Keys that are declared hold in all of them. Any thread.
    ///
    /// @param deleted by the files' paths in [#before]; all deleted rows of each, those of earlier runs too
    public void change(String schemaName, String tableName, Map<String, DeletedRows> deleted) {
        synchronized (tables) {
            addition(schemaName, tableName).change(deleted);
        }
    }

    /// The dataset as this run found it.
    public Manifest before() {
        return before;
    }

    /// Takes files of earlier runs out of a table: others have their rows now, or nobody needs them. They go as those
    /// of a replaced run do. Any thread.
    ///
    /// @param paths as the manifest has them
    public void withdraw(String schemaName, String tableName, Set<String> paths) {
        synchronized (tables) {
            withdrawn
                    .computeIfAbsent(new TableKey(schemaName, tableName), _ -> new HashSet<>())
                    .addAll(paths);
        }
    }

    private static Manifest.TableEntry without(Manifest.TableEntry table, Set<String> paths) {
        return table.withFiles(table.files().stream()
                .filter(file -> !paths.contains(file.path()))
                .toList());
    }

    /// The SHA-256 of a file, in lower-case hexadecimal.
    public static String sha256(Path path) {
        try (InputStream input = Files.newInputStream(path)) {
            MessageDigest digest = FileAppender.sha256();
            byte[] buffer = new byte[1 << 18];
            DigestInputStream digesting = new DigestInputStream(input, digest);
            while (digesting.read(buffer) >= 0) {
                // the digest sees what is read
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new FileFault(path).unreadable(String.valueOf(e.getMessage()), e);
        }
    }

    /// Makes the run visible, by replacing the manifest.
    ///
    /// @param snapshot PostgreSQL's snapshot, or null
    /// @param lsn PostgreSQL's position in its log, or null
    public Manifest commit(String snapshot, String lsn) {
        return commit(new Manifest.Origin(source, snapshot, null, lsn, null, null));
    }

    /// Makes the run visible, by replacing the manifest.
    ///
    /// @param origin what the rows are of, in place of the source that the run began with
    public Manifest commit(Manifest.Origin origin) {
        if (committed) {
            throw new IllegalStateException("committed before: run " + run + " of " + root);
        }
        Map<TableKey, Manifest.TableEntry> entries = new LinkedHashMap<>();
        (becoming == null ? before.tables() : becoming)
                .forEach(table -> entries.put(new TableKey(table.schemaName(), table.name()), table));
        synchronized (tables) {
            tables.forEach((key, table) -> {
                if (table.isChange()) {
                    entries.computeIfPresent(key, (_, old) -> table.changed(old));
                } else if (!table.entries().isEmpty()) {
                    entries.merge(
                            key, table.alone(), (old, added) -> mode == Mode.APPEND ? after(key, old, table) : added);
                }
            });
            withdrawn.forEach((key, paths) -> entries.computeIfPresent(key, (_, table) -> without(table, paths)));
        }
        Set<Integer> runsInUse = new HashSet<>(Set.of(run));
        entries.values().forEach(table -> table.files().forEach(file -> runsInUse.add(file.run())));
        List<Manifest.Run> runs = new ArrayList<>(before.runs().stream()
                .filter(earlier -> runsInUse.contains(earlier.id()))
                .toList());
        Instant time = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        runs.add(new Manifest.Run(run, origin, time));
        Manifest manifest = new Manifest(runs, List.copyOf(entries.values()));
        moveIntoPlace(manifest);
        if (keptRuns > 0) {
            kept.keep(before);
        }
        if (becomingNames != null) {
            NamedTables.read(root).write(root, becomingNames, run, time);
        }
        manifest.write(root);
        committed = true;
        if (becomingNames != null) {
            becomingNames.write(root);
        }
        forgetUnfinished();
        places.moveReplaced(before, manifest);
        forgetOldest(manifest);
        writeMark(time, origin);
        return manifest;
    }

    /// - Errors: 23505 where rows are not as the table's keys have it.
    private Manifest.TableEntry after(TableKey key, Manifest.TableEntry old, TableAddition table) {
        if (becoming == null && !old.enforcedKeys().isEmpty()) { // else statements have seen to it
            Set<String> gone = withdrawn.getOrDefault(key, Set.of());
            new KeyCheck(root).require(without(old, gone), table.written(places, gone));
        }
        return table.after(old);
    }

    /// With 0 runs to keep, the run after this one forgets them.
    private void forgetOldest(Manifest manifest) {
        if (keptRuns <= 0) {
            return;
        }
        try {
            Set<Path> files = kept.keepNewest(keptRuns);
            manifest.tables().forEach(table -> table.files().forEach(file -> files.add(root.resolve(file.path()))));
            places.deleteOthers(files);
        } catch (IOException e) {
            throw Durable.failed(root, e);
        }
    }

    /// Files that were taken and then merged are part of nothing.
    private void moveIntoPlace(Manifest manifest) {
        List<Manifest.FileEntry> entries = new ArrayList<>();
        boolean isDurable;
        synchronized (tables) {
            isDurable = areNamesDurable || !finished.isEmpty();
            tables.values().forEach(table -> entries.addAll(table.entries()));
        }
        if (!taken.isEmpty()) {
            Set<String> listed = new HashSet<>();
            manifest.tables().forEach(table -> table.files().forEach(file -> listed.add(file.path())));
            for (Manifest.FileEntry file : taken) {
                if (listed.contains(file.path())) {
                    entries.add(file);
                } else {
                    deleteTaken(places.written(file));
                }
            }
        }
        places.moveIntoPlace(entries, isDurable);
    }

    private static void deleteTaken(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw Durable.failed(file, e);
        }
    }

    private void forgetUnfinished() {
        try {
            Files.deleteIfExists(root.resolve(UNFINISHED_NAME));
        } catch (IOException e) {
            throw Durable.failed(root.resolve(UNFINISHED_NAME), e);
        }
    }

    /// Says to who waits for it that the run is complete, and which one: the last thing that a run does.
    private void writeMark(Instant time, Manifest.Origin origin) {
        String log = origin.lsn() == null ? "" : ", LSN " + origin.lsn();
        Durable.replace(
                root.resolve(MARK_NAME), ("run " + run + ", " + time + log + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /// A manifest of nothing, so that no reader takes the parts of an unfinished first run for tables.
    private Manifest firstManifest() throws IOException {
        if (places.holdArrow()) {
            throw new QueryException(
                            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                            "folder \"" + root + "\" holds Arrow files without a manifest")
                    .withHint("A manifest would hide them: choose another folder.");
        }
        Manifest.EMPTY.write(root);
        return Manifest.EMPTY;
    }

    /// Removes parts that the manifest does not list. Answers the largest run number seen.
    private int removeLeftovers() throws IOException {
        Set<Path> listed = new HashSet<>();
        int largest = 0;
        for (Manifest.Run earlier : before.runs()) {
            largest = Math.max(largest, earlier.id());
        }
        for (Manifest.TableEntry table : before.tables()) {
            table.files().forEach(file -> listed.add(root.resolve(file.path())));
        }
        listed.addAll(finishedPaths());
        listed.addAll(kept.keepNewest(keptRuns == KEPT_AS_THEY_ARE ? Integer.MAX_VALUE : keptRuns));
        largest = Math.max(largest, places.deleteOthers(listed));
        for (String name : List.of(Manifest.FILE_NAME, MARK_NAME, UNFINISHED_NAME)) {
            Files.deleteIfExists(root.resolve(name + ArrowFileWriter.TEMPORARY_SUFFIX));
        }
        if (finished.isEmpty()) {
            Files.deleteIfExists(root.resolve(UNFINISHED_NAME));
        }
        places.deleteEmptyFolders();
        return largest;
    }

    private Set<Path> finishedPaths() {
        Set<Path> paths = new HashSet<>();
        synchronized (tables) {
            for (Manifest.TableEntry table : finished.values()) {
                table.files().forEach(file -> paths.add(places.written(file)));
            }
        }
        return paths;
    }

    /// Ends the run; one that was not committed is removed, as far as its files are finished or closed, but for the
    /// tables that [#finish] was called for, if the run has a key.
    @Override
    public void close() {
        try {
            if (!committed) {
                places.deleteRun(run, finishedPaths());
                if (isFirst && finishedPaths().isEmpty()) {
                    places.deleteFirst(List.of(Manifest.FILE_NAME, LOCK_NAME), isNew);
                }
            }
        } catch (IOException e) {
            throw Durable.failed(root, e);
        } finally {
            lock.close();
        }
    }
}
