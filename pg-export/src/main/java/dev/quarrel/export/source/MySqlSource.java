package dev.quarrel.export.source;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The address of a MySQL or MariaDB server, and its user: `mysql://user@host:port/database?option=value`, the
/// same with `mariadb:`, or JDBC's forms of both.
///
/// A password comes from the URL, [#withPassword], `MYSQL_PWD`, or group `client` of `~/.my.cnf`, in that
/// order; so does the user, whose last choice is the one of the system.
public final class MySqlSource implements ExportSource {
    private static final int PORT = 3306;

    private final MySqlServer server;
    private final List<String> warnings;

    private MySqlSource(MySqlServer server, List<String> warnings) {
        this.server = server;
        this.warnings = List.copyOf(warnings);
    }

    static boolean isUrl(String text) {
        String rest = text.startsWith("jdbc:") ? text.substring(5) : text;
        return rest.startsWith("mysql:") || rest.startsWith("mariadb:");
    }

    public static MySqlSource parse(String url) {
        return parse(url, System.getenv(), Path.of(System.getProperty("user.home")));
    }

    public static MySqlSource parse(String url, Map<String, String> environment, Path home) {
        URI uri;
        try {
            uri = new URI(url.startsWith("jdbc:") ? url.substring(5) : url);
        } catch (URISyntaxException _) {
            throw invalid("it is no URL; characters such as # or @ in a password are written %23, %40");
        }
        if (uri.getHost() == null) {
            throw invalid("it names no host, or several");
        }
        String database = uri.getRawPath() == null
                ? ""
                : Conninfo.decoded(uri.getRawPath().replaceFirst("^/", ""));
        if (database.isEmpty()) {
            throw invalid("it names no database");
        }
        List<String> warnings = new ArrayList<>();
        Map<String, String> file = clientOptions(home.resolve(".my.cnf"), warnings);
        Map<String, String> options = new LinkedHashMap<>();
        if (uri.getRawQuery() != null) {
            for (String pair : uri.getRawQuery().split("&")) {
                int equals = pair.indexOf('=');
                if (equals <= 0) {
                    throw invalid("an option is written name=value");
                }
                options.put(Conninfo.decoded(pair.substring(0, equals)), Conninfo.decoded(pair.substring(equals + 1)));
            }
        }
        String user = options.remove("user");
        String password = options.remove("password");
        if (uri.getRawUserInfo() != null) {
            String[] login = uri.getRawUserInfo().split(":", 2);
            user = Conninfo.decoded(login[0]);
            password = login.length > 1 ? Conninfo.decoded(login[1]) : password;
        }
        if (user == null) {
            user = file.getOrDefault("user", System.getProperty("user.name", "root"));
        }
        if (password == null) {
            password = environment.getOrDefault("MYSQL_PWD", file.get("password"));
        }
        String host = uri.getHost().replaceAll("^\\[|]$", "");
        int port = uri.getPort() < 0 ? PORT : uri.getPort();
        return new MySqlSource(new MySqlServer(host, port, database, user, password, options), warnings);
    }

    /// Group `client` of an option file; a file that others may write is left unread, as MySQL's own clients do.
    private static Map<String, String> clientOptions(Path file, List<String> warnings) {
        Map<String, String> options = new HashMap<>();
        try {
            if (!Files.isReadable(file)) {
                return options;
            }
            if (Files.getFileStore(file).supportsFileAttributeView("posix")
                    && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)) {
                warnings.add(file + " is not read, since everybody may write it");
                return options;
            }
            boolean isMeant = false;
            for (String line : Files.readAllLines(file)) {
                String text = line.strip();
                if (text.startsWith("[")) {
                    isMeant = text.equals("[client]");
                } else if (isMeant && !text.startsWith("#") && text.indexOf('=') > 0) {
                    String value = text.substring(text.indexOf('=') + 1).strip();
                    boolean isQuoted = value.length() > 1
                            && (value.charAt(0) == '"' || value.charAt(0) == '\'')
                            && value.endsWith(value.substring(0, 1));
                    options.put(
                            text.substring(0, text.indexOf('=')).strip(),
                            isQuoted ? value.substring(1, value.length() - 1) : value);
                }
            }
        } catch (IOException unreadable) {
            warnings.add(file + " is not read: " + unreadable.getMessage());
        }
        return options;
    }

    private static QueryException invalid(String why) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "invalid connection URL: " + why)
                .withHint("write mysql://user@host:port/database");
    }

    @Override
    public MySqlSource withPassword(String newPassword) {
        return new MySqlSource(
                new MySqlServer(
                        server.host(), server.port(), server.database(), server.user(), newPassword, server.options()),
                warnings);
    }

    @Override
    public List<String> warnings() {
        return warnings;
    }

    public MySqlServer server() {
        return server;
    }

    @Override
    public String toString() {
        return server.toString();
    }
}
