package dev.quarrel.cli;

import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `quarrel ingest`: events into a dataset, until it is told to stop.
@Command(
        name = "ingest",
        description = "Takes events of Fluentd, Fluent Bit, HTTP and InfluxDB's clients into a dataset's tables.",
        mixinStandardHelpOptions = true)
final class IngestCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--data", paramLabel = "ROOT", description = "The dataset's folder; made where it is missing.")
    private Path data;

    @Mixin
    private ConfigOptions configOptions;

    @Mixin
    private IngestOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException {
        ServerConfig config = EngineOptions.with(
                options.applyTo(configOptions.applyTo(configOptions.read())), ServerSetting.DATA, "--data", data);
        if (config.text(ServerSetting.DATA).isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--data=ROOT'");
        }
        Path root = Path.of(config.text(ServerSetting.DATA));
        try (LogLevel _ = LogLevel.info(config.text(ServerSetting.LOG_FORMAT).equals("json"));
                StopSignals signals = new StopSignals();
                IngestService service = IngestOptions.open(config, root, true)) {
            service.receive();
            System.out.println("ready: " + root + service.addresses());
            System.out.flush();
            signals.awaitAsked();
            Main.say(service.counts().events() + " events came");
        }
        return 0;
    }
}
