package dev.quarrel.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The texts of a suite: `NAME.sql` in a folder, or `NAME.ENGINE.sql` where an engine needs other words. `{name}` in a
/// text stands for a value of the environment variable QUARREL_BENCH_VALUES, a flat JSON object of texts.
final class SuiteQueries {
    private static final List<String> ENGINES =
            List.of("quarrel", "questdb", "duckdb", "duckdb-arrow", "polars", "chdb", "datafusion");
    private static final String SUFFIX = ".sql";
    private static final Pattern VALUE = Pattern.compile("\"(\\w+)\"\\s*:\\s*\"([^\"]*)\"");

    private SuiteQueries() {}

    /// @param only the queries wanted, by name; empty for all
    /// @return texts by name, in the order of names
    static Map<String, String> read(Path folder, String engine, List<String> only) throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> found = Files.list(folder)) {
            found.filter(file -> file.toString().endsWith(SUFFIX)).sorted().forEach(files::add);
        }
        Map<String, String> texts = new TreeMap<>();
        for (Path file : files) {
            String stem = file.getFileName().toString();
            stem = stem.substring(0, stem.length() - SUFFIX.length());
            if (isOfOneEngine(stem)) {
                continue;
            }
            String name = stem.matches("q\\d.*") ? stem.substring(1) : stem;
            if (only.isEmpty() || only.contains(name)) {
                Path own = folder.resolve(stem + "." + engine + SUFFIX);
                texts.put(name, withValues(Files.readString(Files.exists(own) ? own : file)));
            }
        }
        return texts;
    }

    private static boolean isOfOneEngine(String stem) {
        return ENGINES.stream().anyMatch(engine -> stem.endsWith("." + engine));
    }

    private static String withValues(String text) {
        String changed = text;
        Matcher value = VALUE.matcher(System.getenv().getOrDefault("QUARREL_BENCH_VALUES", ""));
        while (value.find()) {
            changed = changed.replace("{" + value.group(1) + "}", value.group(2));
        }
        return changed;
    }
}
