package dev.quarrel.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.postgresql.PGConnection;

/// Measures how fast a whole table reaches a client that does nothing with it: rows in text and binary, and by COPY, in
/// turns with PostgreSQL on the same machine.
///
/// Arguments: runs, a folder for PostgreSQL, the table, then the command that starts Quarrel's server on a free port
/// and
/// says so in its ready line. PostgreSQL's copy of the table is made by COPY from Quarrel's, and stays in the folder.
/// Prints a table in Markdown.
public final class ResultRates {
    private static final int PIPE_BYTES = 1 << 20;

    private final int runs;
    private final String table;

    private ResultRates(int runs, String table) {
        this.runs = runs;
        this.table = table;
    }

    /// A way for a table to reach a client.
    ///
    /// @param theirs what PostgreSQL is asked instead, where it lacks the way
    private record Way(String name, String ours, String theirs, boolean isBinary) {
        static Way copy(String options, String theirs, String table) {
            return new Way(
                    "COPY, " + options.toLowerCase(Locale.ROOT),
                    "COPY " + table + " TO STDOUT (FORMAT " + options + ")",
                    "COPY " + table + " TO STDOUT (FORMAT " + theirs + ")",
                    false);
        }
    }

    /// What one run took.
    private record Run(double seconds, long rows, long bytes) {}

    public static void main(String[] arguments)
            throws IOException, InterruptedException, SQLException, ExecutionException {
        String table = arguments[2];
        Process quarrel = new ProcessBuilder(Arrays.asList(arguments).subList(3, arguments.length))
                .redirectErrorStream(true)
                .start();
        try (EmbeddedPostgres postgres =
                BenchPostgres.start(Path.of(arguments[1]).toAbsolutePath())) {
            Target ours = Target.quarrel(quarrel);
            Target theirs = Target.postgres(postgres);
            load(ours, theirs, table);
            new ResultRates(Integer.parseInt(arguments[0]), table).run(ours, theirs);
        } finally {
            quarrel.destroy();
            quarrel.waitFor();
        }
    }

    private static Connection connect(Target target) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + target.port() + "/" + target.database() + "?user=" + target.user());
    }

    /// Copies the table, as the columns are declared, unless an earlier run has.
    private static void load(Target ours, Target theirs, String table)
            throws SQLException, IOException, ExecutionException, InterruptedException {
        try (Connection from = connect(ours);
                Connection to = connect(theirs)) {
            try (var found = to.createStatement().executeQuery("SELECT to_regclass('" + table + "') IS NOT NULL")) {
                found.next();
                if (found.getBoolean(1)) {
                    return;
                }
            }
            List<String> columns = new ArrayList<>();
            try (var rows = from.createStatement().executeQuery("""
                    SELECT quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
                    WHERE attrelid = '%s'::regclass AND attnum > 0 ORDER BY attnum""".formatted(table))) {
                while (rows.next()) {
                    columns.add(rows.getString(1));
                }
            }
            to.createStatement().execute("CREATE TABLE " + table + " (" + String.join(", ", columns) + ")");
            PipedOutputStream out = new PipedOutputStream();
            try (InputStream in = new PipedInputStream(out, PIPE_BYTES)) {
                FutureTask<Long> reader = new FutureTask<>(() -> {
                    try (out) {
                        return from.unwrap(PGConnection.class)
                                .getCopyAPI()
                                .copyOut("COPY " + table + " TO STDOUT", out);
                    }
                });
                Thread.ofPlatform().daemon().start(reader);
                to.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY " + table + " FROM STDIN", in);
                reader.get();
            }
            to.createStatement().execute("VACUUM (FREEZE, ANALYZE) " + table);
        }
    }

    private void run(Target ours, Target theirs) throws IOException {
        String query = "SELECT * FROM " + table;
        List<Way> ways = List.of(
                new Way("rows, text", query, query, false),
                new Way("rows, binary", query, query, true),
                Way.copy("text", "text", table),
                Way.copy("csv", "csv", table),
                Way.copy("binary", "binary", table),
                Way.copy("arrow", "binary", table),
                Way.copy("arrow, COMPRESSION lz4", "binary", table),
                Way.copy("arrow, COMPRESSION zstd", "binary", table));
        System.out.printf("| `%s`, median of %d runs | Quarrel | | PostgreSQL | | ratio |%n", query, runs);
        System.out.println("|---|---|---|---|---|---|");
        for (Way way : ways) {
            List<Run> our = new ArrayList<>();
            List<Run> their = new ArrayList<>();
            run(ours, way.ours(), way.isBinary());
            for (int run = 0; run < runs; run++) {
                our.add(run(ours, way.ours(), way.isBinary()));
                their.add(run(theirs, way.theirs(), way.isBinary()));
            }
            Run one = median(our);
            Run other = median(their);
            if (one.rows() != other.rows()) {
                throw new IOException(way.name() + ": " + one.rows() + " rows, PostgreSQL has " + other.rows());
            }
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f s | %,d MB | %.2f s | %,d MB | %.1f |%n",
                    way.name(),
                    one.seconds(),
                    one.bytes() / 1_000_000,
                    other.seconds(),
                    other.bytes() / 1_000_000,
                    other.seconds() / one.seconds());
        }
    }

    private static Run median(List<Run> runs) {
        return runs.stream()
                .sorted(java.util.Comparator.comparing(Run::seconds))
                .toList()
                .get(runs.size() / 2);
    }

    private static Run run(Target target, String sql, boolean isBinary) throws IOException {
        try (WireClient client = target.connect()) {
            byte[] request = WireClient.simple(sql);
            if (isBinary) {
                client.exchange(WireClient.prepare("s", sql));
                request = WireClient.executeBinary("s");
            }
            long bytes = client.readBytes();
            long start = System.nanoTime();
            client.exchange(request);
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Run(seconds, client.taggedRows(), client.readBytes() - bytes);
        }
    }
}
