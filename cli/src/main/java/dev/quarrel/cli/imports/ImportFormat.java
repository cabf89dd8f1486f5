package dev.quarrel.cli.imports;

import java.io.IOException;
import java.nio.file.Path;

/// How files of one format are read.
@FunctionalInterface
public interface ImportFormat extends AutoCloseable {
    /// The rows of a file.
    ImportSource open(Path file) throws IOException;

    /// After all of its files.
    @Override
    default void close() {}
}
