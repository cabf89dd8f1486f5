package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.samples.ssb.SsbQueries;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/// Prints how many milliseconds lie between the start of this process and its first answer.
public final class StartUp {
    private StartUp() {}

    /// Arguments: a dataset of the Star Schema Benchmark, and threads.
    public static void main(String[] arguments) {
        try (Engine engine = LocalEngine.open(
                        DatasetCatalog.open(Path.of(arguments[0])),
                        EngineConfig.defaults().withThreads(Integer.parseInt(arguments[1])));
                SqlSession session = engine.openSession("bench")) {
            Statements.execute(session, SsbQueries.sql("1.1"), _ -> {});
            Instant start = ProcessHandle.current().info().startInstant().orElseThrow();
            System.out.println(Duration.between(start, Instant.now()).toMillis());
        }
    }
}
