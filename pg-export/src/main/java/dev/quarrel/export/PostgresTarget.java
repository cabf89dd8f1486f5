package dev.quarrel.export;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.copy.CopyConnection;
import dev.quarrel.export.copy.CopyTarget;
import dev.quarrel.export.copy.JdbcCopyConnection;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.postgresql.jdbcurlresolver.PgPassParser;

/// Where PostgreSQL is and who asks: read from `postgresql://user@host:port/database?option=value`, or from pgjdbc's
/// `jdbc:postgresql:` form.
///
/// What the URL leaves out comes from `PGHOST`, `PGPORT`, `PGUSER`, `PGDATABASE` and `PGSSLMODE`; a password from the
/// URL, [#withPassword], `PGPASSWORD`, or the password file (`PGPASSFILE`, else `~/.pgpass`), in that order.
/// `toString` never shows it.
public final class PostgresTarget {
    /// A system property: reads by pgjdbc alone, as the oracle of our own reader.
    private static final String BY_DRIVER = "quarrel.export.pgjdbc";

    private static final Map<String, String> PARAMETERS = Map.of(
            "application_name", "ApplicationName",
            "connect_timeout", "connectTimeout",
            "sslrootcert", "sslrootcert",
            "sslcert", "sslcert",
            "sslkey", "sslkey",
            "sslmode", "sslmode",
            "options", "options");

    private final String host;
    private final int port;
    private final String database;
    private final String user;
    private final String password;
    private final Map<String, String> properties;

    private PostgresTarget(
            String host, int port, String database, String user, String password, Map<String, String> properties) {
        this.host = host;
        this.port = port;
        this.database = database;
        this.user = user;
        this.password = password;
        this.properties = Map.copyOf(properties);
    }

    /// - Errors: `QueryException` 22023 for a URL that is no such address, without repeating it (it may hold a
    ///   password).
    public static PostgresTarget parse(String url) {
        return parse(url, System.getenv());
    }

