package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.arrow.FileAppender;
import dev.quarrel.core.arrow.FileFault;
import dev.quarrel.core.arrow.OpenFiles;
import dev.quarrel.core.arrow.WriteOptions;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.Schema;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Adds one run to a dataset: writes files beside the ones in use, then the manifest, at once.
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
/// reads the manifest again. Beginning a run removes what dead runs left and what the last run replaced. One run at a
/// time writes to a dataset; a lock on `ROOT/_lock` sees to that, and ends with the process.
///
/// - Threads: `create` and `add` from any; the rest from one.
public final class DatasetWriter implements AutoCloseable {
    // Where files lie that are not in place; schema, table, keys, file.
    private static final int MAX_DEPTH = 2 + 16;
    private static final String LOCK_NAME = "_lock";
    private static final String MARK_NAME = "_SUCCESS";
    private static final String REPLACED_NAME = "_replaced";
    private static final String STAGED_NAME = "_writing";

    // The finished tables of a run that may be continued, written as a manifest is; its one run's source is the key.
    private static final String UNFINISHED_NAME = "_unfinished.json";
    private static final Pattern PART = Pattern.compile("part-(\\d{1,9})-\\d+\\.arrow(\\.tmp)?");

    /// What becomes of a table's files of earlier runs when this run adds to it.
    public enum Mode {
        /// They go; tables that this run does not touch stay.
        REPLACE,
        /// They stay, and the new ones follow.
        APPEND
    }

    // Beside those that are written at the moment.
    private static final int MOST_IDLE_FILES = 256;

    private record TableKey(String schemaName, String name) {}

    private static final class TableParts {
        private int created;
        private Path base; // below which its files are written; null before the first
        private final List<Field> fields = new ArrayList<>();
        private final List<Part> parts = new ArrayList<>();
    }

    private record Part(Manifest.FileEntry entry, Schema schema) {}

    private final Path root;
    private final Path staged;
    private final Mode mode;
    private final String source;
    private final int run;
    private final Manifest before;
    private final FileChannel lock;
    private final OpenFiles files = new OpenFiles(MOST_IDLE_FILES);
    private final String key;
    private final Map<TableKey, TableParts> tables = new LinkedHashMap<>(); // guarded by itself
    private final Map<TableKey, Manifest.TableEntry> finished = new LinkedHashMap<>(); // guarded by tables
    private boolean areNamesDurable; // guarded by tables
    private boolean committed;

