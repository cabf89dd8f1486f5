package dev.quarrel.server.session;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.HashMap;
import java.util.Map;

/// A session's prepared statements by name: those of Parse, and those of PREPARE.
final class PreparedStatements {
    private final int most;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    /// @param most statements at a time, and portals
    PreparedStatements(int most) {
        this.most = most;
    }

    /// null where there is none.
    PreparedStatement find(String name) {
        return statements.get(name);
    }

    /// - Errors: 26000.
    PreparedStatement get(String name) {
        PreparedStatement statement = statements.get(name);
        if (statement == null) {
            throw new QueryException(
                    SqlState.INVALID_SQL_STATEMENT_NAME,
                    name.isEmpty()
                            ? "unnamed prepared statement does not exist"
                            : "prepared statement \"" + name + "\" does not exist");
        }
        return statement;
    }

    /// Makes room for a statement.
    ///
    /// - Errors: 42P05 for a name that is taken, but for the unnamed one's, which makes room; 53200 for one too
    /// many.
    void requireFree(String name) {
        if (name.isEmpty()) {
            statements.remove(name);
        } else if (statements.containsKey(name)) {
            throw new QueryException(
                    SqlState.DUPLICATE_PREPARED_STATEMENT, "prepared statement \"" + name + "\" already exists");
        }
        requireRoom(statements.size(), "prepared statements");
    }

    /// - Errors: 53200.
    void requireRoom(int objects, String what) {
        if (objects >= most) {
            throw new QueryException(SqlState.OUT_OF_MEMORY, "this session holds " + most + " " + what + " already")
                    .withHint("Close those that are no longer needed, or raise max_prepared.");
        }
    }

    void put(String name, PreparedStatement statement) {
        statements.put(name, statement);
    }

    void remove(String name) {
        statements.remove(name);
    }

    void clear() {
        statements.clear();
    }

    Map<String, PreparedStatement> byName() {
        return Map.copyOf(statements);
    }
}
