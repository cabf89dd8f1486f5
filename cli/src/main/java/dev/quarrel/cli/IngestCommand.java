package dev.quarrel.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `quarrel ingest`: events into a dataset, until it is told to stop.
@Command(
        name = "ingest",
        description = "Takes events of Fluentd, Fluent Bit, HTTP and InfluxDB's clients into a dataset's tables.",
        mixinStandardHelpOptions = true)
final class IngestCommand implements Callable<Integer> {
    @Option(
            names = "--data",
            required = true,
            paramLabel = "ROOT",
            description = "The dataset's folder; made where it is missing.")
    private Path root;

    @Mixin
    private IngestOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (LogLevel _ = LogLevel.info(false);
                StopSignals signals = new StopSignals();
                IngestService service = options.open(root, true)) {
            service.receive();
            System.out.println("ready: " + root + service.addresses());
            System.out.flush();
            signals.awaitAsked();
            Main.say(service.counts().events() + " events came");
        }
        return 0;
    }
}
