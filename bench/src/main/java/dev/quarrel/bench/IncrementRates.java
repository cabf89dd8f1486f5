package dev.quarrel.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// What an incremental export takes beside a full one: SSB's `lineorder` in a PostgreSQL of its own, of which some rows
/// are updated before each increment, by the rows' transactions and by an indexed column. Whole commands are timed, and
/// the rows compared after the last.
public final class IncrementRates {
    private static final String SUMS =
            "SELECT count(*), sum(lo_revenue), sum(lo_orderkey::bigint * lo_revenue % 1000) FROM lineorder";

    private final String quarrel;
    private final String url;
    private final Path output;

    private IncrementRates(String quarrel, String url, Path output) {
        this.quarrel = quarrel;
        this.url = url;
        this.output = output;
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
            System.out.println(
                    "| by | full runs, s | increments, s | share of the medians | rows updated before each | rows after |");
            System.out.println("|---|---|---|---|---|---|");
            for (String column : List.of("xmin", "changed")) {
                IncrementRates rates = new IncrementRates(
                        arguments[0],
                        "postgresql://postgres@127.0.0.1:" + postgres.getPort() + "/postgres",
                        folder.resolve("increments-" + column));
                rates.measure(statement, column, runs, part);
            }
        }
    }

    private void measure(Statement statement, String column, int runs, int part)
            throws IOException, SQLException, InterruptedException {
        settle(statement);
        double[] full = new double[runs];
        for (int run = 0; run < runs; run++) {
            run("rm", "-rf", output.toString());
            full[run] = export(column);
        }
        double[] increments = new double[runs];
        int updated = 0;
        for (int run = 0; run < runs; run++) {
            updated = statement.executeUpdate(
                    "UPDATE lineorder SET lo_revenue = lo_revenue + 1, changed = clock_timestamp() WHERE (lo_orderkey * 7 + lo_linenumber) % "
                            + part + " = " + run);
            settle(statement);
            increments[run] = export(column);
        }
        String right;
        try (ResultSet sums = statement.executeQuery(SUMS)) {
            sums.next();
            right = sums.getString(1) + "," + sums.getString(2) + "," + sums.getString(3);
        }
        String answer = run(quarrel, "sql", "--data", output.toString(), "--format", "csv", "-c", SUMS);
        List<String> lines = answer.strip().lines().toList();
        System.out.printf(
                "| %s | %s | %s | %.0f %% | %,d | %s |%n",
                column,
                times(full),
                times(increments),
                100 * StatementRates.median(increments) / StatementRates.median(full),
                updated,
                right.equals(lines.getLast()) ? "equal" : "**differ**: " + lines.getLast() + " and " + right);
    }

    /// Otherwise the first to search would set the hint bits of all rows that were written.
    private static void settle(Statement statement) throws SQLException {
        statement.execute("VACUUM ANALYZE lineorder");
        statement.execute("CHECKPOINT");
    }

    private double export(String column) throws IOException, InterruptedException {
        long start = System.nanoTime();
        run(quarrel, "export", "-d", url, "-t", "lineorder", "-o", output.toString(), "--incremental", column);
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
