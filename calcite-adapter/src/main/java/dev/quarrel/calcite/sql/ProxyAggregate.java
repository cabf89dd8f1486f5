package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.OtherTypes;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.PostgresTypeSystem;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.OtherType;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;

/// An aggregate that another one computes, over what its argument is turned into: min and max of keyed values look at
/// keys, sums of money at numbers, and what folds values sees them all as one array.
final class ProxyAggregate {
    /// The aggregate itself, over its own argument.
    static final ProxyAggregate NONE =
            new ProxyAggregate(null, UnaryOperator.identity(), UnaryOperator.identity(), false, null);

    private final SqlAggFunction function;
    private final UnaryOperator<RexNode> argument;
    private final UnaryOperator<RexNode> result;
    private final boolean ignoresRepeats;
    private final RexMaker maker;

    private ProxyAggregate(
            SqlAggFunction function,
            UnaryOperator<RexNode> argument,
            UnaryOperator<RexNode> result,
            boolean ignoresRepeats,
            RexMaker maker) {
        this.function = function;
        this.argument = argument;
        this.result = result;
        this.ignoresRepeats = ignoresRepeats;
        this.maker = maker;
    }

    /// What computes the aggregate of an argument of that type.
    ///
    /// @param result the aggregate's type
    static ProxyAggregate of(String name, SqlType argument, SqlType result, RexMaker maker) {
        if (argument.isKeyed() && (name.equals("min") || name.equals("max"))) {
            return new ProxyAggregate(
                    AggregateTable.aggregate(name),
                    each -> Operators.ranked(maker, each),
                    bytes -> Operators.unranked(maker, bytes, result),
                    true,
                    maker);
        }
        if (argument == SqlType.MONEY && name.equals("sum")) {
            return new ProxyAggregate(
                    AggregateTable.aggregate(name),
                    each -> FunctionTable.internal(maker, "money_cents", List.of(SqlType.MONEY), each),
                    sum -> FunctionTable.internal(
                            maker,
                            "money_of_cents",
                            List.of(SqlType.NUMERIC),
                            maker.cast(maker.rel(SqlType.NUMERIC), sum)),
                    false,
                    maker);
        }
        if (AggregateTable.isFold(name, argument)) {
            String fold =
                    (name.equals("variance") ? "var_samp" : name.equals("stddev") ? "stddev_samp" : name) + "_all";
            return new ProxyAggregate(
                    AggregateTable.aggregate("array_agg"),
                    UnaryOperator.identity(),
                    array -> FunctionTable.internal(maker, fold, List.of(argument.array()), array),
                    argument != SqlType.WIDE_NUMERIC,
                    maker);
        }
        return NONE;
    }

    /// The same aggregate over the places of an enum's labels.
    static ProxyAggregate ofPlaces(OtherType labels, RexMaker maker) {
        return new ProxyAggregate(
                null, UnaryOperator.identity(), place -> OtherTypes.label(maker, place, labels), true, maker);
    }

    /// min and max of rows, or of arrays of rows, whose type is `type` then.
    static ProxyAggregate ofRows(RelDataType type, RexMaker maker) {
        return new ProxyAggregate(
                null,
                each -> Operators.ranked(maker, each),
                bytes -> Operators.unrankedRow(maker, bytes, type),
                true,
                maker);
    }

    /// array_agg of values that are held as text.
    ///
    /// @param type of the array
    static ProxyAggregate ofElements(RelDataType type, RexMaker maker) {
        return new ProxyAggregate(
                null,
                each -> maker.cast(
                        maker.nullable(maker.rel(SqlType.TEXT), each.getType().isNullable()), each),
                array -> maker.cast(maker.nullable(type, true), array),
                false,
                null);
    }

    /// The same aggregate over keys of the values.
    ///
    /// @param value what has the key
    static ProxyAggregate ofKeys(UnaryOperator<RexNode> value) {
        return new ProxyAggregate(null, UnaryOperator.identity(), value, true, null);
    }

    /// The overload of an application's aggregate.
    static ProxyAggregate ofAdded(AggregateFunction function) {
        return new ProxyAggregate(function, UnaryOperator.identity(), UnaryOperator.identity(), false, null);
    }

    SqlAggFunction function(SqlAggFunction own) {
        return function == null ? own : function;
    }

    RexNode argument(RexNode value) {
        return argument.apply(value);
    }

    /// The aggregate's value, made of that of the other.
    RexNode result(RexNode value) {
        return result.apply(value);
    }

    /// Whether it is all the same how often a value comes.
    boolean ignoresRepeats() {
        return ignoresRepeats;
    }

    /// The NOT NULL type of what the other aggregate gives.
    RelDataType type(RexNode seen) {
        RelDataType type = maker.nullable(seen.getType(), false);
        if (function instanceof AggregateFunction ours) {
            return maker.nullable(ours.resultType(maker.factory(), type), false);
        }
        return function == AggregateTable.aggregate("sum")
                ? PostgresTypeSystem.INSTANCE.deriveSumType(maker.factory(), type)
                : type;
    }
}
