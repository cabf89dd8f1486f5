package dev.quarrel.calcite.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.warmup.WarmUpData;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WarmUpTest {
    @TempDir
    private Path folder;

    @Test
    void everyStatementHasRows() {
        WarmUpData.write(folder);
        try (Engine engine = LocalEngine.open(
                        DatasetCatalog.open(folder), EngineConfig.defaults().withThreads(2));
                SqlSession session = engine.openSession("tester")) {
            assertThat(WarmUp.STATEMENTS)
                    .allSatisfy(sql -> assertThat(Answers.of(session, sql)).isNotEmpty());
        }
    }

    @Test
    void itEndsWithItsEngine() {
        Engine engine =
                LocalEngine.open(TestCatalog.small(), EngineConfig.defaults().withThreads(2));
        engine.warmUp();
        engine.warmUp();
        long start = System.nanoTime();
        engine.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
    }
}
