package dev.quarrel.export.source;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.net.UnknownHostException;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// Turns PostgreSQL's errors into ours, with the same SQLSTATE, message, detail and hint.
public final class ServerError {
    private ServerError() {}

    /// @param doing what we were about, put before the server's message
    public static QueryException of(String doing, SQLException failure) {
        ServerErrorMessage server = failure instanceof PSQLException driver ? driver.getServerErrorMessage() : null;
        String message = server != null && server.getMessage() != null ? server.getMessage() : reason(failure);
        QueryException result = new QueryException(state(failure.getSQLState()), doing + ": " + message, failure);
        if (server != null && server.getDetail() != null) {
            result = result.withDetail(server.getDetail());
        }
        if (result.state() == SqlState.SERIALIZATION_FAILURE && message.contains("recovery")) {
            // A standby had to apply what the primary has cleaned up, or ended the transaction for other reasons.
            return result.withHint("run the export again; hot_standby_feedback = on keeps the primary from removing"
                    + " rows that are read, and max_standby_streaming_delay says how long the standby waits");
        }
        return server != null && server.getHint() != null ? result.withHint(server.getHint()) : result;
    }

    /// What libpq says of a host that has no address: the exception has its name alone.
    private static String reason(SQLException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return "could not translate host name \"" + cause.getMessage()
                        + "\" to address: Name or service not known";
            }
        }
        return failure.getMessage();
    }

    private static SqlState state(String code) {
        for (SqlState state : SqlState.values()) {
            if (state.code().equals(code)) {
                return state;
            }
        }
        return SqlState.CONNECTION_FAILURE;
    }
}
