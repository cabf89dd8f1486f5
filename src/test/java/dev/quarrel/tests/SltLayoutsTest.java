package dev.quarrel.tests;

import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// `.slt` files over the fixtures' tables in other layouts than the exporter's.
class SltLayoutsTest {
    private static final Map<RelaidTables, QuarrelServer> SERVERS = new ConcurrentHashMap<>();

    @AfterAll
    static void stop() {
        SERVERS.values().forEach(QuarrelServer::close);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> shreds() {
        return files(RelaidTables.SHREDS, SltTest.filesOf(1));
    }

    @TestFactory
    @Tag("nightly")
    Stream<DynamicTest> shredsOfOthers() {
        return Stream.of(0, 2).map(SltTest::filesOf).flatMap(files -> files(RelaidTables.SHREDS, files));
    }

    @TestFactory
    @Tag("nightly")
    Stream<DynamicTest> others() {
        return Stream.of(RelaidTables.COMPRESSED, RelaidTables.PLAIN).flatMap(layout -> files(layout, SltTest.files()));
    }

    private static Stream<DynamicTest> files(RelaidTables layout, List<Path> files) {
        return files.stream()
                .map(file -> DynamicTest.dynamicTest(layout + " " + SltTest.name(file), () -> {
                    try (Connection connection = server(layout).connect()) {
                        SltTest.check(file, connection, null, "quarrel", "layouts");
                    }
                }));
    }

    private static QuarrelServer server(RelaidTables layout) {
        return SERVERS.computeIfAbsent(
                layout, key -> QuarrelServer.start(key.write(QuarrelServer.baseTables()), Configuration.ALL.get(1)));
    }
}
