package dev.quarrel.calcite.sql.series;

import dev.quarrel.calcite.parse.PostgresSelect;
import java.util.function.UnaryOperator;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlShuttle;

/// A time and the value then, which `interpolate` takes where the buckets have none: `(ts, value)`, or a sub-query that
/// gives such a row, which is asked for each of the two.
record GapfillSample(SqlNode time, SqlNode value) {
    /// Null for what is no such row.
    static GapfillSample of(SqlNode node) {
        SqlNode time = field(node, 0);
        SqlNode value = field(node, 1);
        return time == null || value == null ? null : new GapfillSample(time, value);
    }

    GapfillSample accept(SqlShuttle change) {
        return new GapfillSample(time.accept(change), value.accept(change));
    }

    private static SqlNode field(SqlNode node, int index) {
        return switch (node) {
            case SqlOrderBy order ->
                around(
                        field(order.query, index),
                        query -> new SqlOrderBy(
                                order.getParserPosition(), query, order.orderList, order.offset, order.fetch));
            case SqlSelect select
            when select.getSelectList().size() == 1 && !select.isDistinct() -> {
                SqlNode item = select.getSelectList().get(0);
                SqlNode row = item.getKind() == SqlKind.AS ? ((SqlCall) item).operand(0) : item;
                yield around(
                        row instanceof SqlCall call && isRow(call) ? field(row, index) : null,
                        field -> PostgresSelect.of(select, SqlNodeList.of(field)));
            }
            case SqlCall query
            when query.getKind() == SqlKind.SCALAR_QUERY ->
                around(
                        field(query.operand(0), index),
                        inner -> query.getOperator().createCall(query.getParserPosition(), inner));
            case SqlCall row when isRow(row) && row.operandCount() == 2 -> row.operand(index);
            default -> null;
        };
    }

    private static boolean isRow(SqlCall call) {
        return call.getKind() == SqlKind.ROW || call.getOperator().getName().equalsIgnoreCase("row");
    }

    private static SqlNode around(SqlNode field, UnaryOperator<SqlNode> query) {
        return field == null ? null : query.apply(field);
    }
}
