package dev.quarrel.server.config;

import java.util.List;

/// The settings of a server, one constant each; docs/reference.md lists them.
public enum ServerSetting {
    HOST("host", "address", "127.0.0.1", "the address to listen on; beyond loopback only with a users file"),
    PORT("port", "port", "5433", 0, 65_535, "the port to listen on; 0 takes a free one"),
    USERS_FILE(
            "users_file", "path", "", "users as name:verifier a line; without it everybody on this machine may log in"),
    TLS(
            "tls",
            "",
            List.of("", "off", "on", "required"),
            "whether clients may use TLS (on), must (required) or cannot (off); on where tls_cert is set"),
    TLS_CERT("tls_cert", "path", "", "the server's certificate and those between it and its root, as PEM"),
    TLS_KEY("tls_key", "path", "", "the certificate's private key, as PEM (PKCS #8, without a password)"),
    TLS_CLIENT_CA(
            "tls_client_ca",
            "path",
            "",
            "clients must have a certificate that one in this PEM file signed; with tls=required only"),
    TLS_MIN_VERSION("tls_min_version", "1.2", List.of("1.2", "1.3"), "the oldest version of TLS that is spoken"),
    MAX_CONNECTIONS(
            "max_connections", "connections", "100", 1, 100_000, "sessions at one time; the next one gets 53300"),
    AUTHENTICATION_TIMEOUT("authentication_timeout", "s", "60", 1, 600, "time from connecting to being logged in"),
    MAX_MESSAGE_BYTES(
            "max_message_bytes", "bytes", "16777216", 16_384, 1 << 30, "the largest Query, Parse or Bind message"),
    MAX_PREPARED(
            "max_prepared",
            "objects",
            "10000",
            1,
            1_000_000,
            "prepared statements, and portals, that one session may hold"),
    SHUTDOWN_TIMEOUT("shutdown_timeout", "s", "10", 0, 3600, "time that running statements get when the server stops");

    private final String settingName;
    private final String unit;
    private final String defaultText;
    private final boolean isNumber;
    private final long min;
    private final long max;
    private final List<String> words;
    private final String description;

    ServerSetting(String settingName, String unit, String defaultText, String description) {
        this(settingName, unit, defaultText, false, 0, 0, List.of(), description);
    }

    ServerSetting(String settingName, String defaultText, List<String> words, String description) {
        this(settingName, "word", defaultText, false, 0, 0, words, description);
    }

    ServerSetting(String settingName, String unit, String defaultText, long min, long max, String description) {
        this(settingName, unit, defaultText, true, min, max, List.of(), description);
    }

    ServerSetting(
            String settingName,
            String unit,
            String defaultText,
            boolean isNumber,
            long min,
            long max,
            List<String> words,
            String description) {
        this.settingName = settingName;
        this.unit = unit;
        this.defaultText = defaultText;
        this.isNumber = isNumber;
        this.min = min;
        this.max = max;
        this.words = words;
        this.description = description;
    }

    public String settingName() {
        return settingName;
    }

    public String defaultText() {
        return defaultText;
    }

    public String description() {
        return description;
    }

    /// - Errors: [IllegalArgumentException] saying name, value and range.
    void check(String value) {
        if (!words.isEmpty() && !words.contains(value)) {
            throw new IllegalArgumentException(settingName + " is one of "
                    + String.join(
                            ", ", words.stream().filter(word -> !word.isEmpty()).toList()) + ", not \"" + value
                    + "\"");
        }
        if (!isNumber) {
            return;
        }
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return;
            }
        } catch (NumberFormatException noNumber) {
            // told below, as a number out of range is
        }
        throw new IllegalArgumentException(
                settingName + " is " + min + " to " + max + " " + unit + ", not \"" + value + "\"");
    }
}
