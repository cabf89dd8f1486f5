package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// What psql prints when it is fed a script, against `resources/transcripts/NAME.txt`. `-Dupdate` rewrites; a
/// person reads it.
class PsqlTranscriptTest {
    private static final Path SCRIPTS = Path.of("resources/transcripts");

    @TestFactory
    Stream<DynamicTest> psqlPrintsWhatItShould() throws IOException {
        try (Stream<Path> found = Files.list(SCRIPTS)) {
            List<Path> scripts = found.filter(file -> file.toString().endsWith(".sql"))
                    .sorted()
                    .toList();
            return scripts.stream()
                    .map(script -> DynamicTest.dynamicTest(script.getFileName().toString(), () -> check(script)));
        }
    }

    private static void check(Path script) throws IOException, InterruptedException {
        Tools.require("psql", "install postgresql-client");
        String printed = run(QuarrelServer.shared(Configuration.ALL.get(1)).port(), "analyst", "quarrel", script);
        Path golden = SCRIPTS.resolve(script.getFileName().toString().replace(".sql", ".txt"));
        if (System.getProperty("update") != null) {
            Files.writeString(golden, printed);
        }
        assertThat(printed).isEqualTo(Files.readString(golden));
    }

    /// The scripts of `resources/transcripts/same` print the same on PostgreSQL and here.
    @TestFactory
    Stream<DynamicTest> psqlPrintsWhatItPrintsOnPostgres() throws IOException {
        try (Stream<Path> found = Files.list(SCRIPTS.resolve("same"))) {
            return found.sorted().toList().stream()
                    .map(script -> DynamicTest.dynamicTest(script.getFileName().toString(), () -> compare(script)));
        }
    }

    private static void compare(Path script) throws IOException, InterruptedException {
        Tools.require("psql", "install postgresql-client");
        String printed = run(QuarrelServer.shared(Configuration.ALL.get(1)).port(), "analyst", "quarrel", script);
        assertThat(comparable(printed))
                .isEqualTo(comparable(run(PostgresOracle.shared().port(), "postgres", "postgres", script)));
    }

    /// Without the places in PostgreSQL's sources.
    private static String comparable(String printed) {
        return printed.replaceAll("(?m)^LOCATION: .*\n", "");
    }

    static String run(int port, String user, String database, Path script) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("psql", "-X", "-a", "-h", "127.0.0.1", "-p", Integer.toString(port)));
        command.addAll(List.of(
                "-U", user, "-d", database, "-f", script.toAbsolutePath().toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PGCLIENTENCODING", "UTF8");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("PAGER", "cat");
        Process psql = builder.start();
        psql.getOutputStream().close();
        String printed = new String(psql.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(psql.waitFor(60, TimeUnit.SECONDS)).isTrue();
        // psql names itself and the file; both vary.
        return printed.replaceAll("(?m)^psql:[^ ]*/([^/ ]+\\.sql):", "psql:$1:");
    }
}
