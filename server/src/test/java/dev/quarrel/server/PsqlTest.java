package dev.quarrel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// psql against a server over a scripted engine: connecting, rows, errors, copying nothing to stderr that is not an
/// error.
@Timeout(30)
final class PsqlTest {
    private static String psql(Server server, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "psql",
                "-X",
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(server.address().getPort()),
                "-U",
                "ann",
                "-d",
                "quarrel"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return output;
    }

    private static boolean isInstalled() {
        for (String folder : System.getenv("PATH").split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, "psql"))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void psqlConnectsWithoutNoise() throws Exception {
        assumeTrue(isInstalled(), "psql is not installed");
        try (ScriptedEngine engine = new ScriptedEngine();
                Server server = Server.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, 0))) {
            assertThat(psql(server, "-At", "-c", "rows 3")).isEqualTo("1\n2\n3\n");
            assertThat(psql(server, "-c", "rows 1", "-c", "begin")).isEqualTo(" c1 \n----\n  1\n(1 row)\n\nBEGIN\n");
            assertThat(psql(server, "-c", "wrong")).isEqualTo("ERROR:  syntax error\nLINE 1: wrong\n          ^\n");
            assertThat(psql(server, "-c", "commit"))
                    .isEqualTo("WARNING:  there is no transaction in progress\nCOMMIT\n");
            assertThat(psql(server, "-v", "FETCH_COUNT=2", "-At", "-c", "\\conninfo"))
                    .startsWith("You are connected to database \"quarrel\" as user \"ann\"");
        }
    }
}
