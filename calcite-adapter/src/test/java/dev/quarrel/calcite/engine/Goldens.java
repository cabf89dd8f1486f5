package dev.quarrel.calcite.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicTest;

/// Files of cases: a statement, `----`, what it must give; a blank line ends a case, and lines with `#` before
/// one are its comment. `-Dupdate` rewrites what is expected.
final class Goldens {
    private static final Path RESOURCES = Path.of("src/test/resources/dev/quarrel/calcite");

    private Goldens() {}

    private record Case(List<String> comment, String sql, List<String> expected) {}

    /// A test for each case of a file.
    static Stream<DynamicTest> tests(String file, Function<String, List<String>> answer) throws IOException {
        Path path = RESOURCES.resolve(file);
        List<Case> cases = read(path);
        if (System.getProperty("update") != null) {
            List<Case> updated = cases.stream()
                    .map(one -> new Case(one.comment(), one.sql(), answer.apply(one.sql())))
                    .toList();
            Files.writeString(path, updated.stream().map(Goldens::text).collect(Collectors.joining("\n")));
            cases = updated;
        }
        return cases.stream()
                .map(one -> DynamicTest.dynamicTest(
                        one.sql(),
                        () -> Assertions.assertEquals(
                                String.join("\n", one.expected()), String.join("\n", answer.apply(one.sql())))));
    }

    private static String text(Case one) {
        return Stream.concat(
                        one.comment().stream(), Stream.concat(Stream.of(one.sql(), "----"), one.expected().stream()))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static List<Case> read(Path path) throws IOException {
        List<Case> cases = new ArrayList<>();
        List<String> comment = new ArrayList<>();
        List<String> sql = new ArrayList<>();
        List<String> expected = null;
        List<String> lines = new ArrayList<>(Files.readAllLines(path));
        lines.add("");
        for (String line : lines) {
            if (line.isBlank()) {
                if (!sql.isEmpty()) {
                    cases.add(new Case(
                            List.copyOf(comment),
                            String.join("\n", sql),
                            expected == null ? List.of() : List.copyOf(expected)));
                }
                comment.clear();
                sql.clear();
                expected = null;
            } else if (line.equals("----") && expected == null) {
                expected = new ArrayList<>();
            } else if (expected != null) {
                expected.add(line);
            } else if (line.startsWith("#") && sql.isEmpty()) {
                comment.add(line);
            } else {
                sql.add(line);
            }
        }
        return cases;
    }
}
