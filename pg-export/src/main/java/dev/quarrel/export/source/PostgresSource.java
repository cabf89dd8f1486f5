package dev.quarrel.export.source;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.copy.CopyConnection;
import dev.quarrel.export.copy.CopyTarget;
import dev.quarrel.export.copy.JdbcCopyConnection;
import dev.quarrel.export.copy.UnixSocketFactory;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.util.HostSpec;

/// The address of a PostgreSQL server and its user, found as psql finds them.
///
/// Read from a URI (`postgresql://user@host:port/database?option=value`, also in pgjdbc's `jdbc:` form), from
/// `host=… dbname=…`, or from the name of a database; what that leaves out comes from the service that it or
/// `PGSERVICE` names, then from the environment (`PGHOST`, `PGPORT`, …), then from libpq's defaults. A password comes
/// from the text, [#withPassword], `PGPASSWORD`, or the password file, in that order. `toString` never shows it.
///
/// Without a host it is the server's Unix-domain socket, where one is in one of the usual folders, and otherwise
/// localhost by TCP. One thing differs from libpq: of the options that have no counterpart in pgjdbc those that would
/// make the connection safer are refused, and the others ignored.
public final class PostgresSource implements ExportSource {
    /// A system property: reads by pgjdbc alone, as the oracle of our own reader.
    private static final String BY_DRIVER = "quarrel.export.pgjdbc";

    private static final Map<String, String> ENVIRONMENT = Map.ofEntries(
            Map.entry("PGHOST", "host"),
            Map.entry("PGHOSTADDR", "hostaddr"),
            Map.entry("PGPORT", "port"),
            Map.entry("PGDATABASE", "dbname"),
            Map.entry("PGUSER", "user"),
            Map.entry("PGPASSWORD", "password"),
            Map.entry("PGPASSFILE", "passfile"),
            Map.entry("PGOPTIONS", "options"),
            Map.entry("PGAPPNAME", "application_name"),
            Map.entry("PGCONNECT_TIMEOUT", "connect_timeout"),
            Map.entry("PGSSLMODE", "sslmode"),
            Map.entry("PGSSLNEGOTIATION", "sslnegotiation"),
            Map.entry("PGSSLROOTCERT", "sslrootcert"),
            Map.entry("PGSSLCERT", "sslcert"),
            Map.entry("PGSSLKEY", "sslkey"),
            Map.entry("PGSSLCRL", "sslcrl"),
            Map.entry("PGSSLCRLDIR", "sslcrldir"),
            Map.entry("PGSSLMINPROTOCOLVERSION", "ssl_min_protocol_version"),
            Map.entry("PGSSLMAXPROTOCOLVERSION", "ssl_max_protocol_version"),
            Map.entry("PGREQUIREPEER", "requirepeer"),
            Map.entry("PGREQUIREAUTH", "require_auth"),
            Map.entry("PGCHANNELBINDING", "channel_binding"),
            Map.entry("PGGSSENCMODE", "gssencmode"),
            Map.entry("PGKRBSRVNAME", "krbsrvname"),
            Map.entry("PGTARGETSESSIONATTRS", "target_session_attrs"),
            Map.entry("PGLOADBALANCEHOSTS", "load_balance_hosts"));

    // libpq's keywords and pgjdbc's properties.
    private static final Map<String, String> PROPERTIES = Map.ofEntries(
            Map.entry("application_name", "ApplicationName"),
            Map.entry("connect_timeout", "connectTimeout"),
            Map.entry("sslmode", "sslmode"),
            Map.entry("sslnegotiation", "sslNegotiation"),
            Map.entry("sslrootcert", "sslrootcert"),
            Map.entry("sslcert", "sslcert"),
            Map.entry("sslkey", "sslkey"),
            Map.entry("sslpassword", "sslpassword"),
            Map.entry("options", "options"),
            Map.entry("channel_binding", "channelBinding"),
            Map.entry("require_auth", "requireAuth"),
            Map.entry("gssencmode", "gssEncMode"),
            Map.entry("krbsrvname", "kerberosServerName"));

