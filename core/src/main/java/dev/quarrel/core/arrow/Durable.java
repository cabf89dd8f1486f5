package dev.quarrel.core.arrow;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// Makes files and their names survive a power cut: a file's channel synchronises its bytes, and its folder's
/// channel its name.
public final class Durable {
    // What systems say of a full disk, a quota, and a limit on the size of files.
    private static final List<String> FULL = List.of("No space left", "quota exceeded", "File too large");

    // Of a mode, as POSIX's <sys/stat.h> has them.
    private static final int KIND_BITS = 0170000;
    private static final int CHARACTER_DEVICE = 0020000;
    private static final int BLOCK_DEVICE = 0060000;

    private Durable() {}

    /// What to say of a file that could not be written: 53100 where there is no room, else 58030.
    public static QueryException failed(Path path, IOException e) {
        String why = reason(e);
        boolean full = FULL.stream().anyMatch(why::contains);
        return new QueryException(
                full ? SqlState.DISK_FULL : SqlState.IO_ERROR, "could not write file \"" + path + "\": " + why, e);
    }

    /// Some exceptions have but the name of the file.
    private static String reason(IOException e) {
        return switch (e) {
            case FileAlreadyExistsException _ -> "File exists";
            case NoSuchFileException _ -> "No such file or directory";
            case AccessDeniedException _ -> "Permission denied";
            case DirectoryNotEmptyException _ -> "Directory not empty";
            default -> String.valueOf(e.getMessage());
        };
    }

    /// Replaces a file at once: a reader finds the old one or the new one, whatever happens meanwhile.
    ///
    /// - Errors: as [#failed] has it; the old file stays.
    public static void replace(Path path, byte[] text) {
        Path temporary = path.resolveSibling(path.getFileName() + ArrowFileWriter.TEMPORARY_SUFFIX);
        try {
            try (FileChannel channel = create(temporary)) {
                ByteBuffer bytes = ByteBuffer.wrap(text);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
            syncFolder(path);
        } catch (IOException e) {
            throw failed(path, e);
        }
    }

    /// An empty file that is new: what was there by its name, a link also, goes before. A device is nobody's leftover:
    /// it stays, and is written.
    static FileChannel create(Path path) throws IOException {
        if (isDevice(path)) {
            return FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        }
        Files.deleteIfExists(path);
        return FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /// Whether a path names a device, not by a link; a pipe is none, since who opens one waits for its other end.
    static boolean isDevice(Path path) throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")
                || !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        int kind = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & KIND_BITS;
        return kind == CHARACTER_DEVICE || kind == BLOCK_DEVICE;
    }

    public static void syncFolder(Path file) throws IOException {
        try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
