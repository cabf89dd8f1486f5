package dev.quarrel.server.config;

import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.SettingDefinition;
import dev.quarrel.calcite.SettingType;
import java.util.List;

/// The settings of a server's process, one constant each; docs/reference.md lists them. They stand from its start;
/// sessions show them.
public enum ServerSetting {
    DATA("data", path(), "", "the dataset's folder"),
    DATABASES(
            "databases",
            text(),
            "",
            "further datasets, each a database: name=folder, with commas between them; where data is not said, the first"
                    + " is the one of clients who name none"),
    HOST("host", text(), "127.0.0.1", "the address to listen on; beyond loopback only with a users file"),
    PORT("port", whole(null, 0, 65_535), "5433", "the port to listen on; 0 takes a free one"),
    USERS_FILE(
            "users_file", path(), "", "users as name:verifier a line; without it everybody on this machine may log in"),
    TLS(
            "tls",
            new SettingType.Word(List.of("", "off", "on", "required")),
            "",
            "whether clients may use TLS (on), must (required) or cannot (off); on where tls_cert is set"),
    TLS_CERT("tls_cert", path(), "", "the server's certificate and those between it and its root, as PEM"),
    TLS_KEY("tls_key", path(), "", "the certificate's private key, as PEM (PKCS #8, without a password)"),
    TLS_CLIENT_CA(
            "tls_client_ca",
            path(),
            "",
            "clients must have a certificate that one in this PEM file signed; with tls=required only"),
    TLS_MIN_VERSION(
            "tls_min_version",
            new SettingType.Word(List.of("1.2", "1.3")),
            "1.2",
            "the oldest version of TLS that is spoken"),
    MAX_CONNECTIONS("max_connections", whole(null, 1, 100_000), "100", "sessions at one time; the next one gets 53300"),
    AUTHENTICATION_TIMEOUT(
            "authentication_timeout", whole("s", 1, 600), "60", "time from connecting to being logged in"),
    MAX_MESSAGE_BYTES(
            "max_message_bytes", whole("B", 16_384, 1 << 30), "16777216", "the largest Query, Parse or Bind message"),
    MAX_PREPARED(
            "max_prepared",
            whole(null, 1, 1_000_000),
            "10000",
            "prepared statements, and portals, that one session may hold"),
    LOG_FORMAT(
            "log_format",
            new SettingType.Word(List.of("text", "json")),
            "text",
            "how events are logged, each in a line: for people, or as JSON"),
    LOG_MIN_DURATION_STATEMENT(
            "log_min_duration_statement",
            whole("ms", -1, Integer.MAX_VALUE),
            "-1",
            "statements that take so long are logged, with their text; 0 logs all, -1 none"),
    LOG_PARAMETERS(
            "log_parameters", new SettingType.Switch(), "off", "whether they are logged with their parameters' values"),
    HTTP(
            "http",
            text(),
            "",
            "a port, or an address, a colon and a port, for /metrics, /healthz and /readyz; off unless said, and"
                    + " 127.0.0.1 where no address is"),
    HTTP_HOSTS(
            "http_hosts",
            text(),
            "",
            "names that requests to the HTTP port may be for, beside localhost and addresses, with commas between them"),
    CONSOLE(
            "console",
            new SettingType.Switch(),
            "off",
            "whether the HTTP port has a web console, at /console, for the server's users on this machine"),
    SHUTDOWN_TIMEOUT(
            "shutdown_timeout", whole("s", 0, 3600), "10", "time that running statements get when the server stops"),
    THREADS(
            "threads",
            whole(null, 1, 4096),
            Integer.toString(Runtime.getRuntime().availableProcessors()),
            "workers that run queries; all cores unless said"),
    QUERY_MEMORY(
            "query_memory",
            whole("MB", 1, 1 << 24),
            mebibytes(EngineConfig.defaults().queryMemoryBytes()),
            "what one query may hold outside mapped files; half of the heap unless said"),
    TOTAL_MEMORY(
            "total_memory",
            whole("MB", 1, 1 << 24),
            mebibytes(EngineConfig.defaults().totalMemoryBytes()),
            "what all queries together may hold; two thirds of the heap unless said"),
    COLUMN_CACHE(
            "column_cache",
            whole("MB", 0, 1 << 24),
            mebibytes(EngineConfig.defaults().columnCacheBytes()),
            "what is kept of encoded columns between queries; a ninth of the heap unless said, 0 keeps nothing"),
    SPILL_FOLDER(
            "spill_folder",
            path(),
            "",
            "where queries put what their memory does not hold; the system's temporary folder unless said"),
    STATS_CACHE(
            "stats_cache",
            path(),
            "",
            "where statistics are kept of Arrow files that bring none; none makes none;"
                    + " quarrel/statistics in the user's cache folder unless said"),
    WRITABLE(
            "writable",
            new SettingType.Switch(),
            "off",
            "whether statements may name tables over files, and whatever else writes"),
    IMPORT_ROOTS(
            "import_roots",
            path(),
            "",
            "folders, with commas between them, below which statements may name files of this machine, beside the"
                    + " dataset's own"),
    TABLES(
            "tables",
            path(),
            "",
            "tables over files that lie elsewhere: name=pattern, with commas between them, of the first database"),
    INGEST(
            "ingest",
            text(),
            "",
            "where events come in: forward=[HOST:]PORT, http=[HOST:]PORT, with commas between them; nowhere unless said"),
    INGEST_ROUTES(
            "ingest_routes",
            text(),
            "",
            "tables of events whose tag is of a pattern: PATTERN=TABLE, with blanks between them; the tag, with _ for dots,"
                    + " unless said"),
    INGEST_TABLES(
            "ingest_tables",
            path(),
            "",
            "a file of CREATE TABLE statements of columns that events have; others are learned"),
    INGEST_KEY_FILE(
            "ingest_key_file", path(), "", "the shared key that senders must know, on the first line of a file"),
    INGEST_TLS_CERT("ingest_tls_cert", path(), "", "a certificate, as PEM: senders use TLS"),
    INGEST_TLS_KEY("ingest_tls_key", path(), "", "its private key, as PEM"),
    INGEST_INSECURE(
            "ingest_insecure",
            new SettingType.Switch(),
            "off",
            "whether events come from other machines without a shared key or without TLS"),
    INGEST_CLOSE_AFTER(
            "ingest_close_after",
            whole("ms", 1, Integer.MAX_VALUE),
            "60000",
            "the age at which rows of events go into files"),
    INGEST_CLOSE_SIZE(
            "ingest_close_size", whole("MB", 1, 1 << 20), "128", "memory that they take when they do, at the latest"),
    INGEST_MEMORY(
            "ingest_memory",
            whole("MB", 16, 1 << 20),
            "512",
            "memory that rows of events may take which are in no file; senders wait then"),
    INGEST_MERGE_BELOW(
            "ingest_merge_below",
            whole("MB", 0, 1 << 20),
            "64",
            "files of events below this are merged with others of their hour; 0: none are"),
    INGEST_RETENTION(
            "ingest_retention",
            whole("s", 0, Integer.MAX_VALUE),
            "0",
            "folders of events' days that are older go; 0: none do"),
    INGEST_RESEND_WINDOW(
            "ingest_resend_window",
            whole("s", 0, Integer.MAX_VALUE),
            "1800",
            "for how long a chunk of events that is sent again is known"),
    WARM_UP("warm_up", new SettingType.Switch(), "on", "whether the start does what makes first queries quick");

