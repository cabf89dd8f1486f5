package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// Commands as a user types them: exit code, stdout, stderr.
final class CommandLineTest {
    @TempDir
    private static Path folder;

    private static Path data;

    @BeforeAll
    static void makeData() {
        data = folder.resolve("ssb");
        CommandRun made = CommandRun.of("ssb", "--sf", "0.01", "-o", data.toString());
        assertThat(made.exitCode()).as(made.err()).isZero();
        assertThat(made.out()).isEmpty();
        assertThat(made.err()).contains("rows in 5 tables");
    }

    @Test
    void missingDataIsNoSuchFile() {
        CommandRun outcome =
                CommandRun.of("sql", "--data", folder.resolve("none").toString(), "-c", "select 1");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("none: no such file or directory").doesNotContain("Exception");
    }

    @Test
    void inspectShowsADatasetAndAFile() throws Exception {
        CommandRun dataset = CommandRun.of("inspect", data.toString(), "--verify");
        assertThat(dataset.exitCode()).as(dataset.err()).isZero();
        assertThat(dataset.out())
                .contains("Star Schema Benchmark, scale factor 0.01", " public | lineorder |      17 |")
                .contains("verified: no problem found");
        Path file;
        try (var files = Files.list(data.resolve("customer"))) {
            file = files.findFirst().orElseThrow();
        }
        CommandRun oneFile = CommandRun.of("inspect", file.toString(), "--verify", "--batches");
        assertThat(oneFile.out())
                .contains("rows       1,000 in 1 batches", "c_custkey", "character varying(25)")
                .contains(" batch | rows | ", "verified: no problem found");
    }

    @Test
    void inspectFindsDamage() throws Exception {
        Path copy = folder.resolve("damaged");
        assertThat(CommandRun.of("ssb", "--sf", "0.001", "-o", copy.toString()).exitCode())
                .isZero();
        Path file;
        try (var files = Files.list(copy.resolve("supplier"))) {
            file = files.findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        CommandRun outcome = CommandRun.of("inspect", copy.toString(), "--verify");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains(file.getFileName() + ": its SHA-256 is ");
        Files.write(file, List.of("garbage"));
        assertThat(CommandRun.of("inspect", file.toString()).err())
                .startsWith("quarrel: ")
                .contains(file.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "ssb",
                "ssb --sf 0 -o /tmp/x",
                "ssb --sf x -o /tmp/x",
                "ssb --flat -o /tmp/x",
                "ssb --readings 0 -o /tmp/x",
                "sql -c select",
                "sql --data /tmp --format xml",
                "inspect",
                "serve --data /tmp --port 70000",
                "serve --data /tmp --set nonsense=1",
                "export -t a -o /tmp/x",
                "export -d postgresql://localhost/x -o /tmp/x",
                "export -d postgresql://localhost/x -t a -c select -o /tmp/x",
                "export -d postgresql://localhost/x -c select -o /tmp/x",
                "export -d postgresql://localhost/x -t a -o /tmp/x --zstd 50",
                "export -d postgresql://localhost/x -t a -o /tmp/x --zstd many",
                "export -d postgresql://localhost/x -t a -o /tmp/x --lock-timeout -1",
                "export -d postgresql://localhost/x -t a -o /tmp/x -n 0",
                "export -d postgresql://localhost/x -t a -o /tmp/x --memory 1",
                "export -d postgresql://localhost/x -t a -o /tmp/x --every 0",
                "export -d postgresql://localhost/x -t a -o /tmp/x --every 5 --append",
                "demo --port 70000",
                "demo --sf -1"
            })
    void wrongUsageIsTwo(String line) {
        CommandRun outcome = CommandRun.of(line.isEmpty() ? new String[0] : line.split(" "));
        assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains("quarrel: ").containsPattern("Try 'quarrel.* --help'\\.\n$");
        assertThat(outcome.err().lines().count()).isLessThan(line.isEmpty() ? 40 : 4);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "serve --help",
                "sql -h",
                "demo --help",
                "export --help",
                "ssb --help",
                "inspect -h",
                "doctor -h"
            })
    void helpIsData(String line) {
        CommandRun outcome = CommandRun.of(line.split(" "));
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out()).startsWith("Usage: quarrel");
        assertThat(outcome.err()).isEmpty();
    }

    @Test
    void commandsAreCalledByTheirNames() {
        Main.COMMANDS.forEach((name, type) ->
                assertThat(type.getAnnotation(CommandLine.Command.class).name()).isEqualTo(name));
        String help = CommandRun.of("--help").out();
        assertThat(Main.COMMANDS.keySet().stream().filter(name -> !help.contains("  " + name + " ")))
                .containsExactly("warm-up");
        assertThat(CommandRun.of("exprt").err()).contains("Did you mean: quarrel export");
    }

    @Test
    void doctorNamesDevicesWithReasons() {
        CommandRun outcome = CommandRun.of("doctor");
        assertThat(outcome.out()).contains("jdk ", "cores ", "memory ", "device cuda", "psql ");
    }
}
