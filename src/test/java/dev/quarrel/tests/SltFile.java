package dev.quarrel.tests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A file of SQL statements with their results, in sqllogictest's form.
///
/// ```
/// query II rowsort
/// SELECT k, sum(v) FROM t GROUP BY k
/// ----
/// 1 2
///
/// statement error (22012)
/// SELECT 1 / 0
/// ```
///
/// The type letters are a help to the reader; types are compared with PostgreSQL's. A row is one line, its
/// values parted by one blank; NULL is `NULL`, an empty text `(empty)`. `skipif NAME` and `onlyif NAME` stand
/// before a record; names are `postgresql`, `quarrel` and those of configurations.
final class SltFile {
    /// What a record expects.
    sealed interface Expectation {
        record Rows(String typeLetters, boolean sorted, List<String> lines) implements Expectation {}

        record Success() implements Expectation {}

        record Failure(String sqlState) implements Expectation {}
    }

    record SltRecord(int line, Set<String> skipIf, Set<String> onlyIf, String sql, Expectation expectation) {
        boolean runsOn(String... names) {
            Set<String> here = Set.of(names);
            return skipIf.stream().noneMatch(here::contains)
                    && (onlyIf.isEmpty() || onlyIf.stream().anyMatch(here::contains));
        }
    }

    private final List<String> lines;
    private final String name;
    private int next;

    private SltFile(String name, List<String> lines) {
        this.name = name;
        this.lines = lines;
    }

    static List<SltRecord> read(Path file) {
        try {
            return new SltFile(file.getFileName().toString(), Files.readAllLines(file)).records();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private List<SltRecord> records() {
        List<SltRecord> records = new ArrayList<>();
        Set<String> skipIf = new TreeSet<>();
        Set<String> onlyIf = new TreeSet<>();
        while (next < lines.size()) {
            String line = lines.get(next);
            String[] words = line.trim().split("\\s+");
            switch (words[0]) {
                case "", "#" -> next++;
                case "skipif" -> {
                    skipIf.add(words[1]);
                    next++;
                }
                case "onlyif" -> {
                    onlyIf.add(words[1]);
                    next++;
                }
                case "query", "statement" -> {
                    records.add(record(words, Set.copyOf(skipIf), Set.copyOf(onlyIf)));
                    skipIf.clear();
                    onlyIf.clear();
                }
                default -> {
                    if (!line.startsWith("#")) {
                        throw new IllegalArgumentException(name + ":" + (next + 1) + ": " + line);
                    }
                    next++;
                }
            }
        }
        return records;
    }

    private SltRecord record(String[] words, Set<String> skipIf, Set<String> onlyIf) {
        int start = next + 1;
        next++;
        StringBuilder sql = new StringBuilder();
        while (next < lines.size()
                && !lines.get(next).isBlank()
                && !lines.get(next).equals("----")) {
            sql.append(sql.isEmpty() ? "" : "\n").append(lines.get(next++));
        }
        return new SltRecord(start, skipIf, onlyIf, sql.toString(), expectation(words, start));
    }

    private SltFile.Expectation expectation(String[] words, int start) {
        if (words[0].equals("statement")) {
            return switch (words[1]) {
                case "ok" -> new Expectation.Success();
                case "error" -> new Expectation.Failure(words[2].replaceAll("[()]", ""));
                default -> throw new IllegalArgumentException(name + ":" + start + ": statement " + words[1]);
            };
        }
        boolean sorted = words.length > 2 && words[2].equals("rowsort");
        List<String> rows = new ArrayList<>();
        if (next < lines.size() && lines.get(next).equals("----")) {
            next++;
            while (next < lines.size() && !lines.get(next).isEmpty()) {
                rows.add(lines.get(next++));
            }
        }
        return new Expectation.Rows(words.length > 1 ? words[1] : "", sorted, rows);
    }
}
