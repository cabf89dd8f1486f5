package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Lock;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;

/// FOR UPDATE and its like. The rows of a dataset's files do not change, so there is nothing to lock; what PostgreSQL
/// refuses is refused.
///
/// - Source: PostgreSQL's transformLockingClause in `analyze.c`.
final class Locks {
    private final Analysis analysis;
    private final Lock lock;

    private Locks(Analysis analysis, Lock lock) {
        this.analysis = analysis;
        this.lock = lock;
    }

    /// - Errors: 0A000 where there are locks.
    static void refuse(List<Lock> locks, String why) {
        if (!locks.isEmpty()) {
            throw new QueryException(
                    SqlState.FEATURE_NOT_SUPPORTED, locks.getFirst().strength().text() + ' ' + why);
        }
    }

    /// - Errors: 0A000 for a query whose rows are not a table's, 42P01 for a name that FROM has not.
    ///
    /// @param scope of the query, with its WITH queries
    static void check(Analysis analysis, List<Lock> locks, SqlSelect select, Scope scope) {
        for (Lock lock : locks) {
            Locks check = new Locks(analysis, lock);
            check.requireRows(select);
            if (lock.tables().isEmpty()) {
                check.all(select.getFrom());
            } else {
                lock.tables().forEach(name -> check.named(name, select.getFrom(), scope));
            }
        }
    }

    private void requireRows(SqlSelect select) {
        String obstacle = analysis.lockObstacle(select);
        if (obstacle != null) {
            refuse(List.of(lock), "is not allowed with " + obstacle);
        }
    }

    /// Sub-queries, at any depth of joins.
    private void all(SqlNode from) {
        switch (from) {
            case null -> {}
            case SqlJoin join -> {
                all(join.getLeft());
                all(join.getRight());
            }
            default -> {
                SqlNode item = from.getKind() == SqlKind.AS ? ((SqlCall) from).operand(0) : from;
                if (item.getKind() == SqlKind.LATERAL) {
                    item = ((SqlCall) item).operand(0);
                }
                if (item instanceof SqlJoin join) {
                    all(join);
                } else if (item.isA(SqlKind.QUERY)) {
                    query(item);
                }
            }
        }
    }

    private void query(SqlNode query) {
        switch (query) {
            case SqlOrderBy order -> query(order.query);
            case SqlWith with -> query(with.body);
            case SqlSelect select -> {
                requireRows(select);
                all(select.getFrom());
            }
            default -> {
                if (query.isA(SqlKind.SET_QUERY)) {
                    refuse(List.of(lock), "is not allowed with UNION/INTERSECT/EXCEPT");
                }
            }
        }
    }

    private void named(SqlIdentifier name, SqlNode from, Scope scope) {
        String what = lock.strength().text();
        int at = Positions.start(name);
        if (!name.isSimple()) {
            throw analysis.error(SqlState.SYNTAX_ERROR, at, what + " must specify unqualified relation names");
        }
        if (!lock(name.getSimple(), at, from, scope)) {
            throw analysis.error(
                    SqlState.UNDEFINED_TABLE,
                    at,
                    "relation \"" + name.getSimple() + "\" in " + what + " clause not found in FROM clause");
        }
    }

    /// Whether the name is in a part of FROM.
    private boolean lock(String name, int at, SqlNode from, Scope scope) {
        if (from == null) {
            return false;
        }
        if (from instanceof SqlJoin join) {
            boolean isUsing = join.getCondition() instanceof SqlCall using
                    && using.getKind() == SqlKind.AS
                    && ((SqlIdentifier) using.operand(1)).getSimple().equals(name);
            if (isUsing) {
                throw notLockable(at, "a join");
            }
            return lock(name, at, join.getLeft(), scope) || lock(name, at, join.getRight(), scope);
        }
        boolean isAliased = from.getKind() == SqlKind.AS;
        SqlNode item = isAliased ? ((SqlCall) from).operand(0) : from;
        if (item.getKind() == SqlKind.LATERAL || item.getKind() == SqlKind.TABLE_REF) {
            item = ((SqlCall) item).operand(0);
        }
        String shown = isAliased
                ? ((SqlIdentifier) ((SqlCall) from).operand(1)).getSimple()
                : item instanceof SqlIdentifier table ? table.names.getLast() : null;
        if (!name.equals(shown)) {
            return !isAliased && item instanceof SqlJoin join && lock(name, at, join, scope);
        }
        switch (item) {
            case SqlJoin _ -> throw notLockable(at, "a join");
            case SqlIdentifier table -> {
                boolean isWith = table.isSimple()
                        && scope.withQueries() != null
                        && scope.withQueries().find(table.getSimple()) != null;
                if (isWith) {
                    throw notLockable(at, "a WITH query");
                }
            }
            default -> {
                if (!item.isA(SqlKind.QUERY)) {
                    throw notLockable(at, "a function");
                }
                query(item);
            }
        }
        return true;
    }

    private QueryException notLockable(int at, String what) {
        return analysis.error(
                SqlState.FEATURE_NOT_SUPPORTED, at, lock.strength().text() + " cannot be applied to " + what);
    }
}
