package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.tests.SltFile.Expectation;
import dev.quarrel.tests.SltFile.SltRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// Every `.slt` file on PostgreSQL, the oracle, and on Quarrel in every configuration.
///
/// On Quarrel the answer must also equal PostgreSQL's own in column names, types and their modifiers, SQLSTATE
/// and position.
/// `-Dupdate` writes PostgreSQL's answers into the files; `-Dslt=function/` runs the files whose path contains that.
class SltTest {
    private static final Path FILES = Path.of("resources/slt");
    static final int PARTS = 3;

    private static final Map<Asked, Map<Integer, SqlAnswer>> ORACLE_ANSWERS = new ConcurrentHashMap<>();

    /// What is asked of one connection in turn.
    private record Asked(Path file, List<Integer> lines) {}

    @BeforeAll
    static void write() throws IOException {
        if (System.getProperty("update") != null) {
            for (Path file : files()) {
                update(file);
            }
        }
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicContainer> postgresql() {
        return Stream.of(DynamicContainer.dynamicContainer(
                "postgresql",
                files().stream()
                        .map(file -> DynamicTest.dynamicTest(name(file), () -> {
                            try (Connection connection = PostgresOracle.shared().connect()) {
                                checkOracle(file, connection);
                            }
                        }))));
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicContainer> quarrel() {
        return Configuration.ALL.stream()
                .map(configuration -> DynamicContainer.dynamicContainer(
                        configuration.name(),
                        filesFrom(Configuration.ALL.indexOf(configuration)).stream()
                                .map(file -> DynamicTest.dynamicTest(name(file), () -> {
                                    try (Connection connection = QuarrelServer.shared(configuration)
                                                    .connect();
                                            Connection oracle =
                                                    PostgresOracle.shared().connect()) {
                                        check(file, connection, oracle, "quarrel", configuration.name());
                                    }
                                }))));
    }

    /// @param oracle null where answers are compared with the file's alone
    static void check(Path file, Connection connection, Connection oracle, String... names) {
        List<SltRecord> records = records(file, names);
        Map<Integer, SqlAnswer> rights = oracle == null ? Map.of() : oracleAnswers(file, records, oracle);
        check(file, records, record -> SqlAnswer.of(connection, record.sql()), rights);
    }

    private static void checkOracle(Path file, Connection oracle) {
        List<SltRecord> records = records(file, "postgresql");
        Map<Integer, SqlAnswer> answers = oracleAnswers(file, records, oracle);
        check(file, records, record -> answers.get(record.line()), Map.of());
    }

    private static List<SltRecord> records(Path file, String... names) {
        return SltFile.read(file).stream()
                .filter(record -> record.runsOn(names))
                .toList();
    }

    private static void check(
            Path file,
            List<SltRecord> records,
            Function<SltRecord, SqlAnswer> answers,
            Map<Integer, SqlAnswer> rights) {
        SoftAssertions problems = new SoftAssertions();
        for (SltRecord record : records) {
            String place = file.getFileName() + ":" + record.line() + " " + record.sql();
            SqlAnswer answer = answers.apply(record);
            collect(problems, place, () -> checkExpected(record, answer));
            SqlAnswer right = rights.get(record.line());
            if (right != null) {
                collect(problems, place, () -> checkAgainstOracle(answer, right));
            }
        }
        problems.assertAll();
    }

    /// What the problems' own assertions do, without a proxy for each of many.
    private static void collect(SoftAssertions problems, String place, Runnable check) {
        try {
            check.run();
        } catch (AssertionError | RuntimeException wrong) {
            problems.collectAssertionError(new AssertionError(place + ": " + wrong.getMessage(), wrong));
        }
    }

    /// Configurations that run the same records share what PostgreSQL says to them.
    ///
    /// @return answers by the records' lines
    private static Map<Integer, SqlAnswer> oracleAnswers(Path file, List<SltRecord> records, Connection oracle) {
        List<SltRecord> asked =
                records.stream().filter(record -> record.runsOn("postgresql")).toList();
        Asked key = new Asked(file, asked.stream().map(SltRecord::line).toList());
        return ORACLE_ANSWERS.computeIfAbsent(key, _ -> {
            Map<Integer, SqlAnswer> answers = new HashMap<>();
            for (SltRecord record : asked) {
                answers.put(record.line(), SqlAnswer.of(oracle, record.sql()));
            }
            return answers;
        });
    }

    private static void checkExpected(SltRecord record, SqlAnswer answer) {
        switch (record.expectation()) {
            case Expectation.Success() -> assertThat(answer).isInstanceOf(SqlAnswer.Done.class);
            case Expectation.Failure(String sqlState) -> {
                assertThat(answer).isInstanceOf(SqlAnswer.Failure.class);
                assertThat(((SqlAnswer.Failure) answer).sqlState()).isEqualTo(sqlState);
            }
            case Expectation.Rows(String _, boolean sorted, List<String> lines) -> {
                assertThat(answer).isInstanceOf(SqlAnswer.Rows.class);
                assertThat(((SqlAnswer.Rows) answer).lines(sorted)).isEqualTo(lines);
            }
        }
    }

    private static void checkAgainstOracle(SqlAnswer answer, SqlAnswer right) {
        switch (right) {
            case SqlAnswer.Done() -> assertThat(answer).isEqualTo(right);
            case SqlAnswer.Rows(List<String> columns, List<List<String>> _) -> {
                assertThat(answer).isInstanceOf(SqlAnswer.Rows.class);
                assertThat(((SqlAnswer.Rows) answer).columns()).isEqualTo(columns);
            }
            case SqlAnswer.Failure(String sqlState, String _, int position) -> {
                assertThat(answer).isInstanceOf(SqlAnswer.Failure.class);
                assertThat(((SqlAnswer.Failure) answer).sqlState()).isEqualTo(sqlState);
                assertThat(((SqlAnswer.Failure) answer).position())
                        .as("position")
                        .isEqualTo(position);
            }
        }
    }

    static String name(Path file) {
        return FILES.relativize(file).toString();
    }

    static List<Path> files() {
        try (Stream<Path> found = Files.walk(FILES)) {
            return found.filter(file -> file.toString().endsWith(".slt"))
                    .filter(file -> name(file).contains(System.getProperty("slt", "")))
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /// A part of the files, for what asks all of them once more: `mvn verify` takes one, the nightly run the
    /// others, too.
    ///
    /// @param part from 0
    static List<Path> filesOf(int part) {
        List<Path> files = files();
        return IntStream.range(0, files.size())
                .filter(file -> file % PARTS == part)
                .mapToObj(files::get)
                .toList();
    }

    /// Each configuration begins with another file: else all wait for PostgreSQL's answers of the same one.
    private static List<Path> filesFrom(int configuration) {
        List<Path> files = new ArrayList<>(files());
        Collections.rotate(files, files.size() * (configuration + 1) / (Configuration.ALL.size() + 1));
        return files;
    }

    private static void update(Path file) throws IOException {
        List<String> old = Files.readAllLines(file);
        List<String> updated = new ArrayList<>();
        int copied = 0;
        try (Connection connection = PostgresOracle.shared().connect()) {
            for (SltRecord record : SltFile.read(file)) {
                if (!record.runsOn("postgresql")) {
                    continue;
                }
                SqlAnswer answer = SqlAnswer.of(connection, record.sql());
                if (!(record.expectation() instanceof Expectation.Rows(String _, boolean sorted, List<String> lines))) {
                    continue;
                }
                if (!(answer instanceof SqlAnswer.Rows rows)) {
                    System.err.println(file + ":" + record.line() + ": " + answer);
                    continue;
                }
                int separator = record.line() + (int) record.sql().lines().count();
                updated.addAll(old.subList(copied, separator));
                updated.add("----");
                updated.addAll(rows.lines(sorted));
                copied = separator + 1 + lines.size();
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
        updated.addAll(old.subList(copied, old.size()));
        Files.write(file, updated);
    }
}
