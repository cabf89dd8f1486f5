package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/// A server in a process of its own that is to take 2 GiB, as `./quarrel` starts it where `-Xmx2g` is stated.
final class ServerProcess implements AutoCloseable {
    /// What the README says that such a process holds at most.
    static final long MOST_BYTES = (2048L + 256) << 20;

    private final Process process;
    private final int port;
    private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();

    private ServerProcess(Process process) throws IOException {
        this.process = process;
        this.port = awaitPort();
    }

    /// One over a dataset, on any port.
    static ServerProcess serve(Path root) throws IOException {
        return new ServerProcess(start("serve", "--data", root.toString(), "--port", "0"));
    }

    /// A command of the line, with all output in one stream.
    static Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1152m",
                "-XX:PerMethodRecompilationCutoff=10000",
                "-XX:G1PeriodicGCInterval=15000",
                "-XX:+ExplicitGCInvokesConcurrent",
                "-XX:MinHeapFreeRatio=10",
                "-XX:MaxHeapFreeRatio=40",
                "-Dio.netty.leakDetection.level=paranoid",
                "--add-modules",
                "jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder process = new ProcessBuilder(command).redirectErrorStream(true);
        process.environment().put("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=1048576:glibc.malloc.arena_max=4");
        return process.start();
    }

    private int awaitPort() throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder said = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            said.append(line).append('\n');
            int place = line.indexOf("127.0.0.1:");
            if (place >= 0) {
                Thread.ofPlatform().daemon().start(() -> drain(lines));
                return Integer.parseInt(line.substring(place + 10).replaceFirst("\\D.*", ""));
            }
        }
        throw new IOException("the server did not start: " + said);
    }

    private void drain(BufferedReader lines) {
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(".bug ") || line.contains("LEAK:")) {
                    System.out.println("server: " + line);
                    faults.add(line);
                }
            }
        } catch (IOException _) {
            // it was stopped
        }
    }

    int port() {
        return port;
    }

    /// Bytes that it holds of its own: RssAnon and RssShmem, without mapped files.
    long residentBytes() throws IOException {
        long kib = 0;
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
            if (line.startsWith("RssAnon:") || line.startsWith("RssShmem:")) {
                kib += Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return kib * 1024;
    }

    /// It lives, and has told of no bug and no buffer that was not given back.
    void requireWell() {
        assertThat(process.isAlive()).isTrue();
        assertThat(faults).isEmpty();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }
}
