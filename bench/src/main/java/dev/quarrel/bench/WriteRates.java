package dev.quarrel.bench;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Measures statements that write, large ones and many small ones, in turns with PostgreSQL and DuckDB on the same
/// machine.
///
/// Arguments: runs, TPC-H's `lineitem` as a CSV file without a header, a folder for PostgreSQL, the command that runs
/// DuckDB (three words), then the command that starts Quarrel's server on a free port and says so in its ready line.
/// Each engine syncs what it commits. After each run the tables must be the same in all of them. Prints a table in
/// Markdown.
public final class WriteRates {
    private static final int CLIENTS = 64;
    private static final String LINEITEM = """
            CREATE TABLE lineitem (l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber int,
            l_quantity numeric(15, 2), l_extendedprice numeric(15, 2), l_discount numeric(15, 2), l_tax numeric(15, 2),
            l_returnflag text, l_linestatus text, l_shipdate date, l_commitdate date, l_receiptdate date,
            l_shipinstruct text, l_shipmode text, l_comment text)""";
    private static final List<String> CHECKS = List.of(
            "SELECT count(*), sum(l_quantity), min(l_comment), max(l_shipdate) FROM written",
            "SELECT count(*), sum(n), max(t) FROM small");

    /// How a step's statements are sent.
    private enum Way {
        ONE_BY_ONE,
        /// Between BEGIN and COMMIT.
        BLOCK,
        /// As a batch of the driver's; DuckDB has a block instead.
        BATCH,
        /// By so many clients, each some of them; DuckDB, which has one, one by one.
        CLIENTS
    }

    /// What is timed.
    private record Step(String name, Way way, List<String> statements) {
        static Step of(String name, String sql) {
            return new Step(name, Way.ONE_BY_ONE, List.of(sql));
        }
    }

    /// Somebody who runs statements.
    private interface Engine extends Closeable {
        /// @return seconds
        double run(Step step) throws Exception;

        List<String> row(String sql) throws Exception;
    }

    private WriteRates() {}

    public static void main(String[] arguments) throws Exception {
        int runs = Integer.parseInt(arguments[0]);
        Path file = Path.of(arguments[1]).toAbsolutePath();
        Process quarrel = new ProcessBuilder(Arrays.asList(arguments).subList(6, arguments.length))
                .redirectErrorStream(true)
                .start();
        try (EmbeddedPostgres postgres =
                        BenchPostgres.startDurable(Path.of(arguments[2]).toAbsolutePath());
                Engine ours = new Server(Target.quarrel(quarrel));
                Engine postgresql = new Server(Target.postgres(postgres));
                Engine duckdb = new DuckDb(Arrays.asList(arguments).subList(3, 6))) {
            List<Engine> engines = List.of(ours, postgresql, duckdb);
            for (Engine engine : engines) {
                engine.run(Step.of("", "DROP TABLE IF EXISTS lineitem"));
                engine.run(Step.of("", LINEITEM));
            }
            measure(
                    engines,
                    List.of(Step.of("COPY of a CSV file", "COPY lineitem FROM '" + file + "' (FORMAT csv)")),
                    1);
            measure(engines, steps(), runs);
        } finally {
            quarrel.destroy();
            quarrel.waitFor();
        }
    }

    private static List<Step> steps() {
        return List.of(
                Step.of("CREATE TABLE AS, all rows and columns", "CREATE TABLE written AS SELECT * FROM lineitem"),
                Step.of(
                        "INSERT of a query, a sixth of them",
                        "INSERT INTO written SELECT * FROM lineitem WHERE l_orderkey % 6 = 0"),
                Step.of(
                        "UPDATE of a number in 1 %",
                        "UPDATE written SET l_quantity = l_quantity + 1 WHERE l_orderkey % 100 = 1"),
                Step.of(
                        "UPDATE of a text in 1 %",
                        "UPDATE written SET l_comment = l_comment || '!' WHERE l_orderkey % 100 = 2"),
                Step.of("DELETE of 1 %", "DELETE FROM written WHERE l_orderkey % 100 = 3"),
                Step.of("DELETE of half of them", "DELETE FROM written WHERE l_orderkey % 2 = 0"),
                new Step(
                        "CREATE TABLE and 100 INSERTs of a row",
                        Way.ONE_BY_ONE,
                        concat(
                                List.of("CREATE TABLE small (i int, t text, n numeric(12, 2), d date)"),
                                inserts(0, 100))),
                new Step("1,000 in a transaction", Way.BLOCK, inserts(1000, 1000)),
                new Step("1,000 in a batch of JDBC's", Way.BATCH, inserts(2000, 1000)),
                new Step(CLIENTS + " clients, 10 each", Way.CLIENTS, inserts(10_000, CLIENTS * 10)));
    }

    private static List<String> concat(List<String> first, List<String> rest) {
        List<String> all = new ArrayList<>(first);
        all.addAll(rest);
        return all;
    }

    private static List<String> inserts(int first, int count) {
        List<String> statements = new ArrayList<>();
        for (int row = first; row < first + count; row++) {
            statements.add("INSERT INTO small VALUES (%d, 'text of %d', %d.25, date '2024-01-01')"
                    .formatted(row, row, row % 100));
        }
        return statements;
    }

