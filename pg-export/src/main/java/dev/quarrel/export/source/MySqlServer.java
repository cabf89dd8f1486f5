package dev.quarrel.export.source;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/// A MySQL or MariaDB server, one of its databases, and the user that connects.
///
/// @param database the one whose tables need no database's name before theirs
/// @param password null for none
/// @param options the driver's: `sslMode`, `serverSslCert`, `connectTimeout` (milliseconds)
public record MySqlServer(
        String host, int port, String database, String user, String password, Map<String, String> options) {
    /// Others would let the server, or whoever wrote the URL, read files here or load classes.
    private static final List<String> OPTIONS = List.of("sslMode", "serverSslCert", "connectTimeout");

    public MySqlServer {
        options = Map.copyOf(options);
        for (String option : options.keySet()) {
            if (!OPTIONS.contains(option)) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "invalid connection URL: it has the option " + option + "; there are "
                                + String.join(", ", OPTIONS));
            }
        }
    }

    /// Opens a connection whose session reads moments in UTC and texts in UTF-8; the caller closes it.
    public Connection connect() {
        Properties properties = new Properties();
        properties.putAll(options);
        properties.setProperty("user", user);
        if (password != null) {
            properties.setProperty("password", password);
        }
        // Values come in their binary form; of floats the text has six digits alone.
        properties.setProperty("useServerPrepStmts", "true");
        properties.setProperty("tinyInt1isBit", "false");
        properties.setProperty("yearIsDateType", "false");
        properties.setProperty("allowLocalInfile", "false");
        String address = host.contains(":") ? "[" + host + "]" : host;
        try {
            Connection connection = new org.mariadb.jdbc.Driver()
                    .connect("jdbc:mariadb://" + address + ":" + port + "/" + database, properties);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION time_zone = '+00:00', lock_wait_timeout = 60,"
                        + " net_write_timeout = 86400, wait_timeout = 86400, sql_mode = ''");
                return connection;
            } catch (SQLException failure) {
                connection.close();
                throw failure;
            }
        } catch (SQLException failure) {
            throw MySqlError.of("could not connect to " + this, failure);
        }
    }

    /// The address without password and options: `mysql://user@host:port/database`.
    @Override
    public String toString() {
        String address = host.contains(":") ? "[" + host + "]" : host;
        return "mysql://" + user + "@" + address + ":" + port + "/" + database;
    }
}
