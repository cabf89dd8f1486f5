package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.ArrowFileWriter;
import dev.quarrel.core.arrow.Durable;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Where the files of a dataset's runs lie: in `ROOT/_writing/` as they are written, in their tables' folders once a
/// manifest lists them, and in `ROOT/_replaced/RUN/` when one does no more.
///
/// It moves and deletes them; which ones, says the [DatasetWriter], one at a time by its lock.
final class DatasetFiles {
    // Where files lie that are not in place; schema, table, keys, file.
    private static final int MAX_DEPTH = 2 + 16;
    static final String REPLACED_NAME = "_replaced";
    private static final String STAGED_NAME = "_writing";
    /// Where what takes in events keeps its log, and rows that it could not write.
    private static final String EVENTS_NAME = "_ingest";
    private static final Pattern PART = Pattern.compile("part-(\\d{1,9})-\\d+\\.arrow(\\.tmp)?");

    private final Path root;
    private final Path staged;

    DatasetFiles(Path root) {
        this.root = root;
        this.staged = root.resolve(STAGED_NAME);
    }

    /// Whether a file has the name of one that a run made: such a one is never changed once it has it.
    static boolean isOfRun(Path path) {
        return isPart(path) && !path.toString().endsWith(ArrowFileWriter.TEMPORARY_SUFFIX);
    }

    private static boolean isPart(Path path) {
        return PART.matcher(String.valueOf(path.getFileName())).matches();
    }

    /// Where the files of a table lie.
    Path folder(String schemaName, String tableName) {
        Path schemaFolder =
                schemaName.equals(DatasetCatalog.DEFAULT_SCHEMA) ? root : root.resolve(FileName.encode(schemaName));
        return schemaFolder.resolve(FileName.encode(tableName));
    }

    /// Below which a table's files are written at first: `_writing`, or ROOT where they could not be moved to the
    /// table's folder from there.
    Path base(Path tableFolder) {
        return isOnSameDisk(tableFolder) ? staged : root;
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
    Path written(Manifest.FileEntry file) {
        Path path = staged.resolve(file.path());
        return Files.exists(path) ? path : root.resolve(file.path());
    }

    /// The path below ROOT that a written file will have, with `/`.
    String finalPath(Path file) {
        Path absolute = file.toAbsolutePath();
        Path base = (absolute.startsWith(staged.toAbsolutePath()) ? staged : root).toAbsolutePath();
        return below(base, absolute);
    }

    /// A path below a folder, with `/`, as manifests have it.
    static String below(Path folder, Path file) {
        return folder.relativize(file).toString().replace('\\', '/');
    }

    /// Whether any Arrow file lies there.
    boolean holdArrow() throws IOException {
        try (Stream<Path> paths = Files.walk(root, MAX_DEPTH)) {
            Path statements = root.resolve(StagedFolder.NAME);
            Path events = root.resolve(EVENTS_NAME);
            return paths.anyMatch(path -> path.toString().endsWith(FileName.ARROW_SUFFIX)
                    && !path.startsWith(statements)
                    && !path.startsWith(events));
        }
    }

    /// Brings a run's files to their tables' folders, names and all.
    ///
    /// @param isDurable whether their names are to outlive a power cut
    void moveIntoPlace(List<Manifest.FileEntry> entries, boolean isDurable) {
        Set<Path> named = new LinkedHashSet<>();
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
    void moveReplaced(Manifest before, Manifest manifest) {
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
                    Path target = replacedPath(file);
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

    /// Where a file of a manifest lies when a newer one has replaced it, as long as it is kept.
    Path replacedPath(Manifest.FileEntry file) {
        return root.resolve(REPLACED_NAME).resolve(Integer.toString(file.run())).resolve(file.path());
    }

    /// Deletes the files of all runs that are not among these. Answers the largest run number seen.
    int deleteOthers(Set<Path> kept) throws IOException {
        int largest = 0;
        for (Path path : partFiles()) {
            largest = Math.max(largest, runOf(path));
            if (!kept.contains(path)) {
                delete(path);
            }
        }
        return largest;
    }

    /// Deletes the files of one run that are not among these.
    void deleteRun(int run, Set<Path> kept) throws IOException {
        for (Path path : partFiles()) {
            if (runOf(path) == run && !kept.contains(path)) {
                delete(path);
            }
        }
        deleteEmptyFolders();
    }

    private static int runOf(Path part) {
        Matcher name = PART.matcher(part.getFileName().toString());
        if (!name.matches()) {
            throw new IllegalArgumentException(part + " is no file of a run");
        }
        return Integer.parseInt(name.group(1));
    }

    private void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
        deleteIfEmpty(path.getParent());
    }

    private List<Path> partFiles() throws IOException {
        List<Path> parts = new ArrayList<>();
        Path statements = root.resolve(StagedFolder.NAME); // come and go meanwhile
        Files.walkFileTree(root, Set.of(), MAX_DEPTH, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return folder.equals(statements) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
                if (attributes.isRegularFile() && isPart(path)) {
                    parts.add(path);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return parts;
    }

    /// Files that were moved, or closed before they were finished, leave their folders behind.
    void deleteEmptyFolders() throws IOException {
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

    /// Removes what a first run has begun a dataset with.
    ///
    /// @param isNew whether it has made the folder, which goes if it is empty then
    void deleteFirst(List<String> names, boolean isNew) throws IOException {
        for (String name : names) {
            Files.deleteIfExists(root.resolve(name));
        }
        try {
            if (isNew) {
                Files.deleteIfExists(root);
            }
        } catch (DirectoryNotEmptyException _) {
            // It holds what is somebody else's.
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
}
