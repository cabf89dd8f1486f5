package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Runs the commands of docs/server.md and docs/operations.md, block by block, and compares what they say with the text
/// below them.
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the commands are those of a POSIX shell")
final class ServerDocumentTest {
    private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", Pattern.DOTALL);

    @TempDir
    private Path folder;

    private record Block(String commands, String output) {}

    private static List<Block> blocks(String page) throws IOException {
        String text = Files.readString(Path.of("..", "docs", page))
                .replace("5433", Integer.toString(freePort()))
                .replace("9187", Integer.toString(freePort()));
        List<Block> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            blocks.add(new Block(matcher.group(1), matcher.group(2)));
        }
        return blocks;
    }

    private static boolean isInstalled(String tool) {
        for (String place : System.getenv("PATH").split(":", -1)) {
            if (Files.isExecutable(Path.of(place, tool))) {
                return true;
            }
        }
        return false;
    }

    /// A launcher of the classes under test.
    private void writeLauncher() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Files.writeString(
                folder.resolve("quarrel"),
                "#!/bin/sh\nexec '" + java + "' -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED -cp '"
                        + System.getProperty("java.class.path") + "' " + Main.class.getName() + " \"$@\"\n");
        Files.setPosixFilePermissions(folder.resolve("quarrel"), PosixFilePermissions.fromString("rwx------"));
    }

    private Process start(String commands) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", commands)
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().putAll(Map.of("ALICE_PASSWORD", "wonder land", "BOB_PASSWORD", "b=1,r=2"));
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"server.md, 4", "operations.md, 6"})
    @Timeout(300)
    void theCommandsDoWhatThePageSays(String page, int outputs) throws Exception {
        for (String tool : List.of("bash", "psql", "openssl", "curl")) {
            assumeTrue(isInstalled(tool), tool + " is not installed");
        }
        writeLauncher();
        Process server = null;
        int compared = 0;
        try {
            for (Block block : blocks(page)) {
                if (block.commands().startsWith("./quarrel serve")) {
                    server = start("echo $$ > quarrel.pid; exec " + block.commands());
                    awaitReady(server);
                    continue;
                }
                Process process = start(block.commands());
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                process.waitFor();
                if (block.output() == null) {
                    assertThat(process.exitValue()).as(output).isZero();
                } else {
                    assertThat(output).isEqualTo(block.output());
                    compared++;
                }
            }
        } finally {
            if (server != null) {
                server.destroy();
                assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
            }
        }
        assertThat(server).isNotNull();
        assertThat(compared).isEqualTo(outputs);
    }

    private static void awaitReady(Process server) throws IOException {
        BufferedReader out = server.inputReader(StandardCharsets.UTF_8);
        StringBuilder said = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            said.append(line).append('\n');
            if (line.startsWith("ready: ")) {
                return;
            }
        }
        throw new AssertionError("the server did not start:\n" + said);
    }
}
