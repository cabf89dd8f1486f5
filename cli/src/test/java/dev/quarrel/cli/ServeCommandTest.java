package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// `quarrel serve` as a process of its own: ready line, answers, the end by a signal.
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "sends SIGTERM")
final class ServeCommandTest {
    @TempDir
    private Path folder;

    private Process serve(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules",
                "jdk.incubator.vector",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve",
                "--data",
                folder.toString()));
        command.addAll(List.of(options));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @Test
    void saysWhenItIsReadyAnswersAndStopsOnSigterm() throws Exception {
        assertThat(CommandRun.of("ssb", "--sf", "0.001", "-o", folder.toString())
                        .exitCode())
                .isZero();
        Process process = serve("--port", "0");
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            String ready = out.readLine();
            Matcher address = Pattern.compile("ready: .* at 127\\.0\\.0\\.1:(\\d+), devices: cpu \\(.*; no cuda: .+")
                    .matcher(ready);
            assertThat(address.matches()).as(ready).isTrue();
            String url = "jdbc:postgresql://127.0.0.1:" + address.group(1) + "/quarrel?user=anyone";
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select count(*) from \"date\"")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(2556);
            }
            process.toHandle().destroy();
            assertThat(out.readLine()).isNull();
        } finally {
            process.toHandle().destroy();
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void aTakenPortIsSaidWithARemedy() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun outcome =
                    CommandRun.of("serve", "--data", folder.toString(), "--port", "" + taken.getLocalPort());
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.err())
                    .contains("127.0.0.1:" + taken.getLocalPort(), "--port")
                    .doesNotContain("\tat ");
            CommandRun demo = CommandRun.of("demo", "--once", "--port", "" + taken.getLocalPort());
            assertThat(demo.exitCode()).isEqualTo(1);
            assertThat(demo.err()).contains("port " + taken.getLocalPort(), "--port");
        }
    }

    @Test
    void beyondLoopbackNeedsUsers() {
        CommandRun outcome = CommandRun.of("serve", "--data", folder.toString(), "--host", "0.0.0.0", "--port", "0");
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).contains("users");
    }
}