    private static final Map<String, String> SERVER_TYPES = Map.of(
            "any", "any",
            "read-write", "primary",
            "primary", "primary",
            "read-only", "secondary",
            "standby", "secondary",
            "prefer-standby", "preferSecondary");

    // What libpq knows and pgjdbc does not, and an export is the same without.
    private static final Set<String> IGNORED = Set.of(
            "client_encoding",
            "fallback_application_name",
            "keepalives_idle",
            "keepalives_interval",
            "keepalives_count",
            "tcp_user_timeout",
            "sslcompression",
            "sslsni",
            "gsslib",
            "gssdelegation",
            "min_protocol_version",
            "max_protocol_version");

    // What nobody asks for who could do without.
    private static final Set<String> REFUSED = Set.of(
            "sslcrl",
            "sslcrldir",
            "sslcertmode",
            "requirepeer",
            "ssl_min_protocol_version",
            "ssl_max_protocol_version",
            "requiressl",
            "replication");

    // Where packages of PostgreSQL have their sockets; not /tmp, its own default, where everybody may make files.
    private static final List<String> SOCKET_FOLDERS = List.of("/var/run/postgresql", "/run/postgresql");

    private final List<HostSpec> hosts;
    private final String database;
    private final String user;
    private final String password;
    private final Map<String, String> properties;
    private final List<String> warnings;

    private PostgresSource(
            List<HostSpec> hosts,
            String database,
            String user,
            String password,
            Map<String, String> properties,
            List<String> warnings) {
        this.hosts = List.copyOf(hosts);
        this.database = database;
        this.user = user;
        this.password = password;
        this.properties = Map.copyOf(properties);
        this.warnings = List.copyOf(warnings);
    }

    /// - Errors: `QueryException` 22023 for what is no such text, without repeating it (it may hold a password).
    ///
    /// @param text empty for what the environment says
    public static PostgresSource parse(String text) {
        return parse(text, System.getenv(), Path.of(System.getProperty("user.home", "/")));
    }

    /// Whether the environment names a database or a service, so that nothing else need be said.
    public static boolean isInEnvironment() {
        return List.of("PGDATABASE", "PGSERVICE").stream()
                .anyMatch(name -> !System.getenv().getOrDefault(name, "").isEmpty());
    }

    public static PostgresSource parse(String text, Map<String, String> environment, Path home) {
        Map<String, String> found = Conninfo.parse(text);
        String service = found.remove("service");
        if (service == null) {
            service = environment.get("PGSERVICE");
        }
        if (service != null && !service.isEmpty()) {
            ServiceFile.find(service, environment, home).forEach(found::putIfAbsent);
        }
        ENVIRONMENT.forEach((variable, keyword) -> {
            String value = environment.get(variable);
            if (value != null && !value.isEmpty()) {
                found.putIfAbsent(keyword, value);
            }
        });
        List<HostSpec> hosts = hosts(found);
        String user = taken(found, "user", System.getProperty("user.name", "postgres"));
        String database = taken(found, "dbname", user);
        String passwordFile = taken(found, "passfile", home.resolve(".pgpass").toString());
        String password = found.remove("password");
        Set<String> warnings = new LinkedHashSet<>();
        if (password == null || password.isEmpty()) {
            PasswordFile file = new PasswordFile(Path.of(passwordFile));
            password = hosts.stream()
                    .map(host -> file.find(passwordHost(host), host.getPort(), database, user, warnings::add))
                    .filter(line -> line != null && !line.isEmpty())
                    .findFirst()
                    .orElse(null);
        }
        return new PostgresSource(hosts, database, user, password, properties(found), List.copyOf(warnings));
    }

    /// What the password file calls a host: the socket in its usual folder is localhost there.
    private static String passwordHost(HostSpec host) {
        return SOCKET_FOLDERS.contains(host.getHost()) ? "localhost" : host.getHost();
    }

    private static String taken(Map<String, String> found, String keyword, String usual) {
        String value = found.remove(keyword);
        return value == null || value.isEmpty() ? usual : value;
    }

