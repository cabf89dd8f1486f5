package dev.quarrel.cli;

import dev.quarrel.core.arrow.Durable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/// A file that is written beside the one it replaces, and takes its name when it is complete and on the disk. What a
/// link leads to is replaced, not the link. A device or a pipe, such as `/dev/null`, cannot be replaced: it is written.
///
/// - Errors: [IOException] where the folder cannot be written; without `replace`, `close` removes what was written.
final class ReplacedFile implements AutoCloseable {
    private final Path target;
    private final Path beside; // null where the target is written
    private final FileChannel channel;
    private boolean isReplaced;

    private ReplacedFile(Path target, Path beside, FileChannel channel) {
        this.target = target;
        this.beside = beside;
        this.channel = channel;
    }

    static ReplacedFile begin(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            return new ReplacedFile(file, null, FileChannel.open(file, StandardOpenOption.WRITE));
        }
        Path target =
                Files.exists(file) ? file.toRealPath() : file.toAbsolutePath().normalize();
        Path beside = target.resolveSibling(
                "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
        return new ReplacedFile(
                target,
                beside,
                FileChannel.open(
                        beside,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE));
    }

    OutputStream stream() {
        return Channels.newOutputStream(channel);
    }

    void replace() throws IOException {
        if (beside == null) {
            return;
        }
        channel.force(true);
        channel.close();
        Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
        isReplaced = true;
        Durable.syncFolder(target);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (beside != null && !isReplaced) {
            Files.deleteIfExists(beside);
        }
    }
}
