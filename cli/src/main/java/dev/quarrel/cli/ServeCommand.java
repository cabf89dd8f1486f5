package dev.quarrel.cli;

import dev.quarrel.calcite.Engine;
import dev.quarrel.server.Server;
import dev.quarrel.server.ServerMonitor;
import dev.quarrel.server.auth.UsersFile;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import dev.quarrel.server.databases.Databases;
import dev.quarrel.server.http.Readiness;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `quarrel serve`: a dataset behind PostgreSQL's wire protocol, until it is told to stop.
@Command(
        name = "serve",
        description = "Serves a dataset's tables over PostgreSQL's wire protocol.",
        mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ConfigOptions configOptions;

    @Mixin
    private EngineOptions engineOptions;

    @Mixin
    private IngestOptions ingestOptions;

    @Option(names = "--port", description = "The port to listen on, 0 for a free one; default 5433.")
    private Integer port;

    @Option(names = "--host", description = "The address to listen on; default 127.0.0.1.")
    private String host;

    @Option(
            names = "--http",
            paramLabel = "[HOST:]PORT",
            description =
                    "Where /metrics, /healthz and /readyz are answered; default: nowhere, and on loopback where no"
                            + " host is said.")
    private String http;

    @Option(names = "--users", paramLabel = "FILE", description = "Who may log in, as 'quarrel user' writes it.")
    private Path users;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "The server's certificate, as PEM: clients may use TLS.")
    private Path tlsCertificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The certificate's private key, as PEM.")
    private Path tlsKey;

    @Option(
            names = "--no-warm-up",
            description = "Leaves out the seconds of background work at the start that make first queries quick.")
    private boolean noWarmUp;

    @Override
    public Integer call() throws IOException, InterruptedException {
        ServerConfig config = withUsers(config());
        try (LogLevel _ = LogLevel.info(config.text(ServerSetting.LOG_FORMAT).equals("json"));
                StopSignals signals = new StopSignals();
                ServerMonitor monitor = monitor(config);
                IngestService ingest = IngestOptions.open(
                        config, EngineOptions.databases(config).firstEntry().getValue(), false);
                OpenDatabases data = new OpenDatabases(
                        EngineOptions.open(config, config::users, dataset -> ingest.catalog(dataset)));
                Server server = start(config, () -> Server.start(data.databases(), config, monitor))) {
            ingest.watch(monitor.metrics());
            ingest.receive();
            System.out.println(readyLine(server, data.engine(), folders(config)) + ingest.addresses());
            System.out.flush();
            becomeReady(data.engine(), config, monitor.readiness());
            signals.awaitAsked();
        }
        return 0;
    }

    /// The databases and, below them, the engine that owns what they share.
    private record OpenDatabases(Databases databases) implements AutoCloseable {
        Engine engine() {
            return databases.first();
        }

        @Override
        public void close() {
            databases.close();
            databases.first().close();
        }
    }

    /// `data`, or `sales=data/sales, logs=data/logs`.
    private static String folders(ServerConfig config) {
        SequencedMap<String, Path> roots = EngineOptions.databases(config);
        return roots.size() == 1
                ? roots.firstEntry().getValue().toString()
                : roots.entrySet().stream()
                        .map(root -> root.getKey() + "=" + root.getValue())
                        .collect(Collectors.joining(", "));
    }

    /// Queries are answered from now on; `/readyz` says so when they are quick, too.
    private static void becomeReady(Engine engine, ServerConfig config, Readiness readiness) {
        if (!config.isOn(ServerSetting.WARM_UP)) {
            readiness.ready();
            return;
        }
        readiness.warmUp();
        engine.warmUp();
        Thread.ofPlatform().name("quarrel-ready").daemon().start(() -> {
            try {
                engine.awaitWarmUp();
                readiness.warmedUp();
            } catch (InterruptedException _) {
                // Nobody interrupts it; the server would stay as it is.
            }
        });
    }

    private static ServerMonitor monitor(ServerConfig config) {
        try {
            return ServerMonitor.open(config);
        } catch (IllegalArgumentException | IOException wrong) {
            throw new CommandFailure(wrong.getMessage(), wrong);
        }
    }

    private static ServerConfig withUsers(ServerConfig config) throws IOException {
        String file = config.text(ServerSetting.USERS_FILE);
        try {
            return file.isEmpty() ? config : config.withUsers(UsersFile.open(Path.of(file)));
        } catch (IllegalArgumentException wrong) {
            throw new CommandFailure(wrong.getMessage(), wrong);
        }
    }

    private ServerConfig config() throws IOException {
        ServerConfig config = configOptions.read();
        try {
            config = EngineOptions.with(config, ServerSetting.HOST, "--host", host);
            config = EngineOptions.with(config, ServerSetting.PORT, "--port", port);
            config = EngineOptions.with(config, ServerSetting.HTTP, "--http", http);
            config = EngineOptions.with(config, ServerSetting.USERS_FILE, "--users", users);
            config = EngineOptions.with(config, ServerSetting.TLS_CERT, "--tls-cert", tlsCertificate);
            config = EngineOptions.with(config, ServerSetting.TLS_KEY, "--tls-key", tlsKey);
            config = EngineOptions.with(config, ServerSetting.WARM_UP, "--no-warm-up", noWarmUp ? "off" : null);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), wrong.getMessage());
        }
        return engineOptions.applyAllTo(ingestOptions.applyTo(configOptions.applyTo(config)));
    }

    /// - Errors: [CommandFailure] saying what to do where the address cannot be had.
    static Server start(Engine engine, ServerConfig config) {
        return start(config, () -> Server.start(engine, config));
    }

    private interface Starting {
        Server start() throws IOException;
    }

    private static Server start(ServerConfig config, Starting starting) {
        try {
            return starting.start();
        } catch (IllegalArgumentException refused) {
            throw new CommandFailure(refused.getMessage(), refused);
        } catch (NoSuchFileException missing) {
            throw new CommandFailure(missing.getFile() + ": no such file", missing);
        } catch (FileSystemException unreadable) {
            throw new CommandFailure("cannot read " + unreadable.getMessage(), unreadable);
        } catch (IOException unusable) {
            throw new CommandFailure(
                    "cannot listen on " + config.text(ServerSetting.HOST) + ":" + config.text(ServerSetting.PORT) + ": "
                            + unusable.getMessage() + " (another --port, or 0 for a free one, may help)",
                    unusable);
        }
    }

    private static String readyLine(Server server, Engine engine, String data) {
        InetSocketAddress address = server.address();
        return "ready: " + data + " at " + address.getHostString() + ":" + address.getPort()
                + (server.httpAddress() == null
                        ? ""
                        : ", http at " + server.httpAddress().getHostString() + ":"
                                + server.httpAddress().getPort())
                + ", devices: "
                + devices(engine);
    }

    /// `cpu (AMD EPYC …); cuda: built without kernels`
    static String devices(Engine engine) {
        String found = engine.devices().stream()
                .map(device -> device.name() + " (" + device.description() + ")")
                .collect(Collectors.joining(", "));
        String missing = engine.missingDevices().entrySet().stream()
                .map(entry -> "; no " + entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining());
        return found + missing;
    }
}
