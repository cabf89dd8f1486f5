package dev.quarrel.ingest;

import dev.quarrel.ingest.intake.Routes;
import dev.quarrel.ingest.net.Receiver;
import dev.quarrel.ingest.net.ReceiverConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A process that takes events until it is killed; it prints its port.
final class KillTarget {
    private KillTarget() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        IngestConfig config = IngestConfig.of(Path.of(arguments[0]))
                .withClosing(Duration.ofMillis(300), 16 << 20)
                .withUpkeep(1 << 20, null);
        Ingest ingest = Ingest.open(config);
        Receiver receiver = Receiver.start(
                new ReceiverConfig(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        null,
                        Routes.of(List.of()),
                        null,
                        null,
                        null,
                        16 << 20,
                        100),
                ingest.intake());
        System.out.println(receiver.forwardAddress().getPort());
        System.out.flush();
        Thread.sleep(Duration.ofMinutes(10));
    }
}
