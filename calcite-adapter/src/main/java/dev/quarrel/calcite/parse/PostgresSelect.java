package dev.quarrel.calcite.parse;

import java.util.List;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.parser.SqlParserPos;

/// A SELECT that may have DISTINCT ON, LATEST ON and SAMPLE BY.
public final class PostgresSelect extends SqlSelect {
    private final List<SqlNode> distinctOn;
    private final SeriesClauses series;

    /// A SELECT without LATEST ON and SAMPLE BY.
    public PostgresSelect(
            SqlParserPos pos,
            SqlNodeList keywords,
            List<SqlNode> distinctOn,
            SqlNodeList items,
            SqlNode from,
            SqlNode where,
            SqlNodeList groupBy,
            SqlNode having,
            SqlNodeList windows,
            SqlNode qualify,
            SqlNodeList orderBy,
            SqlNode offset,
            SqlNode fetch,
            SqlNodeList hints) {
        this(
                pos,
                keywords,
                distinctOn,
                new SeriesClauses(),
                items,
                from,
                where,
                groupBy,
                having,
                windows,
                qualify,
                orderBy,
                offset,
                fetch,
                hints);
    }

    /// @param series LATEST ON and SAMPLE BY
    /// @param distinctOn the list behind DISTINCT ON; none for another SELECT
    public PostgresSelect(
            SqlParserPos pos,
            SqlNodeList keywords,
            List<SqlNode> distinctOn,
            SeriesClauses series,
            SqlNodeList items,
            SqlNode from,
            SqlNode where,
            SqlNodeList groupBy,
            SqlNode having,
            SqlNodeList windows,
            SqlNode qualify,
            SqlNodeList orderBy,
            SqlNode offset,
            SqlNode fetch,
            SqlNodeList hints) {
        super(pos, keywords, items, from, where, groupBy, having, windows, qualify, orderBy, offset, fetch, hints);
        this.distinctOn = List.copyOf(distinctOn);
        this.series = series;
    }

    /// The same with other items.
    public static PostgresSelect of(SqlSelect select, SqlNodeList items) {
        return new PostgresSelect(
                select.getParserPosition(),
                (SqlNodeList) select.getOperandList().getFirst(),
                distinctOn(select),
                series(select),
                items,
                select.getFrom(),
                select.getWhere(),
                select.getGroup(),
                select.getHaving(),
                select.getWindowList(),
                select.getQualify(),
                select.getOrderList(),
                select.getOffset(),
                select.getFetch(),
                select.getHints());
    }

    /// What rows must differ in; none unless it is a SELECT DISTINCT ON.
    public static List<SqlNode> distinctOn(SqlSelect select) {
        return select instanceof PostgresSelect ours ? ours.distinctOn : List.of();
    }

    /// LATEST ON and SAMPLE BY, as far as they stand there.
    public static SeriesClauses series(SqlSelect select) {
        return select instanceof PostgresSelect ours ? ours.series : new SeriesClauses();
    }
}
