package dev.quarrel.core.arrow;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/// Tells whether a file that is held open is as it was when it was opened, also when its name leads to another
/// meanwhile.
///
/// What changes a file's content sets its time of change, in steps of the system's clock: two changes within one step
/// are one. Threads share it.
final class OpenStamp {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final Path path;
    private final FileStamp stamp;
    private volatile Path descriptor; // null until the name leads elsewhere

    /// @param stamp of the very file that is open
    OpenStamp(Path path, FileStamp stamp) {
        this.path = path;
        this.stamp = stamp;
    }

    long size() {
        return stamp.size();
    }

    boolean isCurrent() {
        FileStamp now = FileStamp.of(path);
        if (now.equals(stamp)) {
            return true;
        }
        if (stamp.fileKey() == null || Objects.equals(now.fileKey(), stamp.fileKey())) {
            return false;
        }
        // Renamed or deleted, which is no change of a file that is open; only its descriptor still leads to it.
        Path known = descriptor;
        if (known == null || !isOfFile(known)) {
            known = find();
            descriptor = known;
        }
        return known != null && FileStamp.of(known).equals(stamp);
    }

    private boolean isOfFile(Path file) {
        return stamp.fileKey().equals(FileStamp.of(file).fileKey());
    }

    private Path find() {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path one : open) {
                if (isOfFile(one)) {
                    return one;
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            // Not on this system.
        }
        return null;
    }
}
