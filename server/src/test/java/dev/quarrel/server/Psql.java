package dev.quarrel.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The installed psql, for tests.
public final class Psql {
    private Psql() {}

    public static boolean isInstalled() {
        for (String folder : System.getenv("PATH").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, "psql"))) {
                return true;
            }
        }
        return false;
    }

    /// What it writes to stdout and stderr, as user ann.
    public static String run(Server server, String... arguments) throws IOException, InterruptedException {
        return run("host=127.0.0.1 port=" + server.address().getPort() + " user=ann dbname=quarrel", arguments);
    }

    /// @param target whom it connects to, and how: `host=… port=… sslmode=…`
    public static String run(String target, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("psql", "-X", "-w", "-d", target));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
