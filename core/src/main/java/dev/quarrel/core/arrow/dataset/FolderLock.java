package dev.quarrel.core.arrow.dataset;

import dev.quarrel.core.arrow.Durable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/// A lock on a file of a folder, of one thread of one process; it ends with the process.
///
/// By POSIX a process gives up its locks on a file as soon as it closes any channel of that: who asks for a lock that
/// this process has opens nothing.
final class FolderLock implements AutoCloseable {
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet(); // by this process
    private static final long PAUSE_NANOS = 5_000_000;

    private final Path path;
    private final FileChannel channel;

    private FolderLock(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /// @return null where somebody else has it
    static FolderLock tryLock(Path folder, String name) throws IOException {
        Path path = folder.toRealPath().resolve(name);
        if (!HELD.add(path)) {
            return null;
        }
        FileChannel channel = null;
        try {
            channel = locked(path);
            return channel == null ? null : new FolderLock(path, channel);
        } finally {
            if (channel == null) {
                HELD.remove(path);
            }
        }
    }

    /// The same as soon as nobody else has it.
    ///
    /// @param check run from time to time; what it throws ends the waiting
    static FolderLock await(Path folder, String name, Runnable check) {
        try {
            while (true) {
                FolderLock lock = tryLock(folder, name);
                if (lock != null) {
                    return lock;
                }
                check.run();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (IOException e) {
            throw Durable.failed(folder.resolve(name), e);
        }
    }

    /// A first run that failed takes the file with it: who has locked one that is there no more tries again.
    private static FileChannel locked(Path path) throws IOException {
        while (true) {
            Object before = Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? identity(path) : null;
            FileChannel channel = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            boolean isKept = false;
            try {
                if (channel.tryLock() == null) {
                    return null;
                }
                isKept = before != null && before.equals(identity(path));
                if (isKept) {
                    return channel;
                }
            } catch (NoSuchFileException _) {
                Files.createDirectories(path.getParent());
            } finally {
                if (!isKept) {
                    channel.close();
                }
            }
        }
    }

    private static Object identity(Path path) throws IOException {
        Object key = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
        return key == null ? path : key;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw Durable.failed(path, e);
        } finally {
            HELD.remove(path);
        }
    }
}
