package dev.quarrel.server.session;

import dev.quarrel.calcite.SqlSession;
import dev.quarrel.calcite.parse.QueryId;
import dev.quarrel.server.catalog.ClientSession;
import dev.quarrel.server.catalog.ClientSession.Activity;
import java.time.Instant;

/// What a session does, and since when: for whoever looks at the server.
///
/// - Threads: the session's writes, any reads.
final class ActivityLog {
    private final String user;
    private final Instant since = Instant.now();
    private volatile String application = "";
    private volatile Doing doing = new Doing(null, null, since, "idle", "", 0);

    /// What changes with each statement.
    ///
    /// @param queryId 0 where the text is all there, and says it
    private record Doing(
            Instant transactionStart,
            Instant queryStart,
            Instant stateChange,
            String state,
            String query,
            long queryId) {}

    ActivityLog(String user) {
        this.user = user;
    }

    Activity activity() {
        Doing now = doing;
        return new Activity(
                user,
                application,
                since,
                now.transactionStart(),
                now.queryStart(),
                now.stateChange(),
                now.state(),
                now.query(),
                now.queryId());
    }

    void application(String name) {
        application = name;
    }

    void running(String query) {
        Instant now = Instant.now();
        Instant transaction = doing.transactionStart();
        boolean isShort = query.length() <= ClientSession.MOST_QUERY_CHARS;
        doing = new Doing(
                transaction == null ? now : transaction,
                now,
                now,
                "active",
                isShort ? query : query.substring(0, ClientSession.MOST_QUERY_CHARS),
                isShort ? 0 : QueryId.of(query));
    }

    void idle(SqlSession.TransactionState transaction) {
        Doing before = doing;
        String state =
                switch (transaction) {
                    case IDLE, STARTED, IMPLICIT -> "idle";
                    case IN_BLOCK -> "idle in transaction";
                    case FAILED -> "idle in transaction (aborted)";
                };
        boolean isOver = !transaction.isExplicit();
        doing = new Doing(
                isOver ? null : before.transactionStart(),
                before.queryStart(),
                Instant.now(),
                state,
                before.query(),
                before.queryId());
    }
}
