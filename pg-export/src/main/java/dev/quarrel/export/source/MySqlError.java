package dev.quarrel.export.source;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.sql.SQLException;
import java.util.Set;

/// Turns MySQL's errors into ours, with the same message and the state that PostgreSQL would give.
public final class MySqlError {
    /// Access denied for a user to a database, a statement, a column; a privilege is missing.
    private static final Set<Integer> NO_PRIVILEGE = Set.of(1044, 1142, 1143, 1227, 1370, 1419);
    private static final int TOO_MANY_CONNECTIONS = 1040;
    private static final int UNKNOWN_DATABASE = 1049;
    private static final int TABLE_CHANGED = 1412;

    private MySqlError() {}

    /// @param doing what we were about, put before the server's message
    public static QueryException of(String doing, SQLException failure) {
        QueryException error = new QueryException(state(failure), doing + ": " + failure.getMessage(), failure);
        return failure.getErrorCode() == TABLE_CHANGED
                ? error.withHint("the table was altered or emptied while the export ran; start it again")
                : error;
    }

    public static boolean isPrivilegeMissing(SQLException failure) {
        return NO_PRIVILEGE.contains(failure.getErrorCode());
    }

    private static SqlState state(SQLException failure) {
        if (isPrivilegeMissing(failure)) {
            return SqlState.INSUFFICIENT_PRIVILEGE;
        }
        switch (failure.getErrorCode()) {
            case TOO_MANY_CONNECTIONS -> {
                return SqlState.TOO_MANY_CONNECTIONS;
            }
            case UNKNOWN_DATABASE -> {
                return SqlState.INVALID_CATALOG_NAME;
            }
            case TABLE_CHANGED -> {
                return SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE;
            }
            default -> {}
        }
        String code = String.valueOf(failure.getSQLState());
        return switch (code) {
            case "28000" -> SqlState.INVALID_AUTHORIZATION_SPECIFICATION;
            case "42S02" -> SqlState.UNDEFINED_TABLE;
            case "42S22" -> SqlState.UNDEFINED_COLUMN;
            case "42S21" -> SqlState.DUPLICATE_COLUMN;
            case "25006" -> SqlState.READ_ONLY_SQL_TRANSACTION;
            case "42000" -> SqlState.SYNTAX_ERROR;
            case "70100" -> SqlState.QUERY_CANCELED;
            default -> SqlState.CONNECTION_FAILURE;
        };
    }
}
