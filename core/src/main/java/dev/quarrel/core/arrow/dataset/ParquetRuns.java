package dev.quarrel.core.arrow.dataset;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.arrow.WrittenFile;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// One run of Parquet files for other programs: `ROOT/run-N/SCHEMA.TABLE/part-M.parquet`, with `_export.json` (where
/// the rows come from, and each file's rows, bytes and SHA-256) and `_SUCCESS` beside the tables. `ROOT/latest` is a
/// link to the newest run.
///
/// Files are written in `ROOT/_writing/`, which becomes `run-N` by one rename when all of it is on the disk; then the
/// link changes, by another. So there are whole runs only, and whoever reads by `latest` sees one of them. Beginning a
/// run removes what dead ones have left; completing it removes those older than the ones to be kept. One run at a time
/// writes, by a lock on `ROOT/_lock`.
///
/// - Threads: `folder` and `add` from any; the rest from one.
public final class ParquetRuns implements AutoCloseable {
    /// The link to the newest run.
    public static final String LATEST_NAME = "latest";

    private static final String ABOUT_NAME = "_export.json";
    private static final String MARK_NAME = "_SUCCESS";
    private static final String STAGED_NAME = "_writing";
    private static final String NEW_LINK_NAME = "_latest.tmp";
    private static final Pattern RUN = Pattern.compile("run-([1-9]\\d{0,8})");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path root;
    private final boolean isNew;
    private final FolderLock lock;
    private final int keptRuns;
    private final Path staged;
    private final SortedMap<Integer, Path> before;
    private final int run;
    private final Map<String, Table> tables = new LinkedHashMap<>(); // guarded by itself
    private boolean committed;

    private record Table(String schemaName, String name, List<WrittenFile> files) {}

    private ParquetRuns(Path root, boolean isNew, FolderLock lock, int keptRuns) throws IOException {
        this.root = root;
        this.isNew = isNew;
        this.lock = lock;
        this.keptRuns = keptRuns;
        this.staged = root.resolve(STAGED_NAME);
        this.before = runs(root);
        this.run = before.isEmpty() ? 1 : before.lastKey() + 1;
        deleteTree(staged);
        Files.deleteIfExists(root.resolve(NEW_LINK_NAME));
        Files.createDirectory(staged);
    }

    /// Starts a run. ROOT is made if it is missing.
    ///
    /// - Errors: `QueryException` 55000 when another run writes there, or where ROOT holds anything but such runs;
    ///   58030 naming the file when the disk fails.
    ///
    /// @param keptRuns how many complete runs before this one stay when it is complete; one does in any case, for
    ///   those that read it at the moment
    public static ParquetRuns begin(Path root, int keptRuns) {
        DatasetWriter.requireFolder(root);
        FolderLock lock = null;
        try {
            boolean isNew = !Files.exists(root);
            if (!isNew) {
                requireOwn(root);
            }
            Files.createDirectories(root);
            lock = FolderLock.tryLock(root, DatasetWriter.LOCK_NAME);
            if (lock == null) {
                throw new QueryException(
                        SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "another run writes to \"" + root + "\" at this moment");
            }
            ParquetRuns begun = new ParquetRuns(root, isNew, lock, Math.max(1, keptRuns));
            lock = null;
            return begun;
        } catch (IOException e) {
            throw Durable.failed(root, e);
        } finally {
            if (lock != null) {
                lock.close();
            }
        }
    }

    /// Other tools take all files below a folder for theirs, and so do we: nothing else may be there.
    private static void requireOwn(Path root) throws IOException {
        try (Stream<Path> entries = Files.list(root)) {
            Path other = entries.filter(entry -> !isOwn(entry)).findFirst().orElse(null);
            if (other != null) {
                throw new QueryException(
                                SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                                "folder \"" + root + "\" holds \"" + other.getFileName()
                                        + "\", which is no part of an export of Parquet files")
                        .withHint("choose a folder that is empty or not there, or that of such an export");
            }
        }
    }

    private static boolean isOwn(Path entry) {
        String name = entry.getFileName().toString();
        return switch (name) {
            case DatasetWriter.LOCK_NAME, STAGED_NAME, NEW_LINK_NAME, "lost+found" -> true;
            case LATEST_NAME -> Files.isSymbolicLink(entry);
            default -> RUN.matcher(name).matches() && Files.isRegularFile(entry.resolve(ABOUT_NAME));
        };
    }

    private static SortedMap<Integer, Path> runs(Path root) throws IOException {
        SortedMap<Integer, Path> runs = new TreeMap<>();
        try (Stream<Path> entries = Files.list(root)) {
            entries.forEach(entry -> {
                Matcher name = RUN.matcher(entry.getFileName().toString());
                if (name.matches() && Files.isRegularFile(entry.resolve(ABOUT_NAME))) {
                    runs.put(Integer.parseInt(name.group(1)), entry);
                }
            });
        }
        return runs;
    }

