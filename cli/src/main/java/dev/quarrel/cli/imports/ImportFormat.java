package dev.quarrel.cli.imports;

import java.io.IOException;
import java.nio.file.Path;

/// How files of one format are read.
public interface ImportFormat {
    /// The rows of a file.
    ImportSource open(Path file) throws IOException;
}