    private static void measure(List<Engine> engines, List<Step> steps, int runs) throws Exception {
        double[][][] seconds = new double[steps.size()][engines.size()][runs];
        for (int run = 0; run < runs; run++) {
            for (int engine = 0; engine < engines.size(); engine++) {
                if (steps.size() > 1) {
                    engines.get(engine).run(Step.of("", "DROP TABLE IF EXISTS written"));
                    engines.get(engine).run(Step.of("", "DROP TABLE IF EXISTS small"));
                }
                for (int step = 0; step < steps.size(); step++) {
                    seconds[step][engine][run] = engines.get(engine).run(steps.get(step));
                }
            }
            for (String check : steps.size() > 1 ? CHECKS : List.of("SELECT count(*) FROM lineitem")) {
                List<String> right = engines.get(1).row(check);
                for (Engine engine : engines) {
                    if (!engine.row(check).equals(right)) {
                        throw new IOException(check + ": " + engine.row(check) + ", PostgreSQL has " + right);
                    }
                }
            }
        }
        System.out.printf(
                "| median of %d | Quarrel | PostgreSQL | DuckDB | PostgreSQL / Quarrel | DuckDB / Quarrel |%n", runs);
        System.out.println("|---|---|---|---|---|---|");
        for (int step = 0; step < steps.size(); step++) {
            double ours = median(seconds[step][0]);
            double postgres = median(seconds[step][1]);
            double duckdb = median(seconds[step][2]);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.3f s | %.3f s | %.3f s | %.2f | %.2f |%n",
                    steps.get(step).name(),
                    ours,
                    postgres,
                    duckdb,
                    postgres / ours,
                    duckdb / ours);
        }
        System.out.println();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /// One that pgjdbc speaks to.
    private static final class Server implements Engine {
        private final Target target;
        private final Connection connection;

        Server(Target target) throws SQLException {
            this.target = target;
            this.connection = connect();
        }

        private Connection connect() throws SQLException {
            return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + target.port() + "/" + target.database()
                    + "?user=" + target.user() + "&preferQueryMode=extended");
        }

        @Override
        public double run(Step step) throws Exception {
            List<Connection> clients = new ArrayList<>();
            try (ExecutorService threads = Executors.newCachedThreadPool();
                    Statement statement = connection.createStatement()) {
                for (int client = 0; step.way() == Way.CLIENTS && client < CLIENTS; client++) {
                    clients.add(connect());
                }
                long start = System.nanoTime();
                switch (step.way()) {
                    case ONE_BY_ONE -> each(statement, step.statements());
                    case BLOCK -> {
                        connection.setAutoCommit(false);
                        each(statement, step.statements());
                        connection.commit();
                        connection.setAutoCommit(true);
                    }
                    case BATCH -> {
                        for (String sql : step.statements()) {
                            statement.addBatch(sql);
                        }
                        statement.executeBatch();
                    }
                    case CLIENTS -> {
                        List<Future<?>> works = new ArrayList<>();
                        int share = step.statements().size() / CLIENTS;
                        for (int client = 0; client < CLIENTS; client++) {
                            Connection own = clients.get(client);
                            List<String> part = step.statements().subList(client * share, (client + 1) * share);
                            works.add(threads.submit(() -> {
                                try (Statement sql = own.createStatement()) {
                                    each(sql, part);
                                }
                                return null;
                            }));
                        }
                        for (Future<?> work : works) {
                            work.get();
                        }
                    }
                }
                return (System.nanoTime() - start) / 1e9;
            } finally {
                for (Connection client : clients) {
                    client.close();
                }
            }
        }

        private static void each(Statement statement, List<String> texts) throws SQLException {
            for (String text : texts) {
                statement.execute(text);
            }
        }

        @Override
        public List<String> row(String sql) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                rows.next();
                List<String> row = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    row.add(rows.getString(column));
                }
                return row;
            }
        }

        @Override
        public void close() throws IOException {
            try {
                connection.close();
            } catch (SQLException wrong) {
                throw new IOException(wrong);
            }
        }
    }

    /// A process of Python: it gets statements, one a line, and how they are one step, and says its seconds.
    private static final class DuckDb implements Engine {
        private final Process process;
        private final PrintWriter out;
        private final BufferedReader in;

        DuckDb(List<String> command) throws IOException {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            out = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
            in = process.inputReader(StandardCharsets.UTF_8);
        }

        @Override
        public double run(Step step) throws IOException {
            boolean isBlock = step.way() == Way.BLOCK || step.way() == Way.BATCH;
            for (String sql : isBlock ? concat(List.of("BEGIN"), step.statements()) : step.statements()) {
                out.println(sql.replace('\n', ' '));
            }
            if (isBlock) {
                out.println("COMMIT");
            }
            out.println("time");
            return Double.parseDouble(answer());
        }

        @Override
        public List<String> row(String sql) throws IOException {
            out.println(sql);
            out.println("row");
            return List.of(answer().split("\t"));
        }

        private String answer() throws IOException {
            String line = in.readLine();
            if (line == null) {
                throw new IOException("DuckDB's process has ended");
            }
            return line;
        }

        @Override
        public void close() throws IOException {
            out.close();
            in.close();
            process.destroy();
        }
    }
}
