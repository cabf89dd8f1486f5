package dev.quarrel.cli;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/// A folder that is gone, with all that is in it, when it is closed.
final class TemporaryFolder implements AutoCloseable {
    private static final int TRIES = 20;

    private final Path path;

    TemporaryFolder(String prefix) throws IOException {
        path = Files.createTempDirectory(prefix);
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        // Processes that are just ending may still write here.
        for (int tries = 0; tries < TRIES && Files.exists(path); tries++) {
            try {
                Files.walkFileTree(path, new Deleting());
            } catch (IOException notYet) {
                try {
                    Thread.sleep(100);
                } catch (InterruptedException interrupt) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
        if (Files.exists(path)) {
            Main.say("could not delete " + path);
        }
    }

    private static final class Deleting extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }
}