    /// The word of [#STATS_CACHE] for making none.
    public static final String NO_STATS = "none";

    private final SettingDefinition definition;

    ServerSetting(String name, SettingType type, String defaultText, String description) {
        this.definition = new SettingDefinition(name, type, defaultText, description, false);
    }

    private static SettingType path() {
        return new SettingType.Text(true);
    }

    private static SettingType text() {
        return new SettingType.Text(false);
    }

    private static SettingType whole(String unit, long min, long max) {
        return new SettingType.Whole(unit, min, max);
    }

    private static String mebibytes(long bytes) {
        return Long.toString(Math.max(1, bytes >> 20));
    }

    public SettingDefinition definition() {
        return definition;
    }

    public String settingName() {
        return definition.name();
    }

    public String defaultText() {
        return definition.defaultValue();
    }

    public String description() {
        return definition.description();
    }

    /// A value as it is kept: numbers in the setting's unit, switches as on or off.
    ///
    /// - Errors: [IllegalArgumentException] saying name, value and range.
    String checked(String value) {
        return switch (definition.type()) {
            case SettingType.Text _ -> value;
            case SettingType.Word(List<String> words) -> {
                if (words.contains(value)) {
                    yield value;
                }
                throw wrong(
                        "one of "
                                + String.join(
                                        ", ",
                                        words.stream()
                                                .filter(word -> !word.isEmpty())
                                                .toList()),
                        value);
            }
            case SettingType.Switch _ ->
                switch (value) {
                    case "on", "true" -> "on";
                    case "off", "false" -> "off";
                    default -> throw wrong("on or off", value);
                };
            case SettingType.Real real -> {
                try {
                    yield real.show(real.parse(value));
                } catch (IllegalArgumentException _) {
                    throw wrong(real.show(real.min()) + " to " + real.show(real.max()), value);
                }
            }
            case SettingType.Whole whole -> {
                try {
                    yield Long.toString(whole.parse(value));
                } catch (NumberFormatException _) {
                    throw wrong(
                            whole.min() + " to " + whole.max() + (whole.unit() == null ? "" : " " + whole.unit()),
                            value);
                }
            }
        };
    }

    private IllegalArgumentException wrong(String range, String value) {
        return new IllegalArgumentException(settingName() + " is " + range + ", not \"" + value + "\"");
    }

    /// A value that `checked` gave, as SHOW gives it.
    String shown(String value) {
        return definition.type() instanceof SettingType.Whole whole && !value.isEmpty()
                ? whole.show(Long.parseLong(value))
                : value;
    }
}
