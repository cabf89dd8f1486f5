package dev.quarrel.tests;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.opentest4j.TestAbortedException;

/// Programs that some tests need and not every machine has.
final class Tools {
    private Tools() {}

    /// Skips the test where a program is missing; fails it where everything is promised to be installed
    /// (`-Dquarrel.test.strict=true`).
    static void require(String program, String remedy) {
        for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return;
            }
        }
        String reason = program + " is not installed: " + remedy;
        if (Boolean.getBoolean("quarrel.test.strict")) {
            throw new AssertionError(reason);
        }
        throw new TestAbortedException(reason);
    }
}
