package dev.quarrel.calcite.parse;

import dev.quarrel.calcite.rel.WithRows;
import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.parser.SqlParserPos;

/// A query of WITH, perhaps with a SEARCH or CYCLE clause.
public final class PostgresWithItem extends SqlWithItem {
    private Search search;
    private Cycle cycle;
    private WithRows.Materialized materialized = WithRows.Materialized.UNSAID;

    public PostgresWithItem(
            SqlParserPos pos, SqlIdentifier name, SqlNodeList columns, SqlNode query, SqlLiteral recursive) {
        super(pos, name, columns, query, recursive);
    }

    /// `SEARCH DEPTH FIRST BY columns SET set`, or BREADTH.
    public record Search(SqlParserPos pos, boolean isDepthFirst, List<SqlIdentifier> columns, SqlIdentifier set) {}

    /// `CYCLE columns SET mark TO value DEFAULT otherwise USING path`
    ///
    /// @param value null for true, where `otherwise` is null for false
    public record Cycle(
            SqlParserPos pos,
            List<SqlIdentifier> columns,
            SqlIdentifier mark,
            SqlNode value,
            SqlNode otherwise,
            SqlIdentifier path) {}

    public void materialized(boolean isMaterialized) {
        materialized = isMaterialized ? WithRows.Materialized.YES : WithRows.Materialized.NO;
    }

    public WithRows.Materialized materialized() {
        return materialized;
    }

    public void search(Search clause) {
        search = clause;
    }

    public void cycle(Cycle clause) {
        cycle = clause;
    }

    /// Null for none.
    public Search search() {
        return search;
    }

    /// Null for none.
    public Cycle cycle() {
        return cycle;
    }
}