    private DatasetWriter(Path root, Mode mode, String source, String key, FileChannel lock) throws IOException {
        this.root = root;
        this.staged = root.resolve(STAGED_NAME);
        this.mode = mode;
        this.source = source;
        this.lock = lock;
        Manifest found = Manifest.read(root);
        this.before = found == null ? firstManifest(root) : found;
        this.key = key;
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
                TableKey name = new TableKey(table.schemaName(), table.name());
                TableParts parts = parts(table.schemaName(), table.name());
                parts.fields.addAll(table.fields());
                Schema schema = new Schema(table.fields());
                table.files().forEach(file -> parts.parts.add(new Part(file, schema)));
                parts.created = table.files().size();
                finished.put(name, table);
            }
        }
        return unfinished.runs().getFirst();
    }

    private boolean isWhole(Manifest.FileEntry file) {
        Path path = written(file);
        try {
            return Files.isRegularFile(path)
                    && Files.size(path) == file.bytes()
                    && sha256(path).equals(file.sha256());
        } catch (IOException | QueryException _) {
            return false;
        }
    }

    /// Starts a run. ROOT is made if it is missing.
    ///
    /// - Errors: `QueryException` 55000 when another run writes there, or when ROOT holds Arrow files but no
    ///   manifest; 58030 naming the file when the disk fails.
    ///
    /// @param source what the rows come from, without passwords; may be null
    public static DatasetWriter begin(Path root, Mode mode, String source) {
        return begin(root, mode, source, null);
    }

    /// Starts a run, or goes on with one that was interrupted: with the tables that [#finish] was called for.
    ///
    /// @param key what tells runs apart whose files are the same; null for a run that nobody goes on with
    public static DatasetWriter begin(Path root, Mode mode, String source, String key) {
        FileChannel lock = null;
        try {
            Files.createDirectories(root);
            lock = FileChannel.open(
                    root.resolve(LOCK_NAME),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
            if (!isLocked(lock)) {
                throw new QueryException(
                        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "another run writes to \"" + root + "\" at this moment");
            }
            DatasetWriter writer = new DatasetWriter(root, mode, source, key, lock);
            lock = null;
            return writer;
        } catch (IOException e) {
            throw Durable.failed(root, e);
        } finally {
            if (lock != null) {
                close(lock, root);
            }
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false; // another run of this very process
        }
    }

    private static void close(FileChannel lock, Path root) {
        try {
            lock.close();
        } catch (IOException e) {
            throw Durable.failed(root, e);
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
            TableKey name = new TableKey(schemaName, tableName);
            finished.put(name, entry(name, parts(schemaName, tableName)));
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
        Manifest.TableEntry table = before.tables().stream()
                .filter(each ->
                        each.schemaName().equals(schemaName) && each.name().equals(tableName))
                .findFirst()
                .orElse(null);
        if (mode == Mode.REPLACE || table == null) {
            return;
        }
        Schema added = new Schema(fields);
        for (Field old : table.fields()) {
            int index = added.indexOf(old.name());
            String place = "column \"" + old.name() + "\" of table \"" + tableName + "\" ";
            if (index < 0 && !old.nullable()) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        place + "is " + typeName(old) + " NOT NULL in \"" + root
                                + "\", and the rows to append have no such" + " column");
            }
            if (index >= 0 && !isSame(old, added.field(index))) {
                throw new QueryException(
                                SqlState.DATATYPE_MISMATCH,
                                place + "is " + typeName(old) + " in \"" + root + "\", and "
                                        + typeName(added.field(index)) + " in the rows to append")
                        .withHint("replace the table, or export it into another folder");
            }
        }
    }

    private static boolean isSame(Field one, Field two) {
        boolean isSameOther = one.other() == null || two.other() == null
                ? one.other() == two.other()
                : one.other().name().equals(two.other().name());
        return one.type().equals(two.type()) && isSameOther;
    }

    private static String typeName(Field field) {
        return field.pgType() == null ? PgType.defaultName(field.type()) : field.pgType();
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
        Path folder = folder(schemaName, tableName);
        int number;
        Path base;
        synchronized (tables) {
            TableParts parts = parts(schemaName, tableName);
            number = parts.created++;
            if (parts.base == null) {
                parts.base = isOnSameDisk(folder) ? staged : root;
            }
            base = parts.base;
            areNamesDurable |= options.durable();
        }
        folder = base.resolve(root.relativize(folder));
        for (Map.Entry<String, String> key : keys.entrySet()) {
            folder = folder.resolve(PartitionFolder.name(key.getKey(), key.getValue()));
        }
        Path target = folder.resolve("part-" + run + "-" + number + FileName.ARROW_SUFFIX);
        return ArrowFileWriter.create(target, schema, options, files, base.equals(root));
    }

    /// Whether a file of ROOT can be moved into a folder at once. One that leads elsewhere, by a link, is written to
    /// in place.
    private boolean isOnSameDisk(Path folder) {
        Path existing = folder;
        while (!existing.equals(root) && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        try {
            return existing.equals(root)
                    || Files.getAttribute(existing, "unix:dev").equals(Files.getAttribute(root, "unix:dev"));
        } catch (UnsupportedOperationException | IllegalArgumentException _) {
            return true; // a system without
        } catch (IOException e) {
            throw Durable.failed(existing, e);
        }
    }

    /// Where a file of this run lies before it is in place.
    private Path written(Manifest.FileEntry file) {
        Path path = staged.resolve(file.path());
        return Files.exists(path) ? path : root.resolve(file.path());
    }

    /// Where the files of a table lie.
    private Path folder(String schemaName, String tableName) {
        Path schemaFolder =
                schemaName.equals(DatasetCatalog.DEFAULT_SCHEMA) ? root : root.resolve(FileName.encode(schemaName));
        return schemaFolder.resolve(FileName.encode(tableName));
    }

    private TableParts parts(String schemaName, String tableName) {
        return tables.computeIfAbsent(new TableKey(schemaName, tableName), _ -> new TableParts());
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
        Path written = file.path().toAbsolutePath();
        Path base = (written.startsWith(staged.toAbsolutePath()) ? staged : root).toAbsolutePath();
        String path = base.relativize(written).toString().replace('\\', '/');
        Manifest.FileEntry entry =
                new Manifest.FileEntry(path, run, file.rowCount(), file.byteSize(), file.sha256(), keys, file.stats());
        synchronized (tables) {
            TableParts table = parts(schemaName, tableName);
            merge(table.fields, file.schema().fields(), file.path());
            merge(table.fields, keyFields, file.path());
            table.parts.add(new Part(entry, file.schema()));
        }
        return root.resolve(path);
    }

    private static void merge(List<Field> fields, List<Field> more, Path file) {
        for (Field field : more) {
            int known = new Schema(fields).indexOf(field.name());
            if (known < 0) {
                fields.add(field);
            } else if (!fields.get(known).type().equals(field.type())) {
                throw new QueryException(
                        SqlState.DATATYPE_MISMATCH,
                        "file \"" + file + "\" has column \"" + field.name() + "\" as " + field.type()
                                + ", the table as " + fields.get(known).type());
            } else if (field.nullable() && !fields.get(known).nullable()) {
                fields.set(known, field);
            }
        }
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
        before.tables().forEach(table -> entries.put(new TableKey(table.schemaName(), table.name()), table));
        synchronized (tables) {
            tables.forEach((key, table) -> {
                if (!table.parts.isEmpty()) {
                    entries.merge(
                            key, entry(key, table), (old, added) -> mode == Mode.APPEND ? joined(old, table) : added);
                }
            });
        }
        Set<Integer> runsInUse = new HashSet<>(Set.of(run));
        entries.values().forEach(table -> table.files().forEach(file -> runsInUse.add(file.run())));
        List<Manifest.Run> runs = new ArrayList<>(before.runs().stream()
                .filter(earlier -> runsInUse.contains(earlier.id()))
                .toList());
        Instant time = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        runs.add(new Manifest.Run(run, origin, time));
        Manifest manifest = new Manifest(runs, List.copyOf(entries.values()));
        moveIntoPlace();
        manifest.write(root);
        committed = true;
        forgetUnfinished();
        moveReplaced(manifest);
        writeMark(time, origin);
        return manifest;
    }

    /// Brings the run's files to their tables' folders, names and all, before a manifest lists them.
    private void moveIntoPlace() {
        Set<Path> named = new LinkedHashSet<>();
        boolean isDurable;
        List<Manifest.FileEntry> entries = new ArrayList<>();
        synchronized (tables) {
            isDurable = areNamesDurable || !finished.isEmpty();
            tables.values().forEach(table -> table.parts.forEach(part -> entries.add(part.entry())));
        }
        Path at = staged;
        try {
            for (Manifest.FileEntry entry : entries) {
                at = staged.resolve(entry.path());
                if (!Files.exists(at)) {
                    continue; // written in place
                }
                Path target = root.resolve(entry.path());
                Files.createDirectories(target.getParent());
                Files.move(at, target, StandardCopyOption.ATOMIC_MOVE);
                for (Path name = target; !name.equals(root) && named.add(name.getParent()); name = name.getParent()) {
                    // the folders up to ROOT have new names in them, perhaps
                }
            }
            for (Path folder : isDurable ? named : Set.<Path>of()) {
                at = folder;
                Durable.syncFolder(folder.resolve(STAGED_NAME));
            }
            deleteEmptyFolders();
        } catch (IOException e) {
            throw Durable.failed(at, e);
        }
    }

    /// Takes the files that the manifest before listed, and this one does not, out of their tables' folders. A power
    /// cut may bring some back, as the end of the process leaves some there: the next run finds them.
    ///
    /// - Errors: 58030 for the first that cannot be moved, when all others are.
    private void moveReplaced(Manifest manifest) {
        Set<String> listed = new HashSet<>();
        manifest.tables().forEach(table -> table.files().forEach(file -> listed.add(file.path())));
        IOException failure = null;
        Path failed = null;
        for (Manifest.TableEntry table : before.tables()) {
            for (Manifest.FileEntry file : table.files()) {
                Path path = root.resolve(file.path());
                if (listed.contains(file.path()) || !isPart(path)) {
                    continue;
                }
                try {
                    Path target = replacedPath(root, file);
                    Files.createDirectories(target.getParent());
                    Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
                    deleteIfEmpty(path.getParent());
                } catch (NoSuchFileException _) {
                    // Somebody has deleted it.
                } catch (AtomicMoveNotSupportedException _) {
                    deleteReplaced(path);
                } catch (IOException e) {
                    failure = failure == null ? e : failure;
                    failed = failed == null ? path : failed;
                }
            }
        }
        if (failure != null) {
            throw new QueryException(
                            SqlState.IO_ERROR,
                            "could not move the replaced file \"" + failed + "\": " + failure.getMessage(),
                            failure)
                    .withHint(
                            "The run is complete, and its manifest is right; readers that list folders see both runs.");
        }
    }

    /// A file on another disk than ROOT has nowhere to go. Who has it open keeps it.
    private static void deleteReplaced(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw Durable.failed(path, e);
        }
    }

    /// Where a file of a manifest lies when a newer one has replaced it, until the run after that.
    static Path replacedPath(Path root, Manifest.FileEntry file) {
        return root.resolve(REPLACED_NAME).resolve(Integer.toString(file.run())).resolve(file.path());
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

    private static Manifest.TableEntry entry(TableKey key, TableParts table) {
        return new Manifest.TableEntry(key.schemaName(), key.name(), table.fields, files(table, table.fields));
    }

    private static Manifest.TableEntry joined(Manifest.TableEntry old, TableParts table) {
        List<Field> fields = new ArrayList<>(old.fields());
        for (Part part : table.parts) {
            merge(fields, part.schema().fields(), Path.of(part.entry().path()));
        }
        // The keys, which stand in no file.
        merge(fields, table.fields, Path.of(table.parts.getFirst().entry().path()));
        List<Manifest.FileEntry> files = new ArrayList<>(old.files());
        files.addAll(files(table, fields));
        return new Manifest.TableEntry(old.schemaName(), old.name(), fields, files);
    }

    /// The new files, in the order of their names' numbers, with statistics in the order of the table's columns.
    private static List<Manifest.FileEntry> files(TableParts table, List<Field> fields) {
        Schema target = new Schema(fields);
        return table.parts.stream()
                .map(part -> new Manifest.FileEntry(
                        part.entry().path(),
                        part.entry().run(),
                        part.entry().rows(),
                        part.entry().bytes(),
                        part.entry().sha256(),
                        part.entry().keys(),
                        part.entry().stats().reordered(part.schema(), target)))
                .sorted(Comparator.<Manifest.FileEntry>comparingInt(
                                entry -> entry.path().length())
                        .thenComparing(Manifest.FileEntry::path))
                .toList();
    }

    /// A manifest of nothing, so that no reader takes the parts of an unfinished first run for tables.
    private static Manifest firstManifest(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root, MAX_DEPTH)) {
            if (paths.anyMatch(path -> path.toString().endsWith(FileName.ARROW_SUFFIX))) {
                throw new QueryException(
                                SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                                "folder \"" + root + "\" holds Arrow files without a manifest")
                        .withHint("A manifest would hide them: choose another folder.");
            }
        }
        Manifest.EMPTY.write(root);
        return Manifest.EMPTY;
    }

    /// Whether a file has the name of one that a run made: such a one is never changed once it has it.
    static boolean isOfRun(Path path) {
        return isPart(path) && !path.toString().endsWith(ArrowFileWriter.TEMPORARY_SUFFIX);
    }

    private static boolean isPart(Path path) {
        return PART.matcher(String.valueOf(path.getFileName())).matches();
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
        for (Path path : partFiles()) {
            Matcher name = PART.matcher(path.getFileName().toString());
            if (name.matches()) {
                largest = Math.max(largest, Integer.parseInt(name.group(1)));
            }
            if (!listed.contains(path)) {
                Files.deleteIfExists(path);
                deleteIfEmpty(path.getParent());
            }
        }
        for (String name : List.of(Manifest.FILE_NAME, MARK_NAME, UNFINISHED_NAME)) {
            Files.deleteIfExists(root.resolve(name + ArrowFileWriter.TEMPORARY_SUFFIX));
        }
        if (finished.isEmpty()) {
            Files.deleteIfExists(root.resolve(UNFINISHED_NAME));
        }
        deleteEmptyFolders();
        return largest;
    }

    private Set<Path> finishedPaths() {
        Set<Path> paths = new HashSet<>();
        synchronized (tables) {
            for (Manifest.TableEntry table : finished.values()) {
                table.files().forEach(file -> paths.add(written(file)));
            }
        }
        return paths;
    }

    private List<Path> partFiles() throws IOException {
        try (Stream<Path> paths = Files.walk(root, MAX_DEPTH)) {
            return paths.filter(path -> isPart(path) && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
    }

    /// Files that were moved, or closed before they were finished, leave their folders behind.
    private void deleteEmptyFolders() throws IOException {
        if (!Files.isDirectory(staged, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> folders;
        try (Stream<Path> paths = Files.walk(staged, MAX_DEPTH)) {
            folders = paths.filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
        for (Path folder : folders.reversed()) {
            try {
                Files.deleteIfExists(folder);
            } catch (DirectoryNotEmptyException _) {
                // It holds what is kept.
            }
        }
    }

    private void deleteIfEmpty(Path folder) throws IOException {
        for (Path empty = folder; !empty.equals(root); empty = empty.getParent()) {
            try {
                Files.delete(empty);
            } catch (DirectoryNotEmptyException | NoSuchFileException e) {
                return;
            }
        }
    }

    /// Ends the run; one that was not committed is removed, as far as its files are finished or closed, but for the
    /// tables that [#finish] was called for, if the run has a key.
    @Override
    public void close() {
        try {
            if (!committed) {
                Set<Path> kept = finishedPaths();
                for (Path path : partFiles()) {
                    Matcher name = PART.matcher(path.getFileName().toString());
                    if (name.matches() && Integer.parseInt(name.group(1)) == run && !kept.contains(path)) {
                        Files.deleteIfExists(path);
                        deleteIfEmpty(path.getParent());
                    }
                }
                deleteEmptyFolders();
            }
        } catch (IOException e) {
            throw Durable.failed(root, e);
        } finally {
            close(lock, root);
        }
    }
}
