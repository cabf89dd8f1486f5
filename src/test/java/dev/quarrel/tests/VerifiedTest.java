package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.calcite.Engine;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// `.slt` files with `quarrel.verify_fraction = 1`: both tiers of the CPU, and the CPU and the CUDA kernels' host
/// build, make the same rows in each pipeline.
class VerifiedTest {
    private static final String COMPILED = "cpu-all-threads";

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicContainer> compiled() {
        return compiled(SltTest.filesOf(0));
    }

    @TestFactory
    @Tag("nightly")
    Stream<DynamicContainer> compiledOthers() {
        return IntStream.range(1, SltTest.PARTS).mapToObj(SltTest::filesOf).flatMap(VerifiedTest::compiled);
    }

    private static Stream<DynamicContainer> compiled(List<Path> files) {
        return files(
                Configuration.ALL.stream()
                        .filter(configuration -> configuration.name().equals(COMPILED)),
                files);
    }

    @TestFactory
    @Tag("nightly")
    Stream<DynamicContainer> others() {
        return files(
                Configuration.ALL.stream()
                        .filter(configuration -> !configuration.name().equals(COMPILED)),
                SltTest.files());
    }

    private static Stream<DynamicContainer> files(Stream<Configuration> configurations, List<Path> files) {
        return configurations.map(configuration -> DynamicContainer.dynamicContainer(
                configuration.name(),
                files.stream()
                        .map(file -> DynamicTest.dynamicTest(SltTest.name(file), () -> {
                            try (Connection connection =
                                            QuarrelServer.shared(configuration).connect();
                                    Statement statement = connection.createStatement()) {
                                statement.execute("SET quarrel.verify_fraction = 1");
                                SltTest.check(file, connection, null, "quarrel", configuration.name());
                            }
                        }))));
    }

    @AfterAll
    static void pipelinesWereVerified() {
        Configuration compiled = Configuration.ALL.get(1);
        Engine engine = QuarrelServer.shared(compiled).engine();
        assertThat(engine.counts().verified()).as(compiled.name()).containsEntry("different", 0L);
        assertThat(engine.counts().verified().get("equal")).as(compiled.name()).isPositive();
    }
}
