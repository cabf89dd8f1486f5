package dev.quarrel.core.arrow;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Makes names survive a power cut: a file's bytes are synchronised by its channel, its name by its folder's.
final class Durable {
    private Durable() {}

    static void syncFolder(Path file) throws IOException {
        try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }
}
