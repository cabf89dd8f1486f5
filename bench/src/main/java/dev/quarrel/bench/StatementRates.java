package dev.quarrel.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// Measures the statements per second that a server answers to 1, 16 and 64 clients, in turns with PostgreSQL on
/// the same machine.
///
/// Arguments: rounds, seconds a measurement, a folder for PostgreSQL, then the command that starts Quarrel's server on
/// a free port and says so in its ready line. Prints a table in Markdown.
public final class StatementRates {
    private static final int[] CLIENTS = {1, 16, 64};
    /// What is slow in a process' first seconds is not asked for here.
    private static final long WARM_NANOS = TimeUnit.SECONDS.toNanos(12);

    private static final List<String> STATEMENTS =
            List.of("select 1", "select d_year, count(*) from date where d_month = 'May' group by d_year");

    private final int rounds;
    private final long nanos;

    private StatementRates(int rounds, int seconds) {
        this.rounds = rounds;
        this.nanos = TimeUnit.SECONDS.toNanos(seconds);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException, ExecutionException {
        Path folder = Path.of(arguments[2]).toAbsolutePath();
        Process quarrel = new ProcessBuilder(Arrays.asList(arguments).subList(3, arguments.length))
                .redirectErrorStream(true)
                .start();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .setOverrideWorkingDirectory(folder.resolve("binaries").toFile())
                .setDataDirectory(folder.resolve("data"))
                .setServerConfig("max_connections", "100")
                .start()) {
            Target ours = Target.quarrel(quarrel);
            Target theirs = Target.postgres(postgres);
            copyDates(ours, theirs);
            new StatementRates(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1])).run(ours, theirs);
        } finally {
            quarrel.destroy();
            quarrel.waitFor();
        }
    }

    /// A small table with the same number of rows; what its texts are does not matter here.
    private static void copyDates(Target ours, Target theirs) throws IOException {
        try (WireClient client = theirs.connect();
                WireClient check = ours.connect()) {
            client.exchange(
                    WireClient.simple(
                            "create table date as select 1992 + i / 365 as d_year,"
                                    + " (array['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September',"
                                    + " 'October', 'November', 'December'])[1 + i / 30 % 12] as d_month from generate_series(0, 2555) i"));
            client.exchange(WireClient.simple("vacuum analyze date"));
            check.exchange(WireClient.simple(STATEMENTS.get(1)));
        }
    }

    private void run(Target ours, Target theirs) throws InterruptedException, ExecutionException {
        System.out.printf(
                "| statements a second, median of %d rounds of %d s | clients | Quarrel | PostgreSQL | ratio |%n",
                rounds, TimeUnit.NANOSECONDS.toSeconds(nanos));
        System.out.println("|---|---|---|---|---|");
        for (String sql : STATEMENTS) {
            for (boolean isPrepared : new boolean[] {false, true}) {
                rate(ours, 16, sql, isPrepared, WARM_NANOS);
                for (int clients : CLIENTS) {
                    double[] ourRates = new double[rounds];
                    double[] theirRates = new double[rounds];
                    for (int round = 0; round < rounds; round++) {
                        ourRates[round] = rate(ours, clients, sql, isPrepared, nanos);
                        theirRates[round] = rate(theirs, clients, sql, isPrepared, nanos);
                    }
                    double our = median(ourRates);
                    double their = median(theirRates);
                    System.out.printf(
                            Locale.ROOT,
                            "| `%s`, %s | %d | %,.0f | %,.0f | %.2f |%n",
                            sql,
                            isPrepared ? "prepared" : "simple",
                            clients,
                            our,
                            their,
                            our / their);
                }
            }
        }
    }

    static double median(double[] rates) {
        double[] sorted = rates.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static double rate(Target target, int clients, String sql, boolean isPrepared, long nanos)
            throws InterruptedException, ExecutionException {
        try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
            long start = System.nanoTime();
            List<Future<Long>> counts = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                counts.add(threads.submit(() -> statements(target, sql, isPrepared, start + nanos)));
            }
            long sum = 0;
            for (Future<Long> count : counts) {
                sum += count.get();
            }
            return sum * 1e9 / (System.nanoTime() - start);
        }
    }

    private static long statements(Target target, String sql, boolean isPrepared, long end) throws IOException {
        try (WireClient client = target.connect()) {
            byte[] request = WireClient.simple(sql);
            if (isPrepared) {
                client.exchange(WireClient.prepare("s", sql));
                request = WireClient.execute("s");
            }
            long count = 0;
            while (System.nanoTime() < end) {
                if (client.exchange(request) == 0) {
                    throw new IOException("no row");
                }
                count++;
            }
            return count;
        }
    }
}
