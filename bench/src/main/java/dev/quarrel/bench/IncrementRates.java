package dev.quarrel.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What an incremental export takes beside a full one: SSB's `lineorder` in a PostgreSQL of its own, of which some rows
/// are updated before each increment, by the rows' transactions and by an indexed column. Whole commands are timed, and
/// the runs of a process that goes on; the rows are compared after the last.
public final class IncrementRates {
    private static final String SUMS =
            "SELECT count(*), sum(lo_revenue), sum(lo_orderkey::bigint * lo_revenue % 1000) FROM lineorder";

    private static final Pattern END =
            Pattern.compile("\"event\":\"end\".*\"rows\":(?<rows>\\d+).*\"seconds\":(?<seconds>[\\d.]+)");

    private static final int PERIOD_SECONDS = 10;
    private static final int WARM_UP_RUNS = 3;

    private final String quarrel;
    private final String url;
    private final Path output;
    private final List<String> options;
    private final Statement statement;
    private final int part;
    private int updates;

    private IncrementRates(
            String quarrel, String url, Path output, List<String> options, Statement statement, int part) {
        this.quarrel = quarrel;
        this.url = url;
        this.output = output;
        this.options = options;
        this.statement = statement;
        this.part = part;
    }

    /// @param arguments the command `quarrel`; a folder that keeps the server; the scale factor; runs of each kind; of
    ///                  how many rows one is updated
    public static void main(String[] arguments) throws IOException, SQLException, InterruptedException {
        Path folder = Path.of(arguments[1]).toAbsolutePath();
        double scale = Double.parseDouble(arguments[2]);
        int runs = Integer.parseInt(arguments[3]);
        int part = Integer.parseInt(arguments[4]);
        try (EmbeddedPostgres postgres = BenchPostgres.start(folder);
                Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            ExportServer.fill(postgres, scale);
            statement.execute("ALTER TABLE lineorder ADD PRIMARY KEY (lo_orderkey, lo_linenumber)");
            statement.execute("ALTER TABLE lineorder ADD COLUMN changed timestamptz NOT NULL DEFAULT now()");
            statement.execute("CREATE INDEX ON lineorder (changed)");
            System.out.println("| by | full runs, s | increments, s | share of the medians | increments of one process"
                    + " (`--every`), s | share | rows updated before each | rows after |");
            System.out.println("|---|---|---|---|---|---|---|---|");
            for (List<String> options :
                    List.of(List.of("xmin"), List.of("changed"), List.of("changed", "--no-deletes"))) {
                IncrementRates rates = new IncrementRates(
                        arguments[0],
                        "postgresql://postgres@127.0.0.1:" + postgres.getPort() + "/postgres",
                        folder.resolve("increments"),
                        options,
                        statement,
                        part);
                rates.measure(runs);
            }
        }
    }

    private void measure(int runs) throws IOException, SQLException, InterruptedException {
        settle();
        double[] full = new double[runs];
        for (int run = 0; run < runs; run++) {
            run("rm", "-rf", output.toString());
            full[run] = export();
        }
        double[] increments = new double[runs];
        int updated = 0;
        for (int run = 0; run < runs; run++) {
            updated = update();
            increments[run] = export();
        }
        run("rm", "-rf", output.toString());
        export();
        double[] repeated = repeat(runs);
        String right;
        try (ResultSet sums = statement.executeQuery(SUMS)) {
            sums.next();
            right = sums.getString(1) + "," + sums.getString(2) + "," + sums.getString(3);
        }
        String answer = run(quarrel, "sql", "--data", output.toString(), "--format", "csv", "-c", SUMS);
        List<String> lines = answer.strip().lines().toList();
        double whole = StatementRates.median(full) / 100;
        System.out.printf(
                "| %s | %s | %s | %.0f %% | %s | %.0f %% | %,d | %s |%n",
                String.join(" ", options),
                times(full),
                times(increments),
                StatementRates.median(increments) / whole,
                times(repeated),
                StatementRates.median(repeated) / whole,
                updated,
                right.equals(lines.getLast()) ? "equal" : "**differ**: " + lines.getLast() + " and " + right);
    }

    /// What the increments of one process take, as it says; those before are to warm it up.
    private double[] repeat(int runs) throws IOException, SQLException, InterruptedException {
        double[] increments = new double[runs];
        List<String> command = command();
        command.addAll(List.of("--json", "--every", String.valueOf(PERIOD_SECONDS)));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader events = process.inputReader(StandardCharsets.UTF_8)) {
            end(events);
            for (int run = -WARM_UP_RUNS; run < runs; run++) {
                int updated = update(); // while the process waits
                Matcher end = end(events);
                if (Integer.parseInt(end.group("rows")) < updated) { // the greatest value is read again
                    throw new IOException("a run of every " + PERIOD_SECONDS + " s had " + end.group("rows")
                            + " rows, where " + updated + " were updated: the update took too long");
                }
                increments[Math.max(run, 0)] = Double.parseDouble(end.group("seconds"));
            }
        } finally {
            process.destroy();
            process.waitFor();
        }
        return increments;
    }

    private static Matcher end(BufferedReader events) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            Matcher end = END.matcher(line);
            if (end.find()) {
                return end;
            }
        }
        throw new IOException("the export has ended");
    }

    private int update() throws SQLException {
        int updated = statement.executeUpdate("UPDATE lineorder SET lo_revenue = lo_revenue + 1, changed ="
                + " clock_timestamp() WHERE (lo_orderkey * 7 + lo_linenumber) % " + part + " = "
                + updates++ % part);
        settle();
        return updated;
    }

    /// Otherwise the first to search would set the hint bits of all rows that were written.
    private void settle() throws SQLException {
        statement.execute("VACUUM ANALYZE lineorder");
        statement.execute("CHECKPOINT");
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(
                List.of(quarrel, "export", "-d", url, "-t", "lineorder", "-o", output.toString(), "--incremental"));
        command.addAll(options);
        return command;
    }

    private double export() throws IOException, InterruptedException {
        long start = System.nanoTime();
        run(command().toArray(String[]::new));
        return (System.nanoTime() - start) / 1e9;
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed: " + said);
        }
        return said;
    }

    private static String times(double[] seconds) {
        return Arrays.stream(seconds).mapToObj("%.2f"::formatted).collect(Collectors.joining(" "));
    }
}
