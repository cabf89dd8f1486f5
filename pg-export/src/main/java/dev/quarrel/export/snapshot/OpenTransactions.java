package dev.quarrel.export.snapshot;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// What was running in a database just before a snapshot of it was taken: rows of these come later, with the times at
/// which they began.
///
/// @param oldest when the oldest one began, or the moment of the look if there was none; a timestamptz in UTC
/// @param age how long before the look that was, an interval
/// @param isKnown whether every one was seen
/// @param doubt why not, for people; null where all is known
record OpenTransactions(String oldest, String age, boolean isKnown, String doubt) {
    /// Looks, in no transaction.
    static OpenTransactions look(Connection connection) throws SQLException {
        if (ExportSnapshot.single(connection, "SELECT pg_is_in_recovery()").equals("t")) {
            return new OpenTransactions(
                    ExportSnapshot.single(connection, "SELECT clock_timestamp()::text"),
                    "0",
                    true,
                    "the server is a standby, where the primary's open transactions are not seen");
        }
        // Nobody but its owner and pg_read_all_stats sees since when a session's transaction is open.
        String sql = """
                SELECT least(min(xact_start), clock_timestamp())::text,
                       (clock_timestamp() - least(min(xact_start), clock_timestamp()))::text,
                       count(*) FILTER (WHERE xact_start IS NULL AND coalesce(state, 'disabled') = 'disabled'),
                       (SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database())
                FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                    AND coalesce(backend_type, 'client backend') IN ('client backend', 'background worker')""";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            int hidden = rows.getInt(3);
            int prepared = rows.getInt(4);
            String doubt = prepared > 0
                    ? prepared + " prepared transactions are open, and nobody knows since when"
                    : hidden > 0
                            ? "this role does not see since when the transactions of " + hidden
                                    + " other sessions are open (pg_read_all_stats would)"
                            : null;
            return new OpenTransactions(rows.getString(1), rows.getString(2), prepared == 0, doubt);
        }
    }
}
