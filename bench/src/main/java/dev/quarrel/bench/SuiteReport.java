package dev.quarrel.bench;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// One engine's measurements as tab-separated lines: `engine NAME`, `load MS`, `time QUERY FIRST THIRD MEDIAN MIN MAX`,
/// `row QUERY CELL…`, `bytes QUERY BYTES`, `error QUERY MESSAGE`, `memory KIB`, `bandwidth BYTES_A_SECOND`.
final class SuiteReport {
    private static final int WARM_UP_RUNS = 3;
    private static final long WARM_UP_NANOS =
            Long.parseLong(System.getenv().getOrDefault("QUARREL_BENCH_WARM_UP_SECONDS", "3")) * 1_000_000_000L;

    private final PrintStream out;

    SuiteReport(PrintStream out) {
        this.out = new PrintStream(out, true, StandardCharsets.UTF_8);
    }

    /// What runs a query once.
    @FunctionalInterface
    interface Run<E extends Exception> {
        void run() throws E;
    }

    void engine(String name) {
        out.println("engine\t" + name);
    }

    void load(long nanos) {
        out.printf(Locale.ROOT, "load\t%.3f%n", nanos / 1e6);
    }

    /// Runs a query three times and for three seconds at least to warm up (the JIT needs the cores as well), then
    /// `runs` times.
    <E extends Exception> void time(String query, int runs, Run<E> run) throws E {
        double first = 0;
        double third = 0;
        long start = System.nanoTime();
        for (int number = 1; number <= WARM_UP_RUNS || System.nanoTime() - start < WARM_UP_NANOS; number++) {
            double millis = millis(run);
            first = number == 1 ? millis : first;
            third = number == WARM_UP_RUNS ? millis : third;
        }
        double[] hot = new double[runs];
        for (int number = 0; number < runs; number++) {
            hot[number] = millis(run);
        }
        Arrays.sort(hot);
        out.printf(
                Locale.ROOT,
                "time\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f%n",
                query,
                first,
                third,
                hot[runs / 2],
                hot[0],
                hot[runs - 1]);
    }

    private static <E extends Exception> double millis(Run<E> run) throws E {
        long start = System.nanoTime();
        run.run();
        return (System.nanoTime() - start) / 1e6;
    }

    void row(String query, List<String> cells) {
        out.println("row\t" + query + "\t" + String.join("\t", cells));
    }

    void bytes(String query, long bytes) {
        out.println("bytes\t" + query + "\t" + bytes);
    }

    void error(String query, Exception error) {
        out.println(
                "error\t" + query + "\t" + String.valueOf(error.getMessage()).replaceAll("\\s+", " "));
    }

    void memory(long kibibytes) {
        out.println("memory\t" + kibibytes);
    }

    void bandwidth(double bytesPerSecond) {
        out.printf(Locale.ROOT, "bandwidth\t%.0f%n", bytesPerSecond);
    }
}
