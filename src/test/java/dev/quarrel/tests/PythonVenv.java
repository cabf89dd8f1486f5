package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/// Python with packages from PyPI, for tests of other people's programs.
///
/// It is `-Dquarrel.python`, or `target/NAME/bin/python`, which nightly runs make. Without either a test is skipped.
final class PythonVenv {
    private PythonVenv() {}

    static Path python(String name, List<String> packages, boolean mayInstall)
            throws IOException, InterruptedException {
        Path folder = Path.of("target", name).toAbsolutePath();
        Path own = folder.resolve("bin").resolve("python");
        String given = System.getProperty("quarrel.python");
        Path python = given == null ? own : Path.of(given);
        if (given == null && mayInstall && !Files.exists(own)) {
            Tools.require("python3", "apt-get install python3 python3-venv");
            run("python3", "-m", "venv", folder.toString());
            List<String> install = new ArrayList<>(List.of(own.toString(), "-m", "pip", "install", "--quiet"));
            install.addAll(packages);
            try {
                run(install.toArray(String[]::new));
            } catch (AssertionError failed) {
                throw new TestAbortedException("PyPI gave no " + packages + ": " + failed.getMessage());
            }
        }
        if (!Files.exists(python)) {
            throw new TestAbortedException("no Python with " + packages + ": the nightly run makes one in " + folder
                    + ", or name one by -Dquarrel.python");
        }
        return python;
    }

    /// What a program prints; it must end well.
    static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
