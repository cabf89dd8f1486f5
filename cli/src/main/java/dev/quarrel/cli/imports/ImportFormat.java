package dev.quarrel.cli.imports;

import java.io.IOException;
import java.nio.file.Path;

/// How files of one format are read.
@FunctionalInterface
public interface ImportFormat extends AutoCloseable {
    /// The rows of a file.
    ImportSource open(Path file) throws IOException;

    /// What the reading of a file that has failed has taught, for people: from the beginning, files are read otherwise.
    /// Null where it has taught nothing.
    default String learned() {
        return null;
    }

    /// After all of its files.
    @Override
    default void close() {}
}
