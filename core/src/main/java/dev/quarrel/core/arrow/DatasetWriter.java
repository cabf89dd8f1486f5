package dev.quarrel.core.arrow;

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
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
/// Until `commit` returns, readers see the dataset as it was, whatever becomes of this process. Beginning a run removes
/// what dead runs left and the files that the last run replaced: a reader may have had the manifest that lists them,
/// but not for a whole run. One run at a time writes to a dataset; a lock on `ROOT/_lock` sees to that, and ends with
/// the process.
///
/// - Threads: `create` and `add` from any; the rest from one.
public final class DatasetWriter implements AutoCloseable {
    // Schema, table, keys, file.
    private static final int MAX_DEPTH = 16;
    private static final String LOCK_NAME = "_lock";
    private static final String MARK_NAME = "_SUCCESS";

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
        private final List<Field> fields = new ArrayList<>();
        private final List<Part> parts = new ArrayList<>();
    }

    private record Part(Manifest.FileEntry entry, Schema schema) {}

    private final Path root;
    private final Mode mode;
    private final String source;
    private final int run;
    private final Manifest before;
    private final FileChannel lock;
    private final OpenFiles files = new OpenFiles(MOST_IDLE_FILES);
    private final String key;
    private final Map<TableKey, TableParts> tables = new LinkedHashMap<>(); // guarded by itself
    private final Map<TableKey, Manifest.TableEntry> finished = new LinkedHashMap<>(); // guarded by tables
    private final Set<Path> keyFolders = new LinkedHashSet<>(); // guarded by tables; each behind those that it is in
    private boolean committed;

    private DatasetWriter(Path root, Mode mode, String source, String key, FileChannel lock) throws IOException {
        this.root = root;
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
        Path path = root.resolve(file.path());
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
            lock = FileChannel.open(root.resolve(LOCK_NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
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
        int number;
        synchronized (tables) {
            number = parts(schemaName, tableName).created++;
        }
        Path folder = folder(schemaName, tableName);
        for (Map.Entry<String, String> key : keys.entrySet()) {
            folder = folder.resolve(PartitionFolder.name(key.getKey(), key.getValue()));
            synchronized (tables) {
                keyFolders.add(folder);
            }
        }
        Path target = folder.resolve("part-" + run + "-" + number + FileName.ARROW_SUFFIX);
        return ArrowFileWriter.create(target, schema, options, files);
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
    public void add(String schemaName, String tableName, WrittenFile file) {
        add(schemaName, tableName, Map.of(), List.of(), file);
    }

    /// The same for a file of keys.
    ///
    /// @param keys as `create` had them
    /// @param keyFields the columns that they are
    public void add(
            String schemaName, String tableName, Map<String, String> keys, List<Field> keyFields, WrittenFile file) {
        String path = root.toAbsolutePath()
                .relativize(file.path().toAbsolutePath())
                .toString()
                .replace('\\', '/');
        Manifest.FileEntry entry =
                new Manifest.FileEntry(path, run, file.rowCount(), file.byteSize(), file.sha256(), keys, file.stats());
        synchronized (tables) {
            TableParts table = parts(schemaName, tableName);
            merge(table.fields, file.schema().fields(), file.path());
            merge(table.fields, keyFields, file.path());
            table.parts.add(new Part(entry, file.schema()));
        }
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
    static String sha256(Path path) {
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
        manifest.write(root);
        committed = true;
        forgetUnfinished();
        writeMark(time, origin);
        return manifest;
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
        return largest;
    }

    private Set<Path> finishedPaths() {
        Set<Path> paths = new HashSet<>();
        synchronized (tables) {
            for (Manifest.TableEntry table : finished.values()) {
                table.files().forEach(file -> paths.add(root.resolve(file.path())));
            }
        }
        return paths;
    }

    private List<Path> partFiles() throws IOException {
        try (Stream<Path> paths = Files.walk(root, MAX_DEPTH)) {
            return paths.filter(path -> isPart(path) && Files.isRegularFile(path))
                    .toList();
        }
    }

    /// Files that were closed before they were finished leave their folders behind.
    private void deleteEmptyKeyFolders() throws IOException {
        List<Path> folders;
        synchronized (tables) {
            folders = List.copyOf(keyFolders);
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
                deleteEmptyKeyFolders();
            }
        } catch (IOException e) {
            throw Durable.failed(root, e);
        } finally {
            close(lock, root);
        }
    }
}
