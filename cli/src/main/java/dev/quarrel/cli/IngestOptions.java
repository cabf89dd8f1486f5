package dev.quarrel.cli;

import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.ingest.Ingest;
import dev.quarrel.ingest.IngestConfig;
import dev.quarrel.ingest.TableDeclarations;
import dev.quarrel.ingest.intake.Routes;
import dev.quarrel.ingest.net.ReceiverConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The options of events that come in.
final class IngestOptions {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern ADDRESS = Pattern.compile("(forward|http)=(?:\\[?([^\\]]*?)\\]?:)?(\\d{1,5})");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--ingest",
            split = ",",
            paramLabel = "PROTOCOL=[HOST:]PORT",
            description = "Where events come in: forward (Fluentd, Fluent Bit), http (lines of JSON, InfluxDB's lines);"
                    + " on loopback where no host is said.")
    private List<String> addresses = List.of();

    @Option(
            names = "--route",
            paramLabel = "PATTERN=TABLE",
            description =
                    "The table of events whose tag is of a pattern (app.*, **); default: the tag, with _ for dots.")
    private List<String> routes = List.of();

    @Option(
            names = "--event-tables",
            paramLabel = "FILE",
            description = "CREATE TABLE statements of columns that events have; others are learned.")
    private Path tables;

    @Option(
            names = "--ingest-key-file",
            paramLabel = "FILE",
            description = "The shared key that senders must know, on the file's first line.")
    private Path keyFile;

    @Option(names = "--ingest-tls-cert", paramLabel = "FILE", description = "A certificate, as PEM: senders use TLS.")
    private Path certificate;

    @Option(names = "--ingest-tls-key", paramLabel = "FILE", description = "The certificate's private key, as PEM.")
    private Path privateKey;

    @Option(
            names = "--ingest-insecure",
            description = "Takes events from other machines without a shared key or without TLS.")
    private boolean insecure;

    @Option(
            names = "--close-after",
            paramLabel = "TIME",
            defaultValue = "60s",
            description = "The age at which rows go into files (s, m, h); default 60s.")
    private String closeAfter;

    @Option(
            names = "--close-size",
            paramLabel = "MIB",
            defaultValue = "128",
            description = "Memory that rows take when they go into files, at the latest; default 128.")
    private int closeMebibytes;

    @Option(
            names = "--ingest-memory",
            paramLabel = "MIB",
            defaultValue = "512",
            description = "Memory that rows may take which are in no file; senders wait then; default 512.")
    private int memoryMebibytes;

    @Option(
            names = "--merge-below",
            paramLabel = "MIB",
            defaultValue = "64",
            description = "Files below this are merged with others of their hour; 0: none are; default 64.")
    private int mergeMebibytes;

    @Option(
            names = "--retention",
            paramLabel = "TIME",
            description = "Folders of days that are older go, such as 30d; default: none do.")
    private String retention;

    @Option(
            names = "--resend-window",
            paramLabel = "TIME",
            defaultValue = "30m",
            description = "How long a chunk that is sent again is known; default 30m.")
    private String resendWindow;

    /// Opens a dataset for events, if there are to be any.
    ///
    /// @param always whether there are, by the forward protocol's port where nothing is said
    IngestService open(Path root, boolean always) throws IOException {
        if (addresses.isEmpty() && !always) {
            return new IngestService(null, null);
        }
        ReceiverConfig receiver = receiver(addresses.isEmpty() ? List.of("forward=24224") : addresses);
        if (receiver.exposure() != null && !insecure) {
            throw new ParameterException(
                    spec.commandLine(),
                    receiver.exposure() + ": --ingest-key-file, --ingest-tls-cert and --ingest-tls-key (or"
                            + " --ingest-insecure)");
        }
        return new IngestService(Ingest.open(config(root)), receiver);
    }

    private ReceiverConfig receiver(List<String> said) throws IOException {
        InetSocketAddress forward = null;
        InetSocketAddress http = null;
        for (String each : said) {
            Matcher parts = ADDRESS.matcher(each.strip());
            if (!parts.matches() || Integer.parseInt(parts.group(3)) > 65535) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--ingest is forward=[HOST:]PORT or http=[HOST:]PORT, not \"" + each + "\"");
            }
            String host = parts.group(2) == null ? "127.0.0.1" : parts.group(2);
            InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(parts.group(3)));
            if (address.isUnresolved()) {
                throw new CommandFailure("unknown host: " + host);
            }
            if (parts.group(1).equals("forward")) {
                forward = address;
            } else {
                http = address;
            }
        }
        try {
            return new ReceiverConfig(
                    forward,
                    http,
                    Routes.of(routes),
                    key(),
                    certificate,
                    privateKey,
                    ReceiverConfig.MOST_BYTES,
                    ReceiverConfig.MOST_CONNECTIONS);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), wrong.getMessage());
        }
    }

    private String key() throws IOException {
        if (keyFile == null) {
            return null;
        }
        String key = Files.readString(keyFile).lines().findFirst().orElse("").strip();
        if (key.isEmpty()) {
            throw new CommandFailure(keyFile + ": its first line is no key");
        }
        return key;
    }

    private IngestConfig config(Path root) throws IOException {
        Map<String, List<Field>> declared = Map.of();
        if (tables != null) {
            String text = Files.readString(tables);
            try {
                declared = TableDeclarations.read(text);
            } catch (QueryException wrong) {
                throw new CommandFailure(tables + ": " + ErrorText.of(wrong, text), wrong);
            }
        }
        long mebibyte = 1L << 20;
        if (memoryMebibytes < 16 || closeMebibytes < 1 || mergeMebibytes < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--ingest-memory is 16 or more, --close-size 1, --merge-below 0");
        }
        return IngestConfig.of(root)
                .withDeclared(declared)
                .withClosing(duration("--close-after", closeAfter), closeMebibytes * mebibyte)
                .withMemory(memoryMebibytes * mebibyte, Math.max(8, memoryMebibytes / 8) * mebibyte)
                .withResendWindow(duration("--resend-window", resendWindow))
                .withUpkeep(mergeMebibytes * mebibyte, retention == null ? null : duration("--retention", retention));
    }

    private Duration duration(String option, String text) {
        Matcher parts = DURATION.matcher(text);
        if (!parts.matches()) {
            throw new ParameterException(
                    spec.commandLine(), option + " is a number with ms, s, m, h or d, not \"" + text + "\"");
        }
        long count = Long.parseLong(parts.group(1));
        return switch (parts.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
    }
}
