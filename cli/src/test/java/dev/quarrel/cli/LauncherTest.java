package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The launcher's own work, with a small program in the place of Quarrel's JAR.
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the launcher is a POSIX shell script")
final class LauncherTest {
    @TempDir
    private Path folder;

    private Path launcher;

    @BeforeEach
    void layOutARelease() throws IOException {
        Path script = Path.of("..", "quarrel");
        launcher = folder.resolve("release with blanks").resolve("quarrel");
        Files.createDirectories(launcher.getParent());
        Files.copy(script, launcher, StandardCopyOption.COPY_ATTRIBUTES);
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, EchoMain.class.getName());
        try (JarOutputStream jar =
                new JarOutputStream(Files.newOutputStream(launcher.resolveSibling("quarrel.jar")), manifest)) {
            for (Class<?> each : List.of(EchoMain.class, ClassRecord.class)) {
                String entry = each.getName().replace('.', '/') + ".class";
                jar.putNextEntry(new JarEntry(entry));
                try (InputStream bytes = each.getClassLoader().getResourceAsStream(entry)) {
                    bytes.transferTo(jar);
                }
                jar.closeEntry();
            }
        }
    }

    private record Outcome(int exitCode, String out, String err) {}

    private String javaOptions = "";
    private String caches = "off"; // which are made when the program has ended, and the test's folder may go

    private Process start(Path script, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().remove("JAVA_HOME"); // whatever java is the default, the launcher finds a JDK 25
        builder.environment().put("QUARREL_JAVA_OPTS", javaOptions);
        builder.environment().put("QUARREL_AOT", caches);
        return builder.start();
    }

    private Outcome run(String input, Path script, String... arguments) throws Exception {
        Process process = start(script, arguments);
        try (var stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), out, err);
    }

    @Test
    void argumentsArriveUnchanged() throws Exception {
        assertThat(run("", launcher, "arguments", "select 'a b'", "*", "$HOME", ""))
                .isEqualTo(new Outcome(0, "arguments|select 'a b'|*|$HOME|", ""));
    }

    @Test
    void stdinAndExitCodesPass() throws Exception {
        assertThat(run("select 1\n", launcher, "stdin")).isEqualTo(new Outcome(0, "SELECT 1\n", ""));
        assertThat(run("", launcher, "exit", "2")).isEqualTo(new Outcome(2, "", ""));
    }

    @Test
    void stderrPassesUnchanged() throws Exception {
        assertThat(run("", launcher, "stderr")).isEqualTo(new Outcome(0, "", "first line\n\rbar without a line's end"));
    }

    /// The first command is not kept waiting for it.
    @Test
    void aReleaseMakesItsCacheBesideTheFirstCommand() throws Exception {
        caches = "on";
        Path cache = launcher.getParent().toRealPath().resolve("quarrel.jar.aot");
        Outcome first = run("", launcher, "options");
        assertThat(first.err()).isEmpty();
        assertThat(first.out()).doesNotContain("AOTCache");
        awaitFiles(".jar.", List.of(cache));
        assertThat(cache).isNotEmptyFile();
        Outcome second = run("", launcher, "options");
        assertThat(second.err()).isEmpty();
        assertThat(second.out()).contains("-XX:AOTCache=" + cache);
        awaitFiles(".jar.", List.of(cache));
    }

    @Test
    void anExportLeavesACacheForTheNext() throws Exception {
        caches = "on";
        Path jar = launcher.getParent().toRealPath().resolve("quarrel.jar");
        Path cache = jar.resolveSibling("quarrel.jar.export.aot");
        Outcome first = run("", launcher, "export");
        assertThat(first.err()).isEmpty();
        assertThat(first.out())
                .contains("-XX:AOTMode=record", "-XX:+UseSerialGC")
                .doesNotContain("recorded:");
        awaitFiles(".export.", List.of(cache));
        assertThat(cache).isNotEmptyFile();
        Outcome second = run("", launcher, "export");
        assertThat(second.err()).isEmpty();
        assertThat(second.out()).contains("-XX:AOTCache=" + cache).doesNotContain("AOTMode");
        // One that is no cache is left unread.
        Files.writeString(cache, "broken");
        assertThat(run("", launcher, "export")).isEqualTo(second);
    }

    /// It runs what an export in full does not.
    @Test
    void anIncrementLeavesACacheOfItsOwn() throws Exception {
        caches = "on";
        Files.createFile(Files.createDirectories(folder.resolve("data")).resolve("_manifest.json"));
        Path cache = launcher.getParent().toRealPath().resolve("quarrel.jar.increment.aot");
        String[] increment = {"export", "-o", "data", "--incremental", "xmin"};
        assertThat(run("", launcher, increment).out()).contains("-XX:AOTMode=record");
        awaitFiles(".jar.", List.of(cache));
        assertThat(cache).isNotEmptyFile();
        assertThat(run("", launcher, increment).out()).contains("-XX:AOTCache=" + cache);
        assertThat(run("", launcher, "export", "-o", "data").out()).contains("-XX:AOTMode=record");
        awaitFiles(".jar.", List.of(launcher.getParent().toRealPath().resolve("quarrel.jar.export.aot"), cache));
    }

    /// Waits until, of the cache and what becomes it, only some are there: it is made when the program has ended.
    private void awaitFiles(String infix, List<Path> left) throws Exception {
        List<Path> there = null;
        for (int attempt = 0; attempt < 600 && !left.equals(there); attempt++) {
            Thread.sleep(attempt == 0 ? 0 : 100);
            try (Stream<Path> files = Files.list(launcher.getParent().toRealPath())) {
                there = files.filter(file -> file.getFileName().toString().contains(infix))
                        .sorted()
                        .toList();
            }
        }
        assertThat(there).isEqualTo(left);
    }

    /// What it has loaded is not what an export needs.
    @Test
    void anExportThatFailsLeavesNone() throws Exception {
        caches = "on";
        assertThat(run("", launcher, "export", "fails").exitCode()).isEqualTo(1);
        awaitFiles(".export.", List.of());
    }

    /// The first run, of all rows, needs the second compiler.
    @Test
    void incrementsDoWithoutTheSecondCompiler() throws Exception {
        String without = "-XX:TieredStopAtLevel=1";
        assertThat(run("", launcher, "export", "-o", "data", "--incremental", "xmin")
                        .out())
                .doesNotContain(without);
        Files.createFile(Files.createDirectories(folder.resolve("data")).resolve("_manifest.json"));
        for (String[] each : new String[][] {
            {"export", "-o", "data", "--incremental", "xmin"},
            {"export", "--incremental=xmin", "--output", "data"},
            {"export", "--incremental", "xmin", "--output=data"},
            {"export", "-odata", "--incremental", "xmin"}
        }) {
            assertThat(run("", launcher, each).out()).as(String.join(" ", each)).contains(without);
        }
        assertThat(run("", launcher, "export", "-o", "data").out()).doesNotContain(without);
        assertThat(run("", launcher, "export", "-o", "data", "--incremental", "xmin", "--every", "60")
                        .out())
                .doesNotContain(without);
        javaOptions = "-XX:TieredStopAtLevel=4";
        assertThat(run("", launcher, "export", "-o", "data", "--incremental", "xmin")
                        .out())
                .contains(javaOptions)
                .doesNotContain(without);
    }

    /// Where the JVM has what `-Xmx` states for its heap alone, there is no room for what queries hold outside of it.
    @Test
    void theHeapHasItsPartOfTheMemoryStated() throws Exception {
        for (String[] each : new String[][] {
            {"-Xmx2g", "1152"},
            {"-Xmx1024m -Xms1g", "576"},
            {"-Xms64m -Xmx1048576k", "576"},
            {"-Xmx256m -XX:-UsePerfData -Xmx512m", "288"},
            {"-Xmx192m", "160"}
        }) {
            javaOptions = each[0];
            Outcome outcome = run("", launcher, "heap");
            assertThat(outcome.err()).isEmpty();
            long heap = Long.parseLong(outcome.out().split(" ")[0]);
            // Collectors without regions leave one survivor space out.
            assertThat(heap).isBetween(Long.parseLong(each[1]) * 7 / 8, Long.parseLong(each[1]) + 2);
        }
        javaOptions = "-Xmx512m";
        assertThat(run("", launcher, "export").out()).contains("-Xmx512m").doesNotContain("-Xmx288m");
    }

    @Test
    void symbolicLinksAreFollowed() throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("relative"), Path.of("..", "release with blanks", "quarrel"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), bin.resolve("relative"));
        assertThat(run("", link, "arguments").out()).isEqualTo("arguments");
    }

    @Test
    void signalsReachTheProgram() throws Exception {
        Process process = start(launcher, "wait");
        try (BufferedReader out = process.inputReader()) {
            assertThat(out.readLine()).isEqualTo("waiting");
            process.toHandle().destroy(); // SIGTERM to the launcher's process, which has become the JVM
            assertThat(out.readLine()).isEqualTo("hook ran");
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(128 + 15);
    }
}