    /// Fails where a path is such an export, one of its runs, or a table of those.
    ///
    /// - Errors: `QueryException` 0A000.
    static void requireNone(Path root) {
        Path parent = root.toAbsolutePath().getParent();
        boolean isThere = holdsRuns(root)
                || Files.isRegularFile(root.resolve(ABOUT_NAME))
                || parent != null && Files.isRegularFile(parent.resolve(ABOUT_NAME));
        if (isThere) {
            throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "\"" + root + "\" holds an export's Parquet files, and not a dataset of Arrow files")
                    .withHint("export without --parquet into a folder of its own, or make tables of the files by"
                            + " quarrel import");
        }
    }

    private static boolean holdsRuns(Path root) {
        try {
            return Files.isDirectory(root) && !runs(root).isEmpty();
        } catch (IOException e) {
            throw Durable.failed(root, e);
        }
    }

    /// The folder into which a table's files are written; it is made. Any thread.
    public Path folder(String schemaName, String tableName) {
        Path folder = staged.resolve(folderName(schemaName, tableName));
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw Durable.failed(folder, e);
        }
    }

    /// The first dot ends the schema's name, whatever dots the names have.
    private static String folderName(String schemaName, String tableName) {
        return FileName.encode(schemaName).replace(".", "%2E") + "." + FileName.encode(tableName);
    }

    /// Takes a file that is finished, in its table's folder. Any thread.
    ///
    /// @return where the table's folder will be
    public Path add(String schemaName, String tableName, WrittenFile file) {
        String name = folderName(schemaName, tableName);
        synchronized (tables) {
            tables.computeIfAbsent(name, _ -> new Table(schemaName, tableName, new ArrayList<>()))
                    .files()
                    .add(file);
        }
        return root.resolve(runName()).resolve(name);
    }

    private String runName() {
        return "run-" + run;
    }

    /// Makes the run visible, and then removes runs that are not to be kept.
    ///
    /// - Errors: `QueryException` 58030 or 53100; the link is as it was then.
    public void commit(Manifest.Origin origin) {
        Instant time = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        Path target = root.resolve(runName());
        try {
            Durable.replace(
                    staged.resolve(ABOUT_NAME),
                    JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(about(origin, time)));
            String log = origin.lsn() == null ? "" : ", LSN " + origin.lsn();
            Durable.replace(
                    staged.resolve(MARK_NAME),
                    ("run " + run + ", " + time + log + "\n").getBytes(StandardCharsets.UTF_8));
            synchronized (tables) {
                for (String name : tables.keySet()) {
                    Durable.syncFolder(staged.resolve(name).resolve(ABOUT_NAME)); // any name in it
                }
            }
            Durable.syncFolder(staged.resolve(ABOUT_NAME));
            Files.move(staged, target, StandardCopyOption.ATOMIC_MOVE);
            Durable.syncFolder(target); // the link is never there without what it names
        } catch (IOException e) {
            throw Durable.failed(staged, e);
        }
        try {
            Path link = root.resolve(NEW_LINK_NAME);
            Files.createSymbolicLink(link, Path.of(runName()));
            Files.move(link, root.resolve(LATEST_NAME), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | UnsupportedOperationException e) {
            discard(target, e);
            throw e instanceof IOException failure
                    ? Durable.failed(root.resolve(LATEST_NAME), failure)
                    : new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "\"" + root + "\" is on a disk without symbolic links", e);
        }
        committed = true;
        try {
            Durable.syncFolder(target);
        } catch (IOException e) {
            throw Durable.failed(root, e); // the runs before stay, in case the disk forgets this one
        }
        removeOld();
    }

    private void discard(Path target, Exception cause) {
        try {
            deleteTree(target);
            Files.deleteIfExists(root.resolve(NEW_LINK_NAME));
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private ObjectNode about(Manifest.Origin origin, Instant time) {
        ObjectNode about = JSON.createObjectNode().put("run", run);
        origin.writeTo(about);
        about.put("time", time.toString());
        ArrayNode tableNodes = about.putArray("tables");
        synchronized (tables) {
            tables.forEach((folder, table) -> {
                ObjectNode node = tableNodes
                        .addObject()
                        .put("schema", table.schemaName())
                        .put("name", table.name())
                        .put("folder", folder)
                        .put(
                                "rows",
                                table.files().stream()
                                        .mapToLong(WrittenFile::rowCount)
                                        .sum());
                ArrayNode files = node.putArray("files");
                for (WrittenFile file : table.files()) {
                    files.addObject()
                            .put("name", file.path().getFileName().toString())
                            .put("rows", file.rowCount())
                            .put("bytes", file.byteSize())
                            .put("sha256", file.sha256());
                }
            });
        }
        return about;
    }

    /// The run is there: what cannot be removed now goes with the next one.
    private void removeOld() {
        List<Path> old = new ArrayList<>(before.values());
        for (Path each : old.subList(0, Math.max(0, old.size() - keptRuns))) {
            try {
                // It is no run from here on, whether or not the rest of it can be deleted.
                Files.move(each, staged, StandardCopyOption.ATOMIC_MOVE);
                deleteTree(staged);
            } catch (IOException _) {
                return;
            }
        }
    }

    private static void deleteTree(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(each);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /// Ends the run; one that was not committed is removed. A first one that failed leaves nothing.
    @Override
    public void close() {
        try {
            if (!committed) {
                deleteTree(staged);
                if (before.isEmpty()) {
                    Files.deleteIfExists(root.resolve(DatasetWriter.LOCK_NAME));
                    if (isNew) {
                        Files.deleteIfExists(root);
                    }
                }
            }
        } catch (DirectoryNotEmptyException _) {
            // It holds what is somebody else's.
        } catch (IOException e) {
            throw Durable.failed(root, e);
        } finally {
            lock.close();
        }
    }
}
