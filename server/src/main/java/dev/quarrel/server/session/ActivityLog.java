package dev.quarrel.server.session;

import dev.quarrel.calcite.SqlSession;
import dev.quarrel.server.catalog.ClientSession.Activity;
import java.time.Instant;

/// What a session does, and since when: for whoever looks at the server.
///
/// - Threads: the session's writes, any reads.
final class ActivityLog {
    /// As much as PostgreSQL keeps.
    private static final int MOST_QUERY_CHARS = 1024;

    private volatile Activity activity;

    ActivityLog(String user) {
        Instant now = Instant.now();
        activity = new Activity(user, "", now, null, null, now, "idle", "");
    }

    Activity activity() {
        return activity;
    }

    void running(String query, SqlSession sql) {
        Activity before = activity;
        Instant now = Instant.now();
        String text = query.length() <= MOST_QUERY_CHARS ? query : query.substring(0, MOST_QUERY_CHARS);
        Instant transaction = before.transactionStart() == null ? now : before.transactionStart();
        activity = new Activity(
                before.user(), sql.setting("application_name"), before.since(), transaction, now, now, "active", text);
    }

    void idle(SqlSession sql) {
        Activity before = activity;
        String state =
                switch (sql.transactionState()) {
                    case IDLE -> "idle";
                    case IN_BLOCK -> "idle in transaction";
                    case FAILED -> "idle in transaction (aborted)";
                };
        activity = new Activity(
                before.user(),
                sql.setting("application_name"),
                before.since(),
                state.equals("idle") ? null : before.transactionStart(),
                before.queryStart(),
                Instant.now(),
                state,
                before.query());
    }
}
