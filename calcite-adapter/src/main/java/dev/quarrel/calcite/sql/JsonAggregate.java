package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlNode;

/// An aggregate that makes documents: STRING_AGG over texts that its rows become, and what makes a document of the
/// joined texts.
///
/// @param type of the result: json or jsonb
/// @param isObject whether rows are keys and values, and not elements
/// @param isStrict whether values that are NULL are left out
/// @param isUnique whether a key may be there once only
record JsonAggregate(SqlType type, boolean isObject, boolean isStrict, boolean isUnique) {
    /// Between the rows; no JSON text contains it.
    private static final String BETWEEN_ROWS = "\u0001";

    /// The aggregate of that name; none for others.
    static Optional<JsonAggregate> named(String name) {
        return switch (name) {
            case "json_agg", "jsonb_agg" -> Optional.of(new JsonAggregate(type(name), false, false, false));
            case "json_agg_strict", "jsonb_agg_strict" ->
                Optional.of(new JsonAggregate(type(name), false, true, false));
            case "json_object_agg", "jsonb_object_agg" ->
                Optional.of(new JsonAggregate(type(name), true, false, false));
            case "json_object_agg_strict", "jsonb_object_agg_strict" ->
                Optional.of(new JsonAggregate(type(name), true, true, false));
            case "json_object_agg_unique", "jsonb_object_agg_unique" ->
                Optional.of(new JsonAggregate(type(name), true, false, true));
            case "json_object_agg_unique_strict", "jsonb_object_agg_unique_strict" ->
                Optional.of(new JsonAggregate(type(name), true, true, true));
            default -> Optional.empty();
        };
    }

    private static SqlType type(String name) {
        return name.startsWith("jsonb") ? SqlType.JSONB : SqlType.JSON;
    }

    int argumentCount() {
        return isObject ? 2 : 1;
    }

    /// The arguments of STRING_AGG.
    List<RexNode> joined(List<JsonValues.Input> inputs, JsonValues values, RexMaker maker) {
        String prefix = type.pgType().typeName();
        String rule = isStrict ? ":strict" : "";
        RexNode row = isObject
                ? values.called(
                        prefix + "_pair" + rule, values.key(inputs.getFirst()), values.json(inputs.getLast(), type))
                : values.called(prefix + "_element" + rule, values.json(inputs.getFirst(), type));
        return List.of(row, maker.string(BETWEEN_ROWS, maker.rel(SqlType.TEXT)));
    }

    /// The document of what STRING_AGG has joined.
    RexNode document(RexNode joined, List<JsonValues.Input> inputs, JsonValues values) {
        String prefix = type.pgType().typeName();
        if (!isObject) {
            boolean isNested = !(inputs.getFirst() instanceof JsonValues.Input.One)
                    || inputs.getFirst().type().isArray();
            return values.called(prefix + "_agg" + (isNested && type == SqlType.JSON ? ":lines" : ""), joined);
        }
        String rule = isUnique ? isStrict ? ":unique_strict" : ":unique" : isStrict ? ":strict" : "";
        return values.called(prefix + "_object_agg" + rule, joined);
    }

    /// Whether equal values of the type have one text, by which DISTINCT may find them.
    static boolean isEqualAsText(RexNode value) {
        PgType type = SqlTypes.pgType(value.getType());
        return switch (type) {
            case FLOAT4, FLOAT8, INTERVAL -> false;
            case NUMERIC -> SqlTypes.dataType(value.getType()) instanceof DataType.Decimal;
            default -> !type.isArray();
        };
    }

    /// What ORDER BY and DISTINCT may name: the values; none of rows.
    static List<Expr.Value> values(List<JsonValues.Input> inputs, Analysis analysis) {
        List<Expr.Value> values = new ArrayList<>();
        for (JsonValues.Input input : inputs) {
            if (input instanceof JsonValues.Input.One(var expr)) {
                values.add(analysis.conversions().resolved(expr));
            }
        }
        return values;
    }

    static List<JsonValues.Input> inputs(List<SqlNode> nodes, JsonValues values) {
        return nodes.stream().map(values::input).toList();
    }
}
