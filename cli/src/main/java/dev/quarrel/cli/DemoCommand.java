package dev.quarrel.cli;

import dev.quarrel.calcite.Engine;
import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.run.StopHook;
import dev.quarrel.export.ExportProgress;
import dev.quarrel.export.ExportReport;
import dev.quarrel.export.Exporter;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.source.PostgresSource;
import dev.quarrel.samples.ssb.SsbGenerator;
import dev.quarrel.samples.ssb.SsbQueries;
import dev.quarrel.samples.ssb.SsbScale;
import dev.quarrel.samples.ssb.SsbTable;
import dev.quarrel.server.Server;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `quarrel demo`: the whole way, from PostgreSQL's rows to answers over its protocol, checked against
/// PostgreSQL's own.
@Command(
        name = "demo",
        description = "PostgreSQL with sample data, exported, served and queried: shows the whole way on this machine.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    private static final String USER = "quarrel";
    private static final Pattern DEVICE = Pattern.compile("Device: (\\w+)");

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--sf",
            defaultValue = "0.1",
            paramLabel = "N",
            description = "Scale factor, 6 million rows each; default ${DEFAULT-VALUE}.")
    private double scaleFactor;

    @Option(names = "--once", description = "Exit after the queries, with 1 if any answer differs.")
    private boolean once;

    @Option(
            names = "--port",
            defaultValue = "5433",
            description = "The port to serve on, 0 for a free one; default ${DEFAULT-VALUE}.")
    private int port;

    private Thread worker; // guarded by this; null when it must not be interrupted any more

    @Override
    public Integer call() throws Exception {
        if (!(scaleFactor > 0) || scaleFactor > SsbScale.MAX_SCALE_FACTOR) {
            throw new ParameterException(
                    spec.commandLine(), "--sf must be above 0 and at most " + SsbScale.MAX_SCALE_FACTOR);
        }
        checkPort();
        worker = Thread.currentThread();
        Cancellation cancellation = new Cancellation();
        StopHook hook = new StopHook(() -> {
            cancellation.cancel();
            interrupt();
        });
        try (hook;
                TemporaryFolder folder = new TemporaryFolder("quarrel-demo-")) {
            return run(folder.path(), hook, cancellation);
        } catch (Exception failure) {
            if (hook.isAsked()) {
                return Main.FAILED; // it was told to stop: what broke on the way says nothing
            }
            throw failure;
        }
    }

    private synchronized void interrupt() {
        if (worker != null) {
            worker.interrupt();
        }
    }

    /// From here on things are closed, which takes patience.
    private synchronized void shieldFromInterrupts() {
        worker = null;
        Thread.interrupted();
    }

    /// Before minutes of work, not after them.
    private void checkPort() {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        } catch (IOException busy) {
            throw new CommandFailure(
                    "port " + port + " cannot be listened on: " + busy.getMessage()
                            + "; give another with --port, or 0 for a free one",
                    busy);
        } catch (IllegalArgumentException outOfRange) {
            throw new ParameterException(spec.commandLine(), "--port must be 0 to 65535, not " + port);
        }
    }

    private int run(Path folder, StopHook hook, Cancellation cancellation) throws Exception {
        int threads = Runtime.getRuntime().availableProcessors();
        SsbGenerator generator = new SsbGenerator(new SsbScale(scaleFactor));
        Path dataset = folder.resolve("dataset");
        step("starting an embedded PostgreSQL");
        try (DemoPostgres postgres = DemoPostgres.start(folder)) {
            try {
                step(String.format(
                        Locale.ROOT,
                        "filling it with the Star Schema Benchmark's tables, scale factor %s",
                        scaleFactor));
                try (ProgressBar bar = new ProgressBar("loading", Math.round(6_000_000 * scaleFactor))) {
                    postgres.load(generator, threads, bar::add);
                }
                step("exporting them to Arrow files under one snapshot");
                ExportReport report = export(postgres, dataset, cancellation);
                ExportRuns.summary(report).forEach(line -> System.err.println("  " + line));
                return serve(postgres, generator, dataset, hook);
            } finally {
                shieldFromInterrupts();
            }
        }
    }

    private int serve(DemoPostgres postgres, SsbGenerator generator, Path dataset, StopHook hook) throws Exception {
        try (Engine engine = EngineOptions.open(dataset, EngineOptions.defaults(List.of(USER)));
                Server server =
                        ServeCommand.start(engine, ServerConfig.defaults().with(ServerSetting.PORT, port))) {
            try {
                step("serving them on 127.0.0.1:" + port + ", devices: " + ServeCommand.devices(engine));
                boolean equal = compare(postgres, generator);
                if (once) {
                    return equal ? 0 : Main.FAILED;
                }
                System.out.println();
                System.out.println("Quarrel stays up until ctrl-C. In another terminal:");
                System.out.println("  psql -h 127.0.0.1 -p " + server.address().getPort() + " -U " + USER + " quarrel");
                System.out.println("PostgreSQL itself: psql " + postgres.uri());
                System.out.flush();
                hook.awaitAsked();
                return 0;
            } finally {
                shieldFromInterrupts();
            }
        }
    }

    private static void step(String what) {
        System.err.println("* " + what);
    }

    private static ExportReport export(DemoPostgres postgres, Path dataset, Cancellation cancellation) {
        List<String> tables = Arrays.stream(SsbTable.values())
                .map(table -> table.tableName(SsbTable.DEFAULT_DATE_TABLE))
                .toList();
        return Exporter.run(
                ExportConfig.builder(PostgresSource.parse(postgres.uri()), dataset)
                        .tables(tables)
                        .build(),
                ExportProgress.NONE,
                cancellation);
    }

    private boolean compare(DemoPostgres postgres, SsbGenerator generator) throws SQLException {
        int width = 5;
        boolean allEqual = true;
        double quarrelSum = 0;
        double postgresSum = 0;
        System.out.printf(
                Locale.ROOT,
                "%nStar Schema Benchmark, %,d rows in lineorder, through pgjdbc%n%n",
                generator.rowCount(SsbTable.LINEORDER));
        System.out.println("query   rows   Quarrel ms   PostgreSQL ms   device   rows equal");
        System.out.println("-----   ----   ----------   -------------   ------   ----------");
        try (Connection quarrel =
                        DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/quarrel?user=" + USER);
                Connection original = postgres.connect()) {
            for (String name : SsbQueries.NAMES) {
                String sql = SsbQueries.sql(name);
                TimedQuery ours = TimedQuery.run(quarrel, sql);
                TimedQuery theirs = TimedQuery.run(original, sql);
                boolean equal = ours.rows().equals(theirs.rows());
                allEqual &= equal;
                quarrelSum += ours.millis();
                postgresSum += theirs.millis();
                System.out.printf(
                        Locale.ROOT,
                        "%-" + width + "s   %4d   %10.1f   %13.1f   %-6s   %s%n",
                        name,
                        ours.rows().size(),
                        ours.millis(),
                        theirs.millis(),
                        devices(quarrel, sql),
                        equal ? "yes" : "NO");
                System.out.flush();
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%-" + width + "s          %10.1f   %13.1f            %s%n",
                "sum",
                quarrelSum,
                postgresSum,
                allEqual ? "all" : "NOT ALL");
        System.out.flush();
        return allEqual;
    }

    /// The devices that EXPLAIN names for a query's pipelines.
    private static String devices(Connection connection, String sql) throws SQLException {
        TreeSet<String> names = new TreeSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet plan = statement.executeQuery("EXPLAIN " + sql)) {
            while (plan.next()) {
                Matcher device = DEVICE.matcher(plan.getString(1));
                while (device.find()) {
                    names.add(device.group(1));
                }
            }
        }
        return String.join("+", names);
    }
}
