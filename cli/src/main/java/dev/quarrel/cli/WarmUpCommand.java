package dev.quarrel.cli;

import dev.quarrel.calcite.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// `quarrel warm-up`: what `serve` does in the background at its start, and nothing else. The script `quarrel`
/// runs it once after a build, for the JVM to keep the classes it loads and what it learns of them.
@Command(
        name = "warm-up",
        hidden = true,
        mixinStandardHelpOptions = true,
        description = "Plans and runs small statements over data of its own, and ends.")
final class WarmUpCommand implements Callable<Integer> {
    @Override
    public Integer call() throws IOException, InterruptedException {
        Path empty = Files.createTempDirectory("quarrel-empty");
        try (Engine engine = EngineOptions.open(empty, EngineOptions.defaults(List.of()))) {
            engine.warmUp();
            engine.awaitWarmUp();
        } finally {
            Files.deleteIfExists(empty);
        }
        return 0;
    }
}
