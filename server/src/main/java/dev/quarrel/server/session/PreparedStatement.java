package dev.quarrel.server.session;

import dev.quarrel.calcite.ClientCommand;
import dev.quarrel.calcite.ParsedStatement;
import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.PreparedQuery.ResultColumn;
import dev.quarrel.calcite.SqlSession;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.server.catalog.ClientSession;
import java.time.Instant;
import java.util.List;

/// What Parse or PREPARE made: a statement under a name.
///
/// @param sql the whole text that was sent, which errors point into
/// @param parsed null for a text without any statement
/// @param query its plan; null without one, and for what the server itself runs
/// @param isFromSql whether PREPARE made it
/// @param since when it was made
record PreparedStatement(String sql, ParsedStatement parsed, PreparedQuery query, boolean isFromSql, Instant since) {
    static PreparedStatement of(String sql, ParsedStatement parsed, PreparedQuery query) {
        return new PreparedStatement(sql, parsed, query, false, Instant.now());
    }

    boolean isEmpty() {
        return parsed == null;
    }

    /// What the server is to do, or null.
    ClientCommand command() {
        return parsed == null ? null : parsed.command();
    }

    List<PgType> parameterTypes() {
        return query == null ? List.of() : query.parameterTypes();
    }

    /// Whether it is executed in microseconds; one without a statement is.
    boolean isQuick(SqlSession session) {
        return isEmpty() || query != null && session.isQuick(query);
    }

    /// @param columns of its rows, or null
    ClientSession.Prepared describe(String name, List<ResultColumn> columns) {
        return new ClientSession.Prepared(
                name,
                sql,
                since,
                parameterTypes().stream().map(PgType::oid).toList(),
                columns == null
                        ? null
                        : columns.stream()
                                .map(column -> column.declared().oid())
                                .toList(),
                isFromSql);
    }

    boolean endsTransaction() {
        return parsed != null && parsed.endsTransaction();
    }
}
