package dev.quarrel.server.statement;

import dev.quarrel.calcite.parse.QueryId;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.type.SqlState;
import java.util.List;

/// A statement that has ended, well or not.
///
/// @param processId of its session
/// @param text its own; not what else the client sent with it
/// @param isParse whether it was only prepared
/// @param parameters of the portal that was run
/// @param error null where it ended well
/// @param nanos from when the server began it to its last row's being handed on
/// @param bytes that the client was sent of it
/// @param devices that ran it, such as `cpu` or `cpu+cuda`; empty for none
public record EndedStatement(
        int processId,
        String user,
        String application,
        String database,
        String text,
        boolean isParse,
        List<Literal> parameters,
        SqlState error,
        long nanos,
        long rows,
        long bytes,
        String devices) {
    public StatementKind kind() {
        return StatementKind.of(text);
    }

    /// `ok`, `cancelled` or `error`.
    public String outcome() {
        return error == null ? "ok" : error == SqlState.QUERY_CANCELED ? "cancelled" : "error";
    }

    /// As `pg_stat_activity` has it.
    public long queryId() {
        return QueryId.of(text);
    }
}
