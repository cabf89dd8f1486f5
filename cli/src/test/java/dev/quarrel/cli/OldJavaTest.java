package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The JAR's first class is for a Java of long ago, and sends its user to a newer one.
class OldJavaTest {
    private static final Path START = Path.of("src/main/java/dev/quarrel/cli/launch/Start.java");

    @TempDir
    private Path classes;

    @Test
    void theFirstClassIsReadByJava8() throws IOException, InterruptedException {
        String pom = Files.readString(Path.of("pom.xml"));
        assertThat(pom)
                .contains("<mainClass>dev.quarrel.cli.launch.Start</mainClass>")
                .containsPattern(
                        "<release>8</release>\\s*<includes><include>\\*\\*/cli/launch/\\*\\*</include></includes>");
        compile();
        byte[] made = Files.readAllBytes(classes.resolve("dev/quarrel/cli/launch/Start.class"));
        assertThat(made[7]).as("the class file's version").isEqualTo((byte) 52);
        Path old = oldJava();
        if (old != null) {
            Process java = start(old);
            assertThat(new String(java.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("quarrel: this needs Java 25 or newer, and was started by Java ")
                    .contains("./quarrel");
            assertThat(java.waitFor()).isEqualTo(1);
        }
    }

    @Test
    void aNewJavaRunsTheCommand() throws IOException, InterruptedException {
        compile();
        Process java = start(Path.of(System.getProperty("java.home"), "bin", "java"));
        assertThat(new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .startsWith("quarrel ");
        assertThat(java.waitFor()).isZero();
    }

    private void compile() {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(
                        null,
                        null,
                        null,
                        "--release",
                        "8",
                        "-nowarn",
                        "-Xlint:-options",
                        "-proc:none",
                        "-d",
                        classes.toString(),
                        START.toString()))
                .isZero();
    }

    private Process start(Path java) throws IOException {
        return new ProcessBuilder(
                        java.toString(),
                        "-cp",
                        classes + ":" + System.getProperty("java.class.path"),
                        "dev.quarrel.cli.launch.Start",
                        "--version")
                .start();
    }

    private static Path oldJava() throws IOException {
        Path installed = Path.of("/usr/lib/jvm");
        if (Files.isDirectory(installed)) {
            try (DirectoryStream<Path> homes = Files.newDirectoryStream(installed, "*{8,11,17,21}*")) {
                for (Path home : homes) {
                    if (Files.isExecutable(home.resolve("bin/java"))) {
                        return home.resolve("bin/java");
                    }
                }
            }
        }
        return null;
    }
}
