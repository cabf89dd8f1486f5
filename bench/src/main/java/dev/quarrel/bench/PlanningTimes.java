package dev.quarrel.bench;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.core.arrow.dataset.DatasetCatalog;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.type.QueryException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Measures how long statements take from their text to their plan: read and planned anew, found in the plan cache by
/// the text, and found by a plan that statements of other literals share.
///
/// Nothing is run. Planned anew is what the thread takes of its CPU, with the plan forgotten each time; the first time
/// is in the order of the queries in a fresh process, by the clock. Prints a table in Markdown.
public final class PlanningTimes {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int MIN_RUNS = 5;
    private static final int CACHED_RUNS = 2_000;
    private static final Pattern LITERAL = Pattern.compile("'([^']*)'|\\b(\\d+)(\\.\\d+)?\\b");

    private final SqlSession session;
    private final long nanosAQuery;

    private PlanningTimes(SqlSession session, long nanosAQuery) {
        this.session = session;
        this.nanosAQuery = nanosAQuery;
    }

    /// @param anew planned anew, of the thread's CPU
    /// @param cached found by its text
    /// @param shared found for another literal; negative where no literal of it is free
    private record Times(String name, long firstNanos, long anew, long cached, long shared, String problem) {}

    /// Arguments: a dataset's folder, the folder of queries, milliseconds to plan each query anew, queries separated by
    /// commas or an empty text for all.
    public static void main(String[] arguments) throws IOException {
        List<String> only = arguments[3].isEmpty() ? List.of() : List.of(arguments[3].split(","));
        try (Engine engine = LocalEngine.open(DatasetCatalog.open(Path.of(arguments[0])), EngineConfig.defaults());
                SqlSession session = engine.openSession("bench")) {
            PlanningTimes times = new PlanningTimes(session, Long.parseLong(arguments[2]) * 1_000_000);
            times.print(times.all(queries(Path.of(arguments[1]), only)));
        }
    }

    private static List<Path> queries(Path folder, List<String> only) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".sql"))
                    .filter(file -> only.isEmpty() || only.contains(name(file)))
                    .sorted()
                    .toList();
        }
    }

    private static String name(Path file) {
        return file.getFileName().toString().replace(".sql", "");
    }

    private List<Times> all(List<Path> files) throws IOException {
        List<String> texts = new ArrayList<>();
        List<Long> firsts = new ArrayList<>();
        for (Path file : files) {
            String text = Files.readString(file);
            texts.add(text);
            long start = System.nanoTime();
            String problem = problem(text);
            firsts.add(problem == null ? System.nanoTime() - start : -1);
        }
        List<Times> all = new ArrayList<>();
        for (int index = 0; index < texts.size(); index++) {
            all.add(times(name(files.get(index)), texts.get(index), firsts.get(index)));
        }
        return all;
    }

    private String problem(String text) {
        try {
            prepare(text);
            return null;
        } catch (QueryException | IllegalStateException | StackOverflowError | OutOfMemoryError problem) {
            return String.valueOf(problem.getMessage()).lines().findFirst().orElse("");
        }
    }

    private PreparedQuery prepare(String text) {
        List<ParsedStatement> statements = session.parse(text);
        PreparedQuery prepared = session.prepare(statements.getFirst(), List.of(), new Cancellation());
        session.endImplicitTransaction();
        return prepared;
    }

    private Times times(String name, String text, long first) {
        String problem = problem(text);
        if (problem != null) {
            return new Times(name, -1, -1, -1, -1, problem);
        }
        session.set("plan_cache_mode", "force_custom_plan");
        // A comment at the end of each makes it a text that was not read before.
        int[] run = {0};
        for (long until = System.nanoTime() + nanosAQuery; System.nanoTime() < until; ) {
            forget();
            prepare(text + " --" + run[0]++);
        }
        long anew = median(MIN_RUNS, () -> {
            forget();
            String fresh = text + " --" + run[0]++;
            long start = THREADS.getCurrentThreadCpuTime();
            prepare(fresh);
            return THREADS.getCurrentThreadCpuTime() - start;
        });
        long cached = cached(text);
        session.set("plan_cache_mode", "force_generic_plan");
        long shared = shared(text, anew);
        session.set("plan_cache_mode", "auto");
        return new Times(name, first, anew, cached, shared, null);
    }

    private void forget() {
        PreparedQuery discard =
                session.prepare(session.parse("discard plans").getFirst(), List.of(), new Cancellation());
        session.execute(discard, List.of(), new Cancellation()).close();
    }

    private long cached(String text) {
        for (int run = 0; run < CACHED_RUNS; run++) {
            prepare(text);
        }
        return median(CACHED_RUNS, () -> {
            long start = System.nanoTime();
            prepare(text);
            return System.nanoTime() - start;
        });
    }

    /// With another value of the first literal that is free.
    private long shared(String text, long anew) {
        prepare(text);
        for (Matcher literal = LITERAL.matcher(text); literal.find(); ) {
            String changed = text.substring(0, literal.start()) + other(literal) + text.substring(literal.end());
            if (problem(changed) != null) {
                continue;
            }
            long start = System.nanoTime();
            prepare(changed);
            if (System.nanoTime() - start > anew / 4) {
                continue;
            }
            for (int run = 0; run < CACHED_RUNS; run++) {
                prepare(changed);
            }
            return median(CACHED_RUNS, () -> {
                long begin = System.nanoTime();
                prepare(changed);
                return System.nanoTime() - begin;
            });
        }
        return -1;
    }

    /// Another literal of the same kind and length.
    private static String other(Matcher literal) {
        if (literal.group(1) != null) {
            String value = literal.group(1);
            char last = value.isEmpty() ? 'a' : value.charAt(value.length() - 1);
            char next = last == '9' || last == 'z' ? (char) (last - 1) : (char) (last + 1);
            return "'" + (value.isEmpty() ? "" : value.substring(0, value.length() - 1)) + next + "'";
        }
        String digits = literal.group();
        char last = digits.charAt(digits.length() - 1);
        return digits.substring(0, digits.length() - 1) + (last == '9' ? '8' : (char) (last + 1));
    }

    private static long median(int runs, LongSupplier measure) {
        long[] times = new long[runs];
        for (int run = 0; run < runs; run++) {
            times[run] = measure.getAsLong();
        }
        Arrays.sort(times);
        return times[runs / 2];
    }

    private void print(List<Times> all) {
        System.out.println(
                "| query | first run (ms) | planned anew (CPU ms) | from the cache (µs) | with another literal (µs) |");
        System.out.println("|---|---|---|---|---|");
        for (Times times : all) {
            System.out.println(
                    times.problem() != null
                            ? "| " + times.name() + " | " + times.problem() + " | | | |"
                            : String.format(
                                    Locale.ROOT,
                                    "| %s | %.1f | %.2f | %.1f | %s |",
                                    times.name(),
                                    times.firstNanos() / 1e6,
                                    times.anew() / 1e6,
                                    times.cached() / 1e3,
                                    times.shared() < 0
                                            ? ""
                                            : String.format(Locale.ROOT, "%.1f", times.shared() / 1e3)));
        }
        long[] anew = all.stream()
                .filter(each -> each.problem() == null)
                .mapToLong(Times::anew)
                .sorted()
                .toArray();
        if (anew.length > 0) {
            System.out.printf(
                    Locale.ROOT,
                    "%nPlanned anew: median %.2f ms, most %.2f ms, of %d queries%n",
                    anew[anew.length / 2] / 1e6,
                    anew[anew.length - 1] / 1e6,
                    anew.length);
        }
    }
}
