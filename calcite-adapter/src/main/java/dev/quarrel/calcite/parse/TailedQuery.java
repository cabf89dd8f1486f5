package dev.quarrel.calcite.parse;

import java.util.List;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.parser.SqlParserPos;

/// A query with what stands behind it: ORDER BY, LIMIT, OFFSET, and row locks.
public final class TailedQuery extends SqlOrderBy {
    private final Limits limits;
    private final List<Lock> locks;

    /// LIMIT and OFFSET as the parser finds them, and where they stand in the text.
    public static final class Limits {
        public SqlNode offset;
        public SqlNode fetch;
        public SqlNode to; // LIMIT fetch, to; or null
        public int offsetAt = -1;
        public int fetchAt = -1;
        public int tiesAt = -1;
    }

    /// @param orderBy null for none
    public TailedQuery(SqlParserPos pos, SqlNode query, SqlNodeList orderBy, Limits limits, List<Lock> locks) {
        super(pos, query, orderBy == null ? SqlNodeList.EMPTY : orderBy, limits.offset, limits.fetch);
        this.limits = limits;
        this.locks = List.copyOf(locks);
    }

    /// Where OFFSET stands in the text; -1 for nowhere.
    public int offsetAt() {
        return limits.offsetAt;
    }

    /// Where LIMIT or FETCH stands in the text; -1 for nowhere.
    public int fetchAt() {
        return limits.fetchAt;
    }

    /// The last row of `LIMIT from, to`; null where LIMIT has one number.
    public SqlNode to() {
        return limits.to;
    }

    /// Where WITH TIES stands in the text; -1 for nowhere.
    public int tiesAt() {
        return limits.tiesAt;
    }

    public List<Lock> locks() {
        return locks;
    }
}
