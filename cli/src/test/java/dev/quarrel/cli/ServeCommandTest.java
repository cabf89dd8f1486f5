package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
    void eventsAndFilesElsewhereAreTablesOfOneServer(@TempDir Path elsewhere) throws Exception {
        assertThat(CommandRun.of("ssb", "--sf", "0.001", "-o", elsewhere.toString())
                        .exitCode())
                .isZero();
        Process process =
                serve("--port", "0", "--ingest", "http=0", "--writable", "--import-root", elsewhere.toString());
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
                HttpClient http = HttpClient.newHttpClient()) {
            String ready = out.readLine();
            Matcher address = Pattern.compile(
                            "ready: .* at 127\\.0\\.0\\.1:(\\d+), .* events at 127\\.0\\.0\\.1:(\\d+) .*")
                    .matcher(ready);
            assertThat(address.matches()).as(ready).isTrue();
            URI uri = URI.create("http://127.0.0.1:" + address.group(2) + "/ingest/visits");
            HttpResponse<String> answer = http.send(
                    HttpRequest.newBuilder(uri)
                            .POST(
                                    HttpRequest.BodyPublishers.ofString(
                                            "{\"day_of\": 19920102, \"page\": \"/a\"}\n{\"day_of\": 19920103, \"page\": \"/b\"}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            String url = "jdbc:postgresql://127.0.0.1:" + address.group(1) + "/quarrel?user=anyone";
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute(
                        "create foreign table days (d_datekey int, d_dayofweek text, file text options (virtual '$file'))"
                                + " server arrow_fdw options (dir '" + elsewhere.resolve("date") + "')");
                try (ResultSet rows = statement.executeQuery("select page, d_dayofweek, file from visits join days"
                        + " on day_of = d_datekey order by page")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1) + rows.getString(2)).isEqualTo("/aThursday");
                    assertThat(rows.getString(3)).endsWith(".arrow");
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.next()).isFalse();
                }
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
