package dev.quarrel.export.copy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/// The server that a [SocketCopyConnection] connects to, and its user there.
///
/// @param host a name, an address, or the folder of a Unix-domain socket, which begins with a slash
/// @param password null where none is known
/// @param properties pgjdbc's names: `sslmode`, `ApplicationName`, …
public record CopyTarget(
        String host, int port, String database, String user, String password, Map<String, String> properties) {
    private static final Set<String> KNOWN =
            Set.of("ApplicationName", "connectTimeout", "options", "sslmode", "sslrootcert", "tcpKeepAlive");
    private static final int DEFAULT_CONNECT_SECONDS = 30;

    /// libpq's `sslmode`.
    enum SslMode {
        DISABLE("disable"),
        PREFER("prefer"),
        REQUIRE("require"),
        VERIFY_CA("verify-ca"),
        VERIFY_FULL("verify-full");

        private final String text;

        SslMode(String text) {
            this.text = text;
        }

        static SslMode of(String text) {
            for (SslMode mode : values()) {
                if (mode.text.equalsIgnoreCase(text)) {
                    return mode;
                }
            }
            return null;
        }
    }

    public CopyTarget {
        properties = Map.copyOf(properties);
    }

    /// Where PostgreSQL's Unix-domain socket is in `folder`.
    public static Path socket(String folder, int port) {
        return Path.of(folder, ".s.PGSQL." + port);
    }

    /// Whether `host` is the folder of a Unix-domain socket.
    public static boolean isSocketFolder(String host) {
        return host.startsWith("/");
    }

    boolean isUnix() {
        return isSocketFolder(host);
    }

    /// Whether all settings are such that this reader knows them; others are pgjdbc's to know.
    public boolean isPlain() {
        return KNOWN.containsAll(properties.keySet())
                && sslMode() != null
                && connectSeconds() >= 0
                && (sslMode() == SslMode.DISABLE || !Files.exists(inHome("postgresql.crt")));
    }

    /// A file that libpq looks for: the certificate that a client shows, and those it trusts.
    static Path inHome(String name) {
        return Path.of(System.getProperty("user.home", "/"), ".postgresql", name);
    }

    SslMode sslMode() {
        return SslMode.of(property("sslmode", "prefer"));
    }

    String property(String name, String usual) {
        return properties.getOrDefault(name, usual);
    }

    int connectSeconds() {
        try {
            return Integer.parseInt(property("connectTimeout", Integer.toString(DEFAULT_CONNECT_SECONDS)));
        } catch (NumberFormatException _) {
            return -1;
        }
    }

    /// Connects and logs in.
    ///
    /// @return null where the server asks for something that is pgjdbc's to know
    public SocketCopyConnection connect() throws SQLException {
        return SocketCopyConnection.open(this);
    }

    /// Without the password.
    @Override
    public String toString() {
        return user + "@" + host + ":" + port + "/" + database;
    }
}
