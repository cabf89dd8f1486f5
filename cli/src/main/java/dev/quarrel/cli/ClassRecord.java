package dev.quarrel.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Says that what the JVM records of this process, the classes it has loaded and linked, is worth a cache for the next
/// ones: a command that fails has not loaded what the others need.
///
/// The launcher has the JVM record, as long as there is no cache, and makes one when the process has ended.
///
/// - Errors: none; without the mark there is no cache.
final class ClassRecord {
    /// A system property: the mark's path.
    private static final String PROPERTY = "quarrel.recorded";

    private ClassRecord() {}

    static void keep() {
        String mark = System.getProperty(PROPERTY);
        if (mark == null) {
            return;
        }
        try {
            Files.write(Path.of(mark), new byte[0]);
        } catch (IOException _) {
            // A folder that is not ours to write.
        }
    }
}
