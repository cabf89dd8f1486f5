package dev.quarrel.tests;

import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Every `.slt` file over the fixtures' tables in other layouts than the exporter's.
class SltLayoutsTest {
    private static final Map<RelaidTables, QuarrelServer> SERVERS = new ConcurrentHashMap<>();

    @AfterAll
    static void stop() {
        SERVERS.values().forEach(QuarrelServer::close);
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> shreds() {
        return files(RelaidTables.SHREDS);
    }

    @TestFactory
    @Tag("nightly")
    Stream<DynamicTest> others() {
        return Stream.of(RelaidTables.COMPRESSED, RelaidTables.PLAIN).flatMap(SltLayoutsTest::files);
    }

    private static Stream<DynamicTest> files(RelaidTables layout) {
        return SltTest.files().stream()
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
