package dev.quarrel.cli;

import dev.quarrel.calcite.Engine;
import dev.quarrel.core.run.StopHook;
import dev.quarrel.server.Server;
import dev.quarrel.server.auth.UsersFile;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
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
    private EngineOptions engineOptions;

    @Option(
            names = "--port",
            defaultValue = "5433",
            description = "The port to listen on, 0 for a free one; default ${DEFAULT-VALUE}.")
    private int port;

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "The address to listen on; default ${DEFAULT-VALUE}.")
    private String host;

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
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "A setting of the server, such as max_connections=20; may be repeated.")
    private Map<String, String> settings = Map.of();

    @Option(
            names = "--no-warm-up",
            description = "Leaves out the seconds of background work at the start that make first queries quick.")
    private boolean noWarmUp;

    @Override
    public Integer call() throws IOException, InterruptedException {
        ServerConfig config = withUsers(config());
        try (LogLevel _ = LogLevel.info();
                StopHook hook = new StopHook(() -> {});
                Engine engine = engineOptions.open(config::users);
                Server server = start(engine, config)) {
            System.out.println(readyLine(server.address(), engine, engineOptions.data()));
            System.out.flush();
            if (!noWarmUp) {
                engine.warmUp();
            }
            hook.awaitAsked();
        }
        return 0;
    }

    private static ServerConfig withUsers(ServerConfig config) throws IOException {
        String file = config.text(ServerSetting.USERS_FILE);
        try {
            return file.isEmpty() ? config : config.withUsers(UsersFile.open(Path.of(file)));
        } catch (IllegalArgumentException wrong) {
            throw new CommandFailure(wrong.getMessage(), wrong);
        }
    }

    private ServerConfig config() {
        ServerConfig config = ServerConfig.defaults();
        try {
            config = config.with(ServerSetting.HOST, host).with(ServerSetting.PORT, port);
            config = with(config, ServerSetting.USERS_FILE, users);
            config = with(config, ServerSetting.TLS_CERT, tlsCertificate);
            config = with(config, ServerSetting.TLS_KEY, tlsKey);
            for (Map.Entry<String, String> entry : settings.entrySet()) {
                config = config.with(setting(entry.getKey()), entry.getValue());
            }
            return config;
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), wrong.getMessage());
        }
    }

    private static ServerConfig with(ServerConfig config, ServerSetting setting, Path file) {
        return file == null ? config : config.with(setting, file.toString());
    }

    private static ServerSetting setting(String name) {
        for (ServerSetting setting : ServerSetting.values()) {
            if (setting.settingName().equals(name)) {
                return setting;
            }
        }
        throw new IllegalArgumentException("there is no setting " + name);
    }

    /// - Errors: [CommandFailure] saying what to do where the address cannot be had.
    static Server start(Engine engine, ServerConfig config) {
        try {
            return Server.start(engine, config);
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

    private static String readyLine(InetSocketAddress address, Engine engine, Path data) {
        return "ready: " + data + " at " + address.getHostString() + ":" + address.getPort() + ", devices: "
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
