package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.OtherType;
import java.util.List;

/// `information_schema._pg_expandarray(array)`, by which drivers ask for the columns of keys: a row of each element of
/// an array or a vector of smallint, and its number from 1. As a value it is a record, of whose fields queries around
/// read `x`, the element, and `n`, the number.
///
/// - Source: PostgreSQL's `information_schema.sql`.
final class ExpandedArrays {
    private static final String NAME = "_pg_expandarray";
    private static final OtherType TYPE = OtherType.recordOf(List.of("int2", "int4"));
    private static final List<String> FIELDS = List.of("x", "n");

    private final FunctionCalls calls;
    private final Conversions conversions;
    private final RexMaker maker;

    ExpandedArrays(Analysis analysis, FunctionCalls calls) {
        this.calls = calls;
        this.conversions = analysis.conversions();
        this.maker = analysis.maker();
    }

    /// Whether a function's name is this one's.
    static boolean isNamed(List<String> names) {
        return names.size() > 1
                && names.getLast().equals(NAME)
                && names.get(names.size() - 2).equals("information_schema");
    }

    Expr.Row call(Expr array, int at) {
        Expr.Value text = new Expr.Value(conversions.text(array), SqlType.TEXT, at);
        // An array's text is {1,2}, a vector's 1 2.
        Expr list = call("translate", at, text, new Expr.Text(" {}", at), new Expr.Text(",", at));
        Expr elements = call("string_to_array", at, list, new Expr.Text(",", at));
        Expr element = conversions.convert(call("unnest", at, elements), SqlType.INT2, Expr.NO_TYPMOD);
        Expr number = call("generate_series", at, integer(1, at), call("cardinality", at, elements));
        return new Expr.Row(List.of(element, number), FIELDS, TYPE, false, at);
    }

    /// A field of such a row that another query has made; null for any other value.
    Expr field(Expr row, String name, int at) {
        int field = FIELDS.indexOf(name);
        if (field < 0
                || !(row instanceof Expr.Value value)
                || !TYPE.equals(SqlTypes.other(value.rex().getType()))) {
            return null;
        }
        Expr.Value text = new Expr.Value(conversions.text(value), SqlType.TEXT, at);
        Expr list = call("btrim", at, text, new Expr.Text("()", at));
        Expr part = call("split_part", at, list, new Expr.Text(",", at), integer(field + 1, at));
        return conversions.convert(part, field == 0 ? SqlType.INT2 : SqlType.INT4, Expr.NO_TYPMOD);
    }

    private Expr.Value integer(int value, int at) {
        return new Expr.Value(maker.integer(value, SqlType.INT4), SqlType.INT4, at);
    }

    private Expr call(String function, int at, Expr... arguments) {
        return calls.function(function, List.of(arguments), at, function);
    }
}
