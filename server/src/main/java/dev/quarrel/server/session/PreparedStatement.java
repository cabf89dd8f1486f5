package dev.quarrel.server.session;

import dev.quarrel.calcite.PreparedQuery;
import dev.quarrel.calcite.SqlSession;

/// What Parse made: a planned statement under a name.
///
/// @param sql the whole text that was sent, which errors point into
/// @param query null for a text without any statement
record PreparedStatement(String sql, PreparedQuery query) {
    boolean isEmpty() {
        return query == null;
    }

    /// Whether it is executed in microseconds; one without a statement is.
    boolean isQuick(SqlSession session) {
        return query == null || session.isQuick(query);
    }

    boolean endsTransaction() {
        return query != null && query.statement().endsTransaction();
    }
}
