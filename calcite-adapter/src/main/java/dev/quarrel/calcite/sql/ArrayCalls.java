package dev.quarrel.calcite.sql;

import static dev.quarrel.calcite.sql.type.SqlType.BOOL;
import static dev.quarrel.calcite.sql.type.SqlType.INT4;
import static dev.quarrel.calcite.sql.type.SqlType.TEXT;

import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.ArrayFunctions;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.CommonType;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.function.Overloads;
import dev.quarrel.calcite.sql.function.Polymorphic;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.function.ScalarFunctionOperator;
import dev.quarrel.calcite.sql.function.Signature;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.function.ArrayOperation;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses functions and operators on arrays. An array's value is its text.
///
/// Arrays of the system catalog have the type text, so a text may be an array's.
///
/// - Source: PostgreSQL's `arrayfuncs.c`.
final class ArrayCalls {
    /// PostgreSQL's MAXDIM.
    private static final int MAX_DIMENSIONS = 6;

    private final Analysis analysis;
    private final Scope scope;
    private final RexMaker maker;
    private final Conversions conversions;

    ArrayCalls(Analysis analysis, Scope scope) {
        this.analysis = analysis;
        this.scope = scope;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    /// A call of a polymorphic function; null if there is none for these arguments.
    ///
    /// - Errors: 42804 where no argument tells the type of the elements.
    Expr call(String name, List<Expr> arguments, int at) {
        List<SqlType> types = FunctionCalls.types(arguments);
        Polymorphic.Choice choice = Polymorphic.choose(FunctionCatalog.named(name), types);
        if (choice.isAmbiguous()) {
            return null;
        }
        if (choice.isUndecided() && types.contains(SqlType.UNKNOWN)) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH, "could not determine polymorphic type because input has type unknown");
        }
        FunctionRow row = choice.row();
        if (row == null || !(row.kind() instanceof FunctionRow.Kind.Kernel)) {
            return null;
        }
        analysis.collations().requireDeterministic(arguments, at);
        if (name.equals("array_sort") || name.equals("width_bucket")) {
            analysis.collations().requireByBytes(arguments, at, name);
        }
        return called(row, arguments, at);
    }

    private Expr.Value called(FunctionRow row, List<Expr> arguments, int at) {
        List<RexNode> operands = new ArrayList<>();
        for (int index = 0; index < arguments.size(); index++) {
            SqlType type = SqlType.of(row.arguments().get(index));
            operands.add(conversions.implicit(arguments.get(index), type).rex());
        }
        Expr.Value value = new Expr.Value(CatalogFunction.call(maker, row, operands), SqlType.of(row.result()), at);
        return analysis.collations().collated(value, arguments);
    }

    /// `a || b` where one of them is an array; null where they do not go together.
    Expr.Value concatenation(Expr left, Expr right) {
        boolean isEach = left.type().isArray() && right.type().isArray()
                || left.type() == SqlType.UNKNOWN
                || right.type() == SqlType.UNKNOWN;
        String name = isEach ? "array_cat" : left.type().isArray() ? "array_append" : "array_prepend";
        return (Expr.Value) call(name, List.of(left, right), left.at());
    }

    /// `left symbol ANY (array)`, or ALL.
    ///
    /// - Errors: as for the operator between the value and an element; 0A000 for one that is no comparison.
    Expr test(Expr left, String symbol, boolean all, Expr.Value array, OperatorCalls.Place place) {
        SqlType element = array.type().element();
        Overloads.Choice choice = Overloads.operator(Operators.binary(symbol), List.of(left.type(), element));
        Signature signature = choice.signature();
        if (signature == null) {
            throw OperatorCalls.noOperator(
                    analysis, symbol, List.of(left.type(), element), choice.ambiguous(), place.find());
        }
        ArrayOperation.Match match = ArrayOperation.Match.of(symbol);
        if (match != null && signature.arguments().equals(List.of(SqlType.TEXT, SqlType.TEXT))) {
            List<Expr> operands = List.of(left, array);
            analysis.collations().requireDeterministic(operands, left.at());
            return called(ArrayOperation.match(match, all), operands, left.at());
        }
        ArrayOperation.Comparison comparison = ArrayOperation.Comparison.of(symbol);
        SqlType type = comparison == null ? null : CommonType.of(signature.arguments());
        if (type == null || type.array() == null) {
            throw analysis.unsupported(place.find(), "the operator " + symbol + " with ANY and ALL of an array here");
        }
        List<Expr> operands = List.of(left, array);
        analysis.collations().requireByBytes(operands, left.at(), "the operator " + symbol + " with ANY and ALL");
        return called(ArrayOperation.test(type.pgType(), comparison, all), operands, left.at());
    }

    /// `array_length(array, dimension)` of arrays that have one dimension, or none, by how many elements they have.
    Expr.Value length(Expr.Value count, Expr dimension, int at) {
        RexNode first = maker.builder()
                .makeCall(
                        SqlStdOperatorTable.EQUALS,
                        conversions.implicit(dimension, INT4).rex(),
                        maker.integer(1, INT4));
        RexNode isAny = maker.builder().makeCall(SqlStdOperatorTable.GREATER_THAN, count.rex(), maker.integer(0, INT4));
        RexNode length = maker.builder()
                .makeCall(
                        maker.nullable(maker.rel(INT4), true),
                        SqlStdOperatorTable.CASE,
                        List.of(
                                maker.and(List.of(first, isAny)),
                                count.rex(),
                                maker.builder().makeNullLiteral(maker.nullable(maker.rel(INT4), true))));
        return new Expr.Value(length, INT4, at);
    }

    /// What stands in one pair of brackets.
    ///
    /// @param lower of a slice; null where it is not written
    /// @param upper of a slice, null where it is not written; otherwise the subscript itself
    record Subscript(boolean isSlice, Expr lower, Expr upper) {
        boolean isNumber() {
            return isNumber(lower) && isNumber(upper);
        }

        int at() {
            return (isNumber(lower) ? upper : lower).at();
        }

        private static boolean isNumber(Expr bound) {
            return bound == null || bound.type().convertsTo(INT4, SqlType.Context.ASSIGNMENT);
        }
    }

    /// `array[i]`, `array[i][j]`: NULL where there is no such element. `array[i:j]`: the elements that there are.
    ///
    /// - Errors: 0A000 for what is no array.
    Expr subscript(Expr array, List<Subscript> subscripts, int at) {
        boolean areNumbers = subscripts.stream().allMatch(Subscript::isNumber);
        if (!areNumbers && array.type().isArray()) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    subscripts.stream()
                            .filter(each -> !each.isNumber())
                            .findFirst()
                            .orElseThrow()
                            .at(),
                    "array subscript must have type integer");
        }
        if (array.type().isArray() && subscripts.size() > MAX_DIMENSIONS) {
            throw new QueryException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "number of array dimensions (" + subscripts.size() + ") exceeds the maximum allowed ("
                            + MAX_DIMENSIONS + ")");
        }
        boolean isSlice = subscripts.stream().anyMatch(Subscript::isSlice);
        if (areNumbers && array instanceof Expr.Value value && value.type().isArray()) {
            PgType element = value.type().pgType().element();
            List<RexNode> operands = new ArrayList<>();
            operands.add(value.rex());
            for (Subscript each : subscripts) {
                if (isSlice) {
                    operands.add(each.isSlice() ? number(each.lower(), Integer.MIN_VALUE) : maker.integer(1, INT4));
                }
                operands.add(number(each.upper(), Integer.MAX_VALUE));
            }
            FunctionRow row = isSlice
                    ? ArrayOperation.slice(element, subscripts.size())
                    : ArrayOperation.get(element, subscripts.size());
            Expr.Value item = new Expr.Value(CatalogFunction.call(maker, row, operands), SqlType.of(row.result()), at);
            return analysis.collations().collated(item, List.of(array));
        }
        if (areNumbers && !isSlice && subscripts.size() == 1 && isArrayText(array)) {
            RexNode number = number(subscripts.getFirst().upper(), 0);
            RexNode less = maker.integer(0, INT4);
            // A difference would be one that can fail, which no CASE takes.
            if (number instanceof RexCall call
                    && call.getKind() == SqlKind.MINUS
                    && call.getOperands().size() == 2
                    && call.getOperands().get(1) instanceof RexLiteral literal
                    && literal.getType().equals(less.getType())) {
                number = call.getOperands().get(0);
                less = literal;
            }
            return new Expr.Value(textCall(ArrayFunctions.ITEM, TEXT, conversions.text(array), number, less), TEXT, at);
        }
        SqlType type = array.type();
        if (type != SqlType.OTHER && type != SqlType.NAME && !type.isArray() && !isArrayText(array)) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    array.at(),
                    "cannot subscript type " + type.displayName() + " because it does not support subscripting");
        }
        throw analysis.unsupported(at, "a subscript here");
    }

    /// Whether it is an array of composites whose fields are known.
    static boolean isOfRows(Expr.Value value) {
        OtherType type = SqlTypes.other(value.rex().getType());
        return type != null && !type.isRow() && !type.fields().isEmpty();
    }

    /// How many elements such an array has; null for any other value.
    Expr.Value cardinality(SqlNode array, ExpressionAnalyzer expressions) {
        Expr.Value value =
                array.isA(SqlKind.QUERY) || !(expressions.analyze(array) instanceof Expr.Value own) ? null : own;
        FunctionRow row = FunctionCatalog.named("cardinality").getFirst().of(PgType.TEXT);
        return value == null || !isOfRows(value)
                ? null
                : new Expr.Value(CatalogFunction.call(maker, row, List.of(value.rex())), INT4, value.at());
    }

    /// An element or a slice of a list of structs, which is held as text, as are the elements.
    ///
    /// @param rows of a composite's array type, or text
    Expr.Value rows(Expr.Value rows, Subscript subscript, int at) {
        if (!subscript.isNumber()) {
            throw analysis.error(SqlState.DATATYPE_MISMATCH, subscript.at(), "array subscript must have type integer");
        }
        List<RexNode> operands = new ArrayList<>(List.of(rows.rex()));
        if (subscript.isSlice()) {
            operands.add(number(subscript.lower(), Integer.MIN_VALUE));
        }
        operands.add(number(subscript.upper(), Integer.MAX_VALUE));
        FunctionRow row =
                subscript.isSlice() ? ArrayOperation.slice(PgType.TEXT, 1) : ArrayOperation.get(PgType.TEXT, 1);
        RexCall call = (RexCall) CatalogFunction.call(maker, row, operands);
        RelDataType type = subscript.isSlice()
                ? rows.rex().getType()
                : elementType(rows.rex().getType());
        return new Expr.Value(
                maker.builder().makeCall(maker.nullable(type, true), call.getOperator(), operands), rows.type(), at);
    }

    /// `unnest` of such an array in a select list: its elements as they are shown.
    Expr.Value elements(Expr.Value rows, int at) {
        RelDataType type = elementType(rows.rex().getType());
        return new Expr.Value(unnest(rows.rex(), type), rows.type(), at);
    }

    /// `unnest` of an array that is held as text.
    ///
    /// @param type of its elements
    RexNode unnest(RexNode array, RelDataType type) {
        FunctionRow unnest = FunctionCatalog.named("unnest").stream()
                .filter(row -> row.arguments().getFirst() == PgType.ANYARRAY)
                .findFirst()
                .orElseThrow()
                .of(PgType.TEXT);
        return maker.builder().makeCall(maker.nullable(type, true), new RowsOperator(unnest), List.of(array));
    }

    private RelDataType elementType(RelDataType rows) {
        OtherType array = SqlTypes.other(rows);
        if (array == null) {
            return rows;
        }
        String name = array.name().endsWith("[]")
                ? array.name().substring(0, array.name().length() - 2)
                : "";
        long oid = analysis.context().objectIds().find(PgType.REGTYPE, name);
        boolean isKnown = !name.isEmpty() && oid > 0;
        return SqlTypes.relType(
                maker.factory(),
                new OtherType(
                        isKnown ? (int) oid : OtherType.RECORD.oid(),
                        name.isEmpty() ? OtherType.RECORD.name() : name,
                        List.of(),
                        array.isStyled(),
                        true,
                        array.fields()));
    }

    /// The NOT NULL type of arrays of composites of a type.
    RelDataType arrayType(RelDataType row) {
        OtherType element = SqlTypes.other(row);
        String name = element.name() + "[]";
        long oid = analysis.context().objectIds().find(PgType.REGTYPE, name);
        OtherType records = OtherType.recordsOf(element.fields());
        return SqlTypes.relType(
                maker.factory(),
                new OtherType(
                        oid > 0 ? (int) oid : records.oid(),
                        name,
                        List.of(),
                        element.isStyled(),
                        false,
                        element.fields()));
    }

    private RexNode number(Expr bound, int absent) {
        return bound == null
                ? maker.integer(absent, INT4)
                : conversions.implicit(bound, INT4).rex();
    }

    /// Whether a text is an array's: what a function answers, or a column while the system catalog is in sight.
    boolean isArrayText(Expr expr) {
        return expr instanceof Expr.Value value
                && value.type() == SqlType.TEXT
                && !(value.rex() instanceof RexLiteral)
                && (scope.seesCatalog()
                        || value.rex() instanceof RexCall call && call.getOperator() instanceof ScalarFunctionOperator);
    }

    /// Whether it is an element of an array held as text.
    static boolean isItem(Expr expr) {
        return expr instanceof Expr.Value value
                && value.rex() instanceof RexCall call
                && call.getOperator() == ArrayFunctions.ITEM;
    }

    /// Whether an element of an array held as text has the value's text.
    RexNode textContains(Expr array, Expr wanted) {
        return textCall(ArrayFunctions.CONTAINS, BOOL, conversions.text(wanted), conversions.text(array));
    }

    private RexNode textCall(SqlOperator function, SqlType type, RexNode... arguments) {
        return maker.builder().makeCall(maker.nullable(maker.rel(type), true), function, List.of(arguments));
    }

    /// `information_schema._pg_expandarray(array)`, by which drivers ask for the columns of keys: a row of each element
    /// of an array or a vector of smallint, and its number from 1. As a value it is a record, of whose fields
    /// queries around read `x`, the element, and `n`, the number.
    ///
    /// - Source: PostgreSQL's `information_schema.sql`.
    static final class ExpandedArrays {
        private static final String NAME = "_pg_expandarray";
        private static final OtherType TYPE =
                OtherType.recordOf(List.of(new Field("x", DataType.INT16, true), new Field("n", DataType.INT32, true)));
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
}