    static PostgresTarget parse(String url, Map<String, String> environment) {
        String rest = url.startsWith("jdbc:") ? url.substring(5) : url;
        if (!rest.startsWith("postgresql:") && !rest.startsWith("postgres:")) {
            throw invalid("it does not begin with postgresql://");
        }
        rest = rest.substring(rest.indexOf(':') + 1);
        Map<String, String> parameters = new LinkedHashMap<>();
        int question = rest.indexOf('?');
        if (question >= 0) {
            for (String pair : rest.substring(question + 1).split("&")) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    parameters.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
                }
            }
            rest = rest.substring(0, question);
        }
        String authority = "";
        String path = rest;
        if (rest.startsWith("//")) {
            int slash = rest.indexOf('/', 2);
            authority = rest.substring(2, slash < 0 ? rest.length() : slash);
            path = slash < 0 ? "" : rest.substring(slash + 1);
        }
        int at = authority.lastIndexOf('@');
        String login = at < 0 ? "" : authority.substring(0, at);
        String address = authority.substring(at + 1);
        int colon = login.indexOf(':');
        String user = decoded(colon < 0 ? login : login.substring(0, colon));
        String password = colon < 0 ? null : decoded(login.substring(colon + 1));
        if (address.contains(",")) {
            throw invalid("it names several hosts; give one");
        }
        int portColon = address.startsWith("[") ? address.indexOf(':', address.indexOf(']')) : address.indexOf(':');
        String host = decoded(portColon < 0 ? address : address.substring(0, portColon));
        String port = portColon < 0 ? "" : address.substring(portColon + 1);
        host = chosen(parameters.remove("host"), host, environment.get("PGHOST"), "localhost");
        if (host.startsWith("/")) {
            throw invalid("it names a Unix-domain socket; give a host that listens on TCP, such as localhost");
        }
        port = chosen(parameters.remove("port"), port, environment.get("PGPORT"), "5432");
        user = chosen(
                parameters.remove("user"),
                user,
                environment.get("PGUSER"),
                System.getProperty("user.name", "postgres"));
        String database = chosen(parameters.remove("dbname"), decoded(path), environment.get("PGDATABASE"), user);
        String inQuery = parameters.remove("password");
        password = inQuery != null ? inQuery : password != null ? password : environment.get("PGPASSWORD");
        if (environment.containsKey("PGSSLMODE")) {
            parameters.putIfAbsent("sslmode", environment.get("PGSSLMODE"));
        }
        Map<String, String> properties = new LinkedHashMap<>();
        parameters.forEach((name, value) -> properties.put(PARAMETERS.getOrDefault(name, name), value));
        try {
            int number = Integer.parseInt(port);
            if (number < 1 || number > 65_535) {
                throw invalid("its port is " + number);
            }
            return new PostgresTarget(host, number, database, user, password, properties);
        } catch (NumberFormatException _) {
            throw invalid("its port is no number");
        }
    }

    private static String chosen(String first, String second, String third, String fallback) {
        if (first != null && !first.isEmpty()) {
            return first;
        }
        if (second != null && !second.isEmpty()) {
            return second;
        }
        return third != null && !third.isEmpty() ? third : fallback;
    }

    private static String decoded(String text) {
        try {
            // URLDecoder is for forms, where + is a blank; in a URI it is itself.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            throw invalid("it has a broken % escape");
        }
    }

    private static QueryException invalid(String why) {
        return new QueryException(SqlState.INVALID_PARAMETER_VALUE, "invalid connection URL: " + why)
                .withHint("write postgresql://user@host:port/database");
    }

    /// The same address with a password that was asked for elsewhere.
    public PostgresTarget withPassword(String newPassword) {
        return new PostgresTarget(host, port, database, user, newPassword, properties);
    }

    /// Whether a password is known; if not, the password file may still have one.
    public boolean hasPassword() {
        return password != null;
    }

    public String user() {
        return user;
    }

    public String database() {
        return database;
    }

    /// The address without password and options: `postgresql://user@host:port/database`.
    @Override
    public String toString() {
        return "postgresql://" + user + "@" + host + ":" + port + "/" + database;
    }

    /// Opens a connection; the caller closes it.
    ///
    /// - Errors: `QueryException` with the server's SQLSTATE where it is one of ours, else 08006; no message holds
    ///   the password.
    public Connection connect() {
        Properties all = new Properties();
        all.putAll(properties);
        all.setProperty("user", user);
        if (password != null) {
            all.setProperty("password", password);
        }
        all.putIfAbsent("ApplicationName", "quarrel-export");
        // A dead network must not hang an export for ever; a slow server may.
        all.putIfAbsent("tcpKeepAlive", "true");
        all.putIfAbsent("connectTimeout", "30");
        String name = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        try {
            Connection connection = new org.postgresql.Driver()
                    .connect("jdbc:postgresql://" + name + ":" + port + "/" + encoded(database), all);
            if (connection == null) {
                throw invalid("pgjdbc does not take it");
            }
            return connection;
        } catch (SQLException failure) {
            throw ServerError.of("could not connect to " + this, failure);
        }
    }

    /// Opens a connection that reads COPY streams: our own where it knows all that is asked of it, else pgjdbc's. The
    /// caller closes it.
    ///
    /// - Errors: as `connect`.
    public CopyConnection connectReader() {
        String plainHost = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        String secret = password != null
                ? password
                : PgPassParser.getPassword(plainHost, Integer.toString(port), database, user);
        CopyTarget target = new CopyTarget(plainHost, port, database, user, secret, properties);
        try {
            CopyConnection own = target.isPlain() && !Boolean.getBoolean(BY_DRIVER) ? target.connect() : null;
            return own == null ? new JdbcCopyConnection(connect()) : own;
        } catch (SQLException failure) {
            throw ServerError.of("could not connect to " + this, failure);
        }
    }

    private static String encoded(String database) {
        return java.net.URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
