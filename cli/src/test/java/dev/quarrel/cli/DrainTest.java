package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The end of a server by signals, as a process of its own, with clients at work.
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "sends SIGTERM")
@Timeout(120)
final class DrainTest {
    private static final Pattern READY =
            Pattern.compile("ready: .* at 127\\.0\\.0\\.1:(\\d+), http at 127\\.0\\.0\\.1:(\\d+), devices: .*");

    @TempDir
    private Path folder;

    private Process process;
    private String url;
    private String http;

    /// Starts one whose settings stand in a file.
    private void serve(String... settings) throws IOException {
        Path data = Files.createDirectory(folder.resolve("data"));
        List<String> lines = new ArrayList<>(
                List.of("data = \"data\"", "port = 0", "http = \"0\"", "warm_up = false", "log_format = \"json\""));
        lines.addAll(List.of(settings));
        Files.write(folder.resolve("quarrel.toml"), lines);
        assertThat(data).isDirectory();
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-modules",
                        "jdk.incubator.vector",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "serve")
                .directory(folder.toFile())
                .redirectError(folder.resolve("log").toFile())
                .start();
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String ready = out.readLine();
        Matcher matcher = READY.matcher(String.valueOf(ready));
        assertThat(matcher.matches()).as("%s %s", ready, log()).isTrue();
        url = "jdbc:postgresql://127.0.0.1:" + matcher.group(1) + "/quarrel?user=ann";
        http = "http://127.0.0.1:" + matcher.group(2);
    }

    @AfterEach
    void end() {
        process.destroyForcibly();
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }

    private HttpResponse<String> get(String page) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create(http + page)).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private CompletableFuture<String> ask(String sql) {
        return CompletableFuture.supplyAsync(() -> {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                rows.next();
                return rows.getString(1);
            } catch (SQLException failure) {
                throw new CompletionException(failure);
            }
        });
    }

    /// Drivers ask a little of their own first: what stays active is the test's statement.
    private void awaitActive() throws Exception {
        for (int seen = 0; seen < 5; Thread.sleep(100)) {
            boolean isActive = get("/metrics").body().contains("quarrel_sessions{state=\"active\"} 1.0");
            seen = isActive ? seen + 1 : 0;
        }
    }

    private void awaitStopping() throws Exception {
        while (get("/readyz").statusCode() == 200) {
            Thread.sleep(20);
        }
    }

    private void term() {
        process.toHandle().destroy();
    }

    private int exitCode() throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private static void assertState(Throwable failure, String state) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        assertThat(cause)
                .isInstanceOfSatisfying(
                        SQLException.class,
                        told -> assertThat(told.getSQLState()).isEqualTo(state));
    }

    @Test
    void whatRunsMayFinish() throws Exception {
        serve("shutdown_timeout = \"60s\"");
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        try (Connection idle = DriverManager.getConnection(url);
                Statement statement = idle.createStatement()) {
            CompletableFuture<String> asked = ask("select pg_sleep(8)::text || 'done'");
            awaitActive();
            term();
            // A client that comes now is told so, and whoever looks sees it.
            awaitStopping();
            assertThatThrownBy(() -> DriverManager.getConnection(url))
                    .satisfies(failure -> assertState(failure, "57P03"))
                    .hasMessageContaining("the database system is shutting down");
            assertThat(get("/readyz").statusCode()).isEqualTo(503);
            assertThat(get("/readyz").body()).isEqualTo("shutting down\n");
            assertThat(get("/healthz").statusCode()).isEqualTo(200);
            assertThatThrownBy(() -> statement.executeQuery("select 1"))
                    .satisfies(failure -> assertState(failure, "57P01"))
                    .hasMessageContaining("terminating connection due to administrator command");
            assertThat(asked.get(60, TimeUnit.SECONDS)).isEqualTo("done");
        }
        assertThat(exitCode()).isZero();
        assertThat(log()).contains("server.stop_asked").doesNotContain("stop_cancels", "ERROR");
    }

    @Test
    void afterTheTimeoutItIsCancelled() throws Exception {
        serve("shutdown_timeout = 1");
        CompletableFuture<String> asked = ask("select count(*) from generate_series(1, 100000000000)");
        awaitActive();
        term();
        assertThatThrownBy(asked::join).satisfies(failure -> assertState(failure, "57P01"));
        assertThat(exitCode()).isZero();
        assertThat(log()).contains("server.stop_cancels");
    }

    @Test
    void aSecondSignalEndsItAtOnce() throws Exception {
        serve("shutdown_timeout = \"10min\"");
        CompletableFuture<String> asked = ask("select count(*) from generate_series(1, 100000000000)");
        awaitActive();
        term();
        awaitStopping();
        assertThat(process.isAlive()).isTrue();
        term();
        assertThat(exitCode()).isEqualTo(128 + 15);
        assertThatThrownBy(asked::join).isInstanceOf(CompletionException.class);
    }
}
