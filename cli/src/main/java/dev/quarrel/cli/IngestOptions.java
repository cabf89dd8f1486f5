package dev.quarrel.cli;

import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.ingest.Ingest;
import dev.quarrel.ingest.IngestConfig;
import dev.quarrel.ingest.TableDeclarations;
import dev.quarrel.ingest.intake.Routes;
import dev.quarrel.ingest.net.ReceiverConfig;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
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

/// The options of events that come in: settings of the process ([ServerSetting]) under names of their own.
final class IngestOptions {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern ADDRESS = Pattern.compile("(forward|http)=(?:\\[?([^\\]]*?)\\]?:)?(\\d{1,5})");
    private static final String FORWARD = "forward=24224";
    private static final long MEBIBYTE = 1L << 20;

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
            description = "The age at which rows go into files (s, m, h); default 60s.")
    private String closeAfter;

    @Option(
            names = "--close-size",
            paramLabel = "MIB",
            description = "Memory that rows take when they go into files, at the latest; default 128.")
    private String closeMebibytes;

    @Option(
            names = "--ingest-memory",
            paramLabel = "MIB",
            description = "Memory that rows may take which are in no file; senders wait then; default 512.")
    private String memoryMebibytes;

    @Option(
            names = "--merge-below",
            paramLabel = "MIB",
            description = "Files below this are merged with others of their hour; 0: none are; default 64.")
    private String mergeMebibytes;

    @Option(
            names = "--retention",
            paramLabel = "TIME",
            description = "Folders of days that are older go, such as 30d; default: none do.")
    private String retention;

    @Option(
            names = "--resend-window",
            paramLabel = "TIME",
            description = "How long a chunk that is sent again is known; default 30m.")
    private String resendWindow;

    /// A configuration with what the options say.
    ///
    /// - Errors: [ParameterException] for a value out of range.
    ServerConfig applyTo(ServerConfig before) {
        ServerConfig config = before;
        try {
            config = EngineOptions.with(
                    config, ServerSetting.INGEST, "--ingest", addresses.isEmpty() ? null : String.join(",", addresses));
            config = EngineOptions.with(
                    config, ServerSetting.INGEST_ROUTES, "--route", routes.isEmpty() ? null : String.join(" ", routes));
            config = EngineOptions.with(config, ServerSetting.INGEST_TABLES, "--event-tables", tables);
            config = EngineOptions.with(config, ServerSetting.INGEST_KEY_FILE, "--ingest-key-file", keyFile);
            config = EngineOptions.with(config, ServerSetting.INGEST_TLS_CERT, "--ingest-tls-cert", certificate);
            config = EngineOptions.with(config, ServerSetting.INGEST_TLS_KEY, "--ingest-tls-key", privateKey);
            config = EngineOptions.with(
                    config, ServerSetting.INGEST_INSECURE, "--ingest-insecure", insecure ? "on" : null);
            config = EngineOptions.with(
                    config,
                    ServerSetting.INGEST_CLOSE_AFTER,
                    "--close-after",
                    closeAfter == null
                            ? null
                            : duration("--close-after", closeAfter).toMillis());
            config = EngineOptions.with(config, ServerSetting.INGEST_CLOSE_SIZE, "--close-size", closeMebibytes);
            config = EngineOptions.with(config, ServerSetting.INGEST_MEMORY, "--ingest-memory", memoryMebibytes);
            config = EngineOptions.with(config, ServerSetting.INGEST_MERGE_BELOW, "--merge-below", mergeMebibytes);
            config = EngineOptions.with(
                    config,
                    ServerSetting.INGEST_RETENTION,
                    "--retention",
                    retention == null
                            ? null
                            : duration("--retention", retention).toSeconds());
            config = EngineOptions.with(
                    config,
                    ServerSetting.INGEST_RESEND_WINDOW,
                    "--resend-window",
                    resendWindow == null
                            ? null
                            : duration("--resend-window", resendWindow).toSeconds());
            return config;
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(spec.commandLine(), wrong.getMessage());
        }
    }

    /// Opens a dataset for events, if there are to be any.
    ///
    /// - Errors: [CommandFailure] for settings that do not go together.
    ///
    /// @param always whether there are, by the forward protocol's port where nothing is said
    static IngestService open(ServerConfig config, Path root, boolean always) throws IOException {
        String said = config.text(ServerSetting.INGEST);
        if (said.isEmpty() && !always) {
            return new IngestService(null, null);
        }
        ReceiverConfig receiver = receiver(config, List.of((said.isEmpty() ? FORWARD : said).split(",", -1)));
        if (receiver.exposure() != null && !config.isOn(ServerSetting.INGEST_INSECURE)) {
            throw new CommandFailure(receiver.exposure()
                    + ": --ingest-key-file, --ingest-tls-cert and --ingest-tls-key (or" + " --ingest-insecure)");
        }
        return new IngestService(Ingest.open(ingest(config, root)), receiver);
    }

    private static ReceiverConfig receiver(ServerConfig config, List<String> addresses) throws IOException {
        InetSocketAddress forward = null;
        InetSocketAddress http = null;
        for (String each : addresses) {
            Matcher parts = ADDRESS.matcher(each.strip());
            if (!parts.matches() || Integer.parseInt(parts.group(3)) > 65535) {
                throw new CommandFailure("ingest is forward=[HOST:]PORT or http=[HOST:]PORT, not \"" + each + "\"");
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
        String routes = config.text(ServerSetting.INGEST_ROUTES).strip();
        try {
            return new ReceiverConfig(
                    forward,
                    http,
                    Routes.of(routes.isEmpty() ? List.of() : List.of(routes.split("\\s+"))),
                    key(config),
                    path(config, ServerSetting.INGEST_TLS_CERT),
                    path(config, ServerSetting.INGEST_TLS_KEY),
                    ReceiverConfig.MOST_BYTES,
                    ReceiverConfig.MOST_CONNECTIONS);
        } catch (IllegalArgumentException wrong) {
            throw new CommandFailure(wrong.getMessage(), wrong);
        }
    }

    private static Path path(ServerConfig config, ServerSetting setting) {
        String text = config.text(setting);
        return text.isEmpty() ? null : Path.of(text);
    }

    private static String key(ServerConfig config) throws IOException {
        Path file = path(config, ServerSetting.INGEST_KEY_FILE);
        if (file == null) {
            return null;
        }
        String key = Files.readString(file).lines().findFirst().orElse("").strip();
        if (key.isEmpty()) {
            throw new CommandFailure(file + ": its first line is no key");
        }
        return key;
    }

    private static IngestConfig ingest(ServerConfig config, Path root) throws IOException {
        long memoryBytes = config.number(ServerSetting.INGEST_MEMORY) * MEBIBYTE;
        Duration kept = config.seconds(ServerSetting.INGEST_RETENTION);
        return new IngestConfig(
                root,
                declared(path(config, ServerSetting.INGEST_TABLES)),
                Duration.ofMillis(config.number(ServerSetting.INGEST_CLOSE_AFTER)),
                Math.min(config.number(ServerSetting.INGEST_CLOSE_SIZE) * MEBIBYTE, memoryBytes / 4),
                memoryBytes,
                Math.max(8 * MEBIBYTE, memoryBytes / 8),
                config.seconds(ServerSetting.INGEST_RESEND_WINDOW),
                config.number(ServerSetting.INGEST_MERGE_BELOW) * MEBIBYTE,
                kept.isZero() ? null : kept,
                IngestConfig.MOST_TABLES,
                IngestConfig.MOST_COLUMNS);
    }

    private static Map<String, List<Field>> declared(Path tables) throws IOException {
        if (tables == null) {
            return Map.of();
        }
        String text = Files.readString(tables);
        try {
            return TableDeclarations.read(text);
        } catch (QueryException wrong) {
            throw new CommandFailure(tables + ": " + ErrorText.of(wrong, text), wrong);
        }
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
