package dev.quarrel.calcite.sql.series;

import java.util.List;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// QuestDB's functions that are made of aggregates.
final class SeriesAggregates {
    static final List<SeriesFunction> ALL = List.of(
            SeriesFunction.aggregate("count_distinct", 1, 1, SeriesAggregates::countDistinct),
            SeriesFunction.aggregate(
                    "approx_count_distinct",
                    1,
                    2,
                    call -> call.aggregate(
                            call.tree().call("hll_count", call.written().toArray(SqlNode[]::new)), null)),
            SeriesFunction.aggregate("first_not_null", 1, 2, call -> present(call, "first")),
            SeriesFunction.aggregate("last_not_null", 1, 2, call -> present(call, "last")),
            SeriesFunction.aggregate("arg_min", 2, 2, call -> atExtreme(call, "first")),
            SeriesFunction.aggregate("arg_max", 2, 2, call -> atExtreme(call, "last")),
            SeriesFunction.aggregate("vwap", 2, 2, SeriesAggregates::averagePrice));

    private SeriesAggregates() {}

    private static SqlNode countDistinct(SeriesCall call) {
        SeriesTree tree = call.tree();
        SqlOperator count = ((SqlBasicCall) tree.call("count")).getOperator();
        return call.aggregate(
                new SqlBasicCall(
                        count, List.of(call.written(0)), tree.pos(), SqlSelectKeyword.DISTINCT.symbol(tree.pos())),
                null);
    }

    /// The first or last value that is not NULL.
    private static SqlNode present(SeriesCall call, String function) {
        SeriesTree tree = call.tree();
        SqlNode value = call.written(0);
        SqlNode found = call.size() == 1 ? tree.call(function, value) : tree.call(function, value, call.written(1));
        return call.aggregate(found, tree.isNotNull(value));
    }

    /// `arg_max(value, key)`: the value, NULL or not, of a row with the greatest key.
    private static SqlNode atExtreme(SeriesCall call, String function) {
        SeriesTree tree = call.tree();
        SqlNode value = call.written(0);
        SqlNode key = call.written(1);
        if (call.isOrdered(1)) {
            return call.aggregate(tree.call(function, value, key), null);
        }
        SqlNode order = function.equals("last") ? SqlStdOperatorTable.DESC.createCall(tree.pos(), key) : key;
        SqlNode all = call.aggregate(tree.orderedBy(tree.call("array_agg", value), order), tree.isNotNull(key));
        return SqlStdOperatorTable.ITEM.createCall(tree.pos(), all, tree.number(1));
    }

    /// `vwap(price, amount)`: of the rows that have both, finite ones, and an amount above 0.
    private static SqlNode averagePrice(SeriesCall call) {
        SeriesTree tree = call.tree();
        SqlNode price = call.float8(0);
        SqlNode amount = call.float8(1);
        // NaN is greater than any other number.
        SqlNode infinity = tree.literal("float8", "infinity");
        SqlNode counts = tree.and(
                tree.and(tree.less(tree.cast(tree.number(0), "float8"), amount), tree.less(amount, infinity)),
                tree.less(tree.call("abs", price), infinity));
        return tree.over(
                call.aggregate(tree.call("sum", tree.times(price, amount)), counts),
                call.aggregate(tree.call("sum", amount), counts));
    }
}