    private static List<HostSpec> hosts(Map<String, String> found) {
        String addresses = found.remove("hostaddr");
        String names = taken(found, "host", "");
        String[] hosts = (addresses == null || addresses.isEmpty() ? names : addresses).split(",", -1);
        String[] ports = taken(found, "port", "5432").split(",", -1);
        if (ports.length > 1 && ports.length != hosts.length) {
            throw Conninfo.invalid("it has " + hosts.length + " hosts and " + ports.length + " ports");
        }
        List<HostSpec> specs = new ArrayList<>();
        for (int index = 0; index < hosts.length; index++) {
            String port = ports[ports.length == 1 ? 0 : index].strip();
            try {
                int number = port.isEmpty() ? 5432 : Integer.parseInt(port);
                if (number < 1 || number > 65_535) {
                    throw Conninfo.invalid("its port is " + number);
                }
                String host = hosts[index].isEmpty() ? usualHost(number) : hosts[index];
                if (host.startsWith("@")) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "sockets in the abstract namespace are not supported");
                }
                if (CopyTarget.isSocketFolder(host) && hosts.length > 1) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "a Unix-domain socket beside other hosts is not supported");
                }
                specs.add(new HostSpec(host, number));
            } catch (NumberFormatException _) {
                throw Conninfo.invalid("its port is no number");
            }
        }
        return specs;
    }

    private static String usualHost(int port) {
        for (String folder : SOCKET_FOLDERS) {
            if (Files.exists(CopyTarget.socket(folder, port))) {
                return folder;
            }
        }
        return "localhost";
    }

    private static Map<String, String> properties(Map<String, String> found) {
        Map<String, String> properties = new LinkedHashMap<>();
        found.forEach((keyword, value) -> {
            String property = PROPERTIES.getOrDefault(keyword, keyword);
            if (REFUSED.contains(keyword)) {
                throw unsupported(keyword);
            } else if (keyword.equals("target_session_attrs")) {
                String type = SERVER_TYPES.get(value);
                if (type == null) {
                    throw Conninfo.invalid("invalid target_session_attrs value: " + value);
                }
                properties.put("targetServerType", type);
            } else if (keyword.equals("load_balance_hosts")) {
                properties.put("loadBalanceHosts", Boolean.toString(value.equals("random")));
            } else if (keyword.equals("keepalives")) {
                properties.put("tcpKeepAlive", Boolean.toString(!value.equals("0")));
            } else if (keyword.equals("sslrootcert") && value.equals("system")) {
                // The JVM's certificates are the system's.
                properties.put("sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory");
                properties.putIfAbsent("sslmode", "verify-full");
            } else if (PGProperty.forName(property) != null) {
                properties.put(property, value);
            } else if (PROPERTIES.containsKey(keyword)) {
                throw unsupported(keyword);
            } else if (!IGNORED.contains(keyword)) {
                throw Conninfo.invalid("invalid connection option \"" + keyword + "\"");
            }
        });
        return properties;
    }

    private static QueryException unsupported(String keyword) {
        return new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "connection option " + keyword + " is not supported");
    }

    /// The same address with a password that was asked for elsewhere.
    @Override
    public PostgresSource withPassword(String newPassword) {
        return new PostgresSource(hosts, database, user, newPassword, properties, warnings);
    }

    /// The same address, but of several hosts the one alone that answers first and will do: a snapshot is one server's.
    public PostgresSource pinned() {
        if (hosts.size() == 1) {
            return this;
        }
        try (Connection connection = connect()) {
            HostSpec host =
                    connection.unwrap(PgConnection.class).getQueryExecutor().getHostSpec();
            Map<String, String> others = new LinkedHashMap<>(properties);
            others.remove("targetServerType");
            others.remove("loadBalanceHosts");
            return new PostgresSource(List.of(host), database, user, password, others, warnings);
        } catch (SQLException failure) {
            throw ServerError.of("could not tell where the connection goes", failure);
        }
    }

    /// Whether a password is known.
    public boolean hasPassword() {
        return password != null;
    }

    public String user() {
        return user;
    }

    public String database() {
        return database;
    }

    /// What people should know of how the address was found; for example, of a password file that was not used.
    @Override
    public List<String> warnings() {
        return warnings;
    }

    /// The address without password and options: `postgresql://user@host:port/database`.
    @Override
    public String toString() {
        return "postgresql://" + user + "@" + authority() + "/" + database;
    }

    private String authority() {
        return hosts.stream()
                .map(host -> {
                    boolean isIpv6 = host.getHost().contains(":");
                    // As libpq writes a folder in a URI.
                    String name = host.getHost().replace("/", "%2F");
                    return (isIpv6 ? "[" + name + "]" : name) + ":" + host.getPort();
                })
                .collect(Collectors.joining(","));
    }

    /// Opens a connection; the caller closes it.
    ///
    /// - Errors: `QueryException` with the server's SQLSTATE where it is one of ours, else 08006; no message holds
    ///   the password.
    public Connection connect() {
        Properties all = new Properties();
        all.putAll(properties);
        all.setProperty("user", user);
        // Otherwise the driver would read the password file once more, by rules of its own.
        all.setProperty("password", password == null ? "" : password);
        all.putIfAbsent("ApplicationName", "quarrel-export");
        // A dead network must not hang an export for ever; a slow server may.
        all.putIfAbsent("tcpKeepAlive", "true");
        all.putIfAbsent("connectTimeout", "30");
        String authority = authority();
        HostSpec first = hosts.getFirst();
        if (CopyTarget.isSocketFolder(first.getHost())) {
            authority = "localhost"; // the driver wants a name
            all.setProperty("socketFactory", UnixSocketFactory.class.getName());
            all.setProperty(
                    "socketFactoryArg",
                    CopyTarget.socket(first.getHost(), first.getPort()).toString());
            all.setProperty("sslmode", "disable");
            all.setProperty("gssEncMode", "disable");
        }
        try {
            Connection connection = new org.postgresql.Driver()
                    .connect("jdbc:postgresql://" + authority + "/" + encoded(database), all);
            if (connection == null) {
                throw Conninfo.invalid("pgjdbc does not take it");
            }
            return connection;
        } catch (SQLException failure) {
            throw failed(failure);
        }
    }

    /// Ends what a connection is about, and cuts it off. Any thread.
    public static void cutOff(Connection connection) {
        try {
            // A server that waits for a lock does not look whether anybody waits for it.
            connection.unwrap(PGConnection.class).cancelQuery();
        } catch (SQLException _) {
            // It is cut off in any case.
        }
        try {
            connection.abort(Runnable::run);
        } catch (SQLException _) {
            // It is cut off already.
        }
    }

    private QueryException failed(SQLException failure) {
        QueryException error = ServerError.of("could not connect to " + this, failure);
        // Of all that the server or the driver may refuse (the database, encryption, an address) a password mends one.
        boolean isForPassword = "28P01".equals(failure.getSQLState())
                || String.valueOf(failure.getMessage()).contains("password");
        if (password != null || !isForPassword) {
            return error;
        }
        return error.withHint(
                warnings.isEmpty()
                        ? "a password comes from PGPASSWORD or ~/.pgpass, and there is none"
                        : String.join("; ", warnings));
    }

    /// Opens a connection that reads COPY streams: our own where it knows all that is asked of it, else pgjdbc's. The
    /// caller closes it.
    ///
    /// - Errors: as `connect`.
    public CopyConnection connectReader() {
        HostSpec host = hosts.getFirst();
        CopyTarget target = new CopyTarget(host.getHost(), host.getPort(), database, user, password, properties);
        boolean isOurs = hosts.size() == 1 && target.isPlain() && !Boolean.getBoolean(BY_DRIVER);
        try {
            CopyConnection own = isOurs ? target.connect() : null;
            return own == null ? new JdbcCopyConnection(connect()) : own;
        } catch (SQLException failure) {
            throw failed(failure);
        }
    }

    private static String encoded(String database) {
        return URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
