package dev.quarrel.core.spill;

import dev.quarrel.core.file.FileOwner;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A process' private folder for temporary files, below a folder that processes share.
///
/// It is made when the first file is needed, for its owner alone (mode 700). A lock file in it is held as long as the
/// process lives; folders that nobody holds, those of killed processes, are deleted when the next process opens the
/// same shared folder. What others put there by such a name stays: only folders of this very user count, and in them
/// files of our own names.
///
/// Threads share it. Whoever opens it closes it, after the files.
public final class SpillFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpillFolder.class);
    private static final String PREFIX = "quarrel-spill-";
    private static final String LOCK = "lock";
    private static final String SPILL_PREFIX = "spill-";
    /// The process' number, and what the JDK adds for a name that nobody else has.
    private static final Pattern NAME = Pattern.compile(PREFIX + "\\d+-\\d+");

    private static final Pattern SPILL_NAME = Pattern.compile(SPILL_PREFIX + "\\d+");
    /// A folder without a lock file may be one that is being made.
    private static final long GRACE_MILLIS = 60_000;

    /// Folders of this process: opening their lock files a second time and closing them would let go of the locks.
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private final Path shared;
    private final AtomicLong lastFile = new AtomicLong();
    private final LongAdder writtenBytes = new LongAdder();
    private Path own;
    private FileChannel lockChannel;
    private boolean closed;

    private SpillFolder(Path shared) {
        this.shared = shared;
    }

    /// The folder where nothing else is said: the JVM's folder for temporary files.
    public static Path defaultParent() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /// Opens a shared folder, and deletes what killed processes have left in it. Nothing is written yet; a folder that
    /// is not there or cannot be read is an error only when something is to be spilled.
    public static SpillFolder open(Path shared) {
        SpillFolder folder = new SpillFolder(shared.toAbsolutePath());
        folder.deleteLeftovers();
        return folder;
    }

    public Path shared() {
        return shared;
    }

    void written(long bytes) {
        writtenBytes.add(bytes);
    }

    /// What was written to temporary files since this was opened.
    public long writtenBytes() {
        return writtenBytes.sum();
    }

    private void deleteLeftovers() {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(shared, PREFIX + "*")) {
            for (Path folder : folders) {
                // Who shares the folder can put a link or a folder of such a name there.
                if (NAME.matcher(folder.getFileName().toString()).matches()
                        && !OWN.contains(folder)
                        && FileOwner.isOurs(folder)) {
                    deleteIfAbandoned(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException problem) {
            LOG.debug("spill.unclean folder={} reason={}", shared, problem.toString());
        }
    }

    private static void deleteIfAbandoned(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            if (files instanceof SecureDirectoryStream<Path> secure) {
                // From here on the folder that is open counts, whatever its name leads to meanwhile.
                if (FileOwner.isOurs(secure.getFileAttributeView(FileOwnerAttributeView.class))
                        && isAbandoned(secure, folder)) {
                    delete(secure, folder);
                    LOG.info("spill.cleaned folder={}", folder);
                }
            } else {
                LOG.debug("spill.left folder={} reason=no folder can be held open here", folder);
            }
        } catch (IOException problem) {
            LOG.debug("spill.left folder={} reason={}", folder, problem.toString());
        }
    }

    private static boolean isAbandoned(SecureDirectoryStream<Path> folder, Path path) {
        try (SeekableByteChannel lock = folder.newByteChannel(
                        Path.of(LOCK), Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
                FileLock held = ((FileChannel) lock).tryLock()) {
            return held != null;
        } catch (NoSuchFileException _) {
            return isOld(folder);
        } catch (IOException | OverlappingFileLockException problem) {
            LOG.debug("spill.left folder={} reason={}", path, problem.toString()); // in use, or gone meanwhile
            return false;
        }
    }

    private static boolean isOld(SecureDirectoryStream<Path> folder) {
        try {
            long modified = folder.getFileAttributeView(BasicFileAttributeView.class)
                    .readAttributes()
                    .lastModifiedTime()
                    .toMillis();
            return System.currentTimeMillis() - modified > GRACE_MILLIS;
        } catch (IOException _) {
            return false;
        }
    }

    /// Deletes what has the form of our own files; with anything else in it the folder stays.
    private static void delete(SecureDirectoryStream<Path> folder, Path path) throws IOException {
        for (Path file : folder) {
            String name = file.getFileName().toString();
            if (name.equals(LOCK) || SPILL_NAME.matcher(name).matches()) {
                folder.deleteFile(Path.of(name));
            }
        }
        Files.deleteIfExists(path); // fails unless it is an empty folder, or a link put in its place, which alone goes
    }

    private static void delete(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            if (files instanceof SecureDirectoryStream<Path> secure) {
                if (FileOwner.isOurs(secure.getFileAttributeView(FileOwnerAttributeView.class))) {
                    delete(secure, folder);
                }
                return;
            }
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (NoSuchFileException _) {
            // Somebody was tidy.
        } catch (IOException problem) {
            LOG.warn("spill.left folder={} reason={}", folder, problem.toString());
        }
    }

    /// A new, empty file.
    ///
    /// - Memory: the caller closes it, which deletes it. Where the system allows, it has no name from the start.
    /// - Errors: `QueryException` 58030 or 53100, naming the folder.
    SpillFile create(QuerySpill query) {
        Path path = null;
        try {
            path = folder().resolve(SPILL_PREFIX + lastFile.incrementAndGet());
            FileChannel channel = FileChannel.open(
                    path,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE);
            return new SpillFile(path, channel, query);
        } catch (IOException problem) {
            throw error("create a temporary file in", path == null ? shared : path.getParent(), 0, problem);
        }
    }

    private synchronized Path folder() throws IOException {
        if (closed) {
            throw new IOException("the engine is closed");
        }
        if (own != null && Files.isDirectory(own)) {
            return own;
        }
        letGo();
        if (!Files.isDirectory(shared)) {
            Files.createDirectories(shared);
        }
        String name = PREFIX + ProcessHandle.current().pid() + "-";
        boolean isPosix = Files.getFileStore(shared).supportsFileAttributeView("posix");
        FileAttribute<?>[] ownerOnly = isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                }
                : new FileAttribute<?>[0];
        Path made = Files.createTempDirectory(shared, name, ownerOnly);
        OWN.add(made);
        try {
            FileChannel channel =
                    FileChannel.open(made.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            lockChannel = channel;
            channel.lock();
        } catch (IOException problem) {
            own = made;
            letGo();
            throw problem;
        }
        own = made;
        return made;
    }

    private void letGo() {
        try {
            if (lockChannel != null) {
                lockChannel.close();
            }
        } catch (IOException problem) {
            LOG.debug("spill.unlock reason={}", problem.toString());
        }
        lockChannel = null;
        if (own != null) {
            delete(own);
            OWN.remove(own);
            own = null;
        }
    }

    /// What an I/O error of a temporary file means to the user.
    static QueryException error(String what, Path path, long bytes, IOException problem) {
        String reason = problem instanceof FileSystemException file && file.getReason() != null
                ? file.getReason()
                : problem.getMessage() == null || problem instanceof FileSystemException
                        ? problem.getClass().getSimpleName()
                        : problem.getMessage();
        boolean isFull = reason.contains("No space left") || reason.contains("quota") || isFull(path, bytes);
        return new QueryException(
                        isFull ? SqlState.DISK_FULL : SqlState.IO_ERROR,
                        "could not " + what + " \"" + path + "\": " + reason,
                        problem)
                .withHint(
                        isFull
                                ? "Free space there, name another folder with --spill-folder, or raise quarrel.query_memory."
                                : "Check the folder given with --spill-folder.");
    }

    private static boolean isFull(Path path, long bytes) {
        try {
            return bytes > 0 && Files.getFileStore(path.getParent()).getUsableSpace() < bytes;
        } catch (IOException _) {
            return false;
        }
    }

    /// Deletes the private folder.
    @Override
    public synchronized void close() {
        closed = true;
        letGo();
    }
}
