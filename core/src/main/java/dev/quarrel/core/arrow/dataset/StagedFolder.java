package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.Durable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Where statements write rows, `ROOT/_staged/ID/`, until a run takes them over ([DatasetTransaction]), or for as long
/// as a session has them ([SessionTables]). Meanwhile other runs come and go, and other statements write, however long
/// this one takes.
///
/// The folder of a process that has ended goes with the next one that is made; a lock on `ROOT/_staged/ID/lock` tells.
///
/// - Threads: one.
final class StagedFolder implements AutoCloseable {
    static final String NAME = "_staged";
    private static final String LOCK_NAME = "lock";
    // Those whose locks this process has, or is asking for: who opened one once more would end it.
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final FileChannel lock;
    private int created;

    private StagedFolder(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /// - Errors: `QueryException` 53100 or 58030 where the folder cannot be made.
    static StagedFolder begin(Path root) {
        Path all = root.resolve(NAME);
        Path folder = all.resolve(UUID.randomUUID().toString());
        try {
            removeLeftovers(all);
            // The folder has its lock before it has its name.
            Path unnamed = all.resolve("." + folder.getFileName());
            Files.createDirectories(unnamed);
            FileChannel lock = FileChannel.open(
                    unnamed.resolve(LOCK_NAME), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            try {
                lock.lock();
                OWN.add(all.toRealPath().resolve(folder.getFileName()));
                Files.move(unnamed, folder);
                return new StagedFolder(folder, lock);
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw Durable.failed(folder, e);
        }
    }

    private static void removeLeftovers(Path all) throws IOException {
        List<Path> folders;
        try (Stream<Path> entries = Files.list(all)) {
            folders = entries.filter(entry -> !entry.getFileName().toString().startsWith("."))
                    .toList();
        } catch (NoSuchFileException _) {
            return;
        }
        for (Path each : folders) {
            Path own = all.toRealPath().resolve(each.getFileName());
            if (!OWN.add(own)) {
                continue;
            }
            try (FileChannel channel = FileChannel.open(each.resolve(LOCK_NAME), StandardOpenOption.WRITE)) {
                if (channel.tryLock() != null) {
                    remove(each);
                }
            } catch (NoSuchFileException _) {
                remove(each); // it was being removed when its process ended, or is
            } finally {
                OWN.remove(own);
            }
        }
    }

    /// The lock last: a folder without one is nobody's.
    private static void remove(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                if (!entry.getFileName().toString().equals(LOCK_NAME)) {
                    Files.deleteIfExists(entry);
                }
            }
            Files.deleteIfExists(folder.resolve(LOCK_NAME));
            Files.deleteIfExists(folder);
        } catch (NoSuchFileException | DirectoryNotEmptyException _) {
            // somebody else removes it
        }
    }

    /// A name for one more file.
    Path next() {
        return folder.resolve("part-0-" + ++created + FileName.ARROW_SUFFIX);
    }

    /// Whether a file lies in such a folder, by its path below ROOT.
    static boolean holds(String path) {
        return path.startsWith(NAME + "/");
    }

    /// Removes all files but these; one that cannot be stays.
    void removeOthers(Set<Path> used) {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                if (!used.contains(entry) && !entry.getFileName().toString().equals(LOCK_NAME)) {
                    Files.deleteIfExists(entry);
                }
            }
        } catch (IOException _) {
            // It goes with the folder.
        }
    }

    /// Removes what no run has taken over.
    @Override
    public void close() {
        Path own = null;
        try {
            own = folder.toRealPath();
            remove(folder);
        } catch (IOException e) {
            throw Durable.failed(folder, e);
        } finally {
            closeLock();
            if (own != null) {
                OWN.remove(own);
            }
        }
    }

    private void closeLock() {
        try {
            lock.close();
        } catch (IOException e) {
            throw Durable.failed(folder, e);
        }
    }
}
