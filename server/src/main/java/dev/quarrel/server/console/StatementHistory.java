package dev.quarrel.server.console;

import dev.quarrel.server.statement.EndedStatement;
import dev.quarrel.server.statement.StatementListener;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/// The statements that ended last, for those who have run them.
///
/// - Memory: at most [#SIZE], each with [#MOST_CHARS] of its text.
/// - Threads: share it.
public final class StatementHistory implements StatementListener {
    static final int SIZE = 1000;
    static final int MOST_CHARS = 2000;

    private final Deque<Past> statements = new ArrayDeque<>(SIZE); // guarded by itself
    private long count;

    /// A statement that has ended.
    ///
    /// @param text its beginning, if `isCut`
    record Past(long number, Instant end, String text, boolean isCut, EndedStatement statement) {}

    @Override
    public void ended(EndedStatement statement) {
        if (statement.isParse()) {
            return; // its execution will tell
        }
        String text = statement.text();
        boolean isCut = text.length() > MOST_CHARS;
        // The whole text and the parameters are not held.
        EndedStatement kept = new EndedStatement(
                statement.processId(),
                statement.user(),
                statement.application(),
                statement.database(),
                isCut ? text.substring(0, MOST_CHARS) : text,
                false,
                List.of(),
                statement.error(),
                statement.nanos(),
                statement.rows(),
                statement.bytes(),
                statement.devices());
        Instant now = Instant.now();
        synchronized (statements) {
            if (statements.size() == SIZE) {
                statements.removeFirst();
            }
            statements.addLast(new Past(++count, now, kept.text(), isCut, kept));
        }
    }

    /// A user's own, the last one first.
    List<Past> of(String user, int most) {
        List<Past> own = new ArrayList<>();
        synchronized (statements) {
            for (Iterator<Past> each = statements.descendingIterator(); each.hasNext() && own.size() < most; ) {
                Past past = each.next();
                if (past.statement().user().equals(user)) {
                    own.add(past);
                }
            }
        }
        return own;
    }
}
