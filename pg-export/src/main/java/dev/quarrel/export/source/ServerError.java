package dev.quarrel.export.source;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// Turns PostgreSQL's errors into ours, with the same SQLSTATE, message, detail and hint.
public final class ServerError {
    private ServerError() {}

    /// @param doing what we were about, put before the server's message
    public static QueryException of(String doing, SQLException failure) {
        ServerErrorMessage server = failure instanceof PSQLException driver ? driver.getServerErrorMessage() : null;
        String message = server != null && server.getMessage() != null ? server.getMessage() : failure.getMessage();
        QueryException result = new QueryException(state(failure.getSQLState()), doing + ": " + message, failure);
        if (server != null && server.getDetail() != null) {
            result = result.withDetail(server.getDetail());
        }
        return server != null && server.getHint() != null ? result.withHint(server.getHint()) : result;
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
