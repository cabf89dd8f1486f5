package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.JsonExpression;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.rel.Prevailing;
import dev.quarrel.calcite.sql.convert.AnalyzedNode;
import dev.quarrel.calcite.sql.convert.Collating;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.RecordFields;
import dev.quarrel.calcite.sql.convert.TypeNames;
import dev.quarrel.calcite.sql.series.DesignatedTimestamp;
import dev.quarrel.calcite.sql.series.GapfillQuery;
import dev.quarrel.calcite.sql.series.SeriesCall;
import dev.quarrel.calcite.sql.series.SeriesFunctions;
import dev.quarrel.calcite.sql.series.TimeInterval;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.ir.AggregateKind;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBinaryOperator;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlPrefixOperator;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/// Analyses an expression of the syntax tree: resolves its columns and operators, decides its types, and adds
/// conversions.
///
/// - Errors: [QueryException] with PostgreSQL's SQLSTATE, message and position.
/// - Source: PostgreSQL's `parse_expr.c`.
final class ExpressionAnalyzer {
    private final Analysis analysis;
    private final Scope scope;
    private final RexMaker maker;
    private final Conversions conversions;
    private final Columns columns;
    private final Columns.Composites composites;
    private final SubQueries subQueries;
    private final ArrayCalls arrays;
    private final OperatorCalls operators;
    private final Predicates predicates;
    private final ListComparisons lists;
    private final Conditionals conditionals;
    private final FunctionCalls calls;
    private final JsonExpressions documents;

    ExpressionAnalyzer(Analysis analysis, Scope scope) {
        this.analysis = analysis;
        this.scope = scope;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.columns = new Columns(analysis);
        this.composites = new Columns.Composites(
                columns,
                scope,
                this::analyze,
                (array, item) -> arrays().subscript(array, subscripts(item), Positions.start(item)));
        this.subQueries = new SubQueries(analysis, scope, this);
        this.arrays = new ArrayCalls(analysis, scope);
        this.operators = new OperatorCalls(analysis, arrays);
        this.predicates = new Predicates(analysis, this, operators);
        this.lists = new ListComparisons(analysis, this, operators, arrays, subQueries);
        this.conditionals = new Conditionals(analysis, this, operators);
        this.calls = new FunctionCalls(analysis, scope, this, arrays, conditionals);
        this.documents = new JsonExpressions(analysis, scope, this);
    }

    OperatorCalls operators() {
        return operators;
    }

    FunctionCalls calls() {
        return calls;
    }

    Columns.Composites composites() {
        return composites;
    }

    ArrayCalls arrays() {
        return arrays;
    }

    SubQueries subQueries() {
        return subQueries;
    }

    Scope scope() {
        return scope;
    }

    RexNode condition(SqlNode node, String what) {
        Expr expr = analyze(node);
        RexNode condition = conversions.condition(expr, what);
        if (RowsInSelect.in(condition)) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH, expr.at(), "argument of " + what + " must not return a set");
        }
        return condition;
    }

    List<Expr> analyzeAll(List<? extends SqlNode> nodes) {
        List<Expr> exprs = new ArrayList<>();
        for (SqlNode node : nodes) {
            exprs.add(analyze(node));
        }
        return exprs;
    }

    Expr analyze(SqlNode node) {
        Expr expr = open(node);
        return expr instanceof Expr.Array array ? conversions.arrays().value(array) : expr;
    }

    /// Analyses an expression; an array that it writes out, `ARRAY[…]`, is not a value yet.
    Expr open(SqlNode node) {
        return conversions.widened(read(node));
    }

    private Expr read(SqlNode node) {
        return switch (node) {
            case SqlIdentifier identifier -> {
                if (identifier.isStar() && identifier.names.size() > 1) {
                    yield columns.wholeRow(identifier, scope);
                }
                if (identifier.isStar()) {
                    throw analysis.error(
                            SqlState.SYNTAX_ERROR,
                            Positions.start(node),
                            "row expansion via \"*\" is not supported here");
                }
                yield columns.column(identifier, scope);
            }
            case SqlLiteral literal -> literal(literal);
            case SqlDynamicParam parameter -> parameter(parameter);
            case AnalyzedNode known -> known.expr();
            case JsonExpression json -> documents.analyze(json, Positions.start(json));
            case SqlCase choice -> conditionals.choice(choice);
            case SqlCall call -> node.isA(SqlKind.QUERY) ? subQueries.scalar(node) : call(call);
            default -> throw analysis.unsupported(Positions.start(node), "this expression");
        };
    }

    private Expr parameter(SqlDynamicParam parameter) {
        Expr.Parameter unknown = new Expr.Parameter(parameter.getIndex(), Positions.start(parameter));
        SqlType type = analysis.parameters().of(parameter.getIndex());
        return type == SqlType.UNKNOWN ? unknown : conversions.parameter(unknown, type);
    }

    private Expr literal(SqlLiteral literal) {
        int at = Positions.start(literal);
        if (literal.getValue() == null) {
            return literal.getTypeName() == SqlTypeName.BOOLEAN
                    ? Expr.Value.bool(maker.nullOf(maker.bool()), at)
                    : new Expr.Null(at);
        }
        if (literal instanceof SqlNumericLiteral number) {
            return number(number, false, at);
        }
        if (literal.getTypeName() == SqlTypeName.BOOLEAN) {
            return Expr.Value.bool(maker.literal(literal.booleanValue()), at);
        }
        if (SqlTypeName.CHAR_TYPES.contains(literal.getTypeName())) {
            return new Expr.Text(literal.getValueAs(String.class), at);
        }
        throw analysis.unsupported(at, "this literal");
    }

    /// int4, int8 or numeric: the first that holds it. A sign written before belongs to the number.
    private Expr number(SqlNumericLiteral literal, boolean negated, int at) {
        Expr.Value value = numberValue(literal, negated, at);
        maker.origins().written(value.rex(), Positions.start(literal), negated);
        return value;
    }

    private Expr.Value numberValue(SqlNumericLiteral literal, boolean negated, int at) {
        BigDecimal written = literal.bigDecimalValue();
        BigDecimal value = negated ? written.negate() : written;
        if (literal.getScale() == null || literal.getScale() == 0) {
            BigInteger integer = value.toBigIntegerExact();
            if (integer.bitLength() <= 31) {
                return new Expr.Value(maker.integer(integer.longValue(), SqlType.INT4), SqlType.INT4, at);
            }
            if (integer.bitLength() <= 63) {
                return new Expr.Value(maker.integer(integer.longValue(), SqlType.INT8), SqlType.INT8, at);
            }
        }
        try {
            return conversions.decimal(value, at);
        } catch (QueryException e) {
            throw analysis.located(e, at);
        }
    }

    private Expr call(SqlCall call) {
        int at = Positions.start(call);
        SqlOperator operator = call.getOperator();
        if (operator == PostgresOperators.TYPED_LITERAL) {
            return cast(call.operand(0), call.operand(1), at, at);
        }
        if (operator == PostgresOperators.BIT_LITERAL) {
            String digits = ((SqlLiteral) call.operand(0)).getValueAs(String.class);
            return conversions.implicit(new Expr.Text(digits, at), SqlType.BIT);
        }
        if (operator == PostgresOperators.NUMERIC_LITERAL) {
            String digits = ((SqlLiteral) call.operand(0)).getValueAs(String.class);
            return conversions.implicit(new Expr.Text(digits, at), conversions.numericType());
        }
        if (operator == Prevailing.OPERATOR) {
            return prevailing(call, at);
        }
        return switch (call.getKind()) {
            case AND, OR -> logic(call, at);
            case NOT -> Expr.Value.bool(maker.not(condition(call.operand(0), "NOT")), at);
            case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
                infix(call.getKind().sql, call);
            case PLUS, MINUS, TIMES, DIVIDE -> infix(operator.getName(), call);
            case MOD -> operator instanceof SqlBinaryOperator ? infix("%", call) : calls.call(call);
            case MINUS_PREFIX -> negative(call, at);
            case PLUS_PREFIX -> operators.prefix("+", analyze(call.operand(0)), at);
            case IS_NULL -> predicates.isNull(call.operand(0), SqlStdOperatorTable.IS_NULL, at);
            case IS_NOT_NULL -> predicates.isNull(call.operand(0), SqlStdOperatorTable.IS_NOT_NULL, at);
            case IS_TRUE, IS_NOT_TRUE, IS_FALSE, IS_NOT_FALSE, IS_UNKNOWN -> predicates.truth(call, at);
            case IS_DISTINCT_FROM -> predicates.distinct(call, SqlStdOperatorTable.IS_DISTINCT_FROM, at);
            case IS_NOT_DISTINCT_FROM -> predicates.distinct(call, SqlStdOperatorTable.IS_NOT_DISTINCT_FROM, at);
            case BETWEEN -> predicates.between(call, at);
            case LIKE, SIMILAR -> predicates.like(call, at);
            case IN -> lists.in(call, false, at);
            case NOT_IN -> lists.in(call, true, at);
            case SOME, ALL -> lists.quantified(call, at);
            case EXISTS -> subQueries.exists(call.operand(0), at);
            case CAST -> castCall(call, at);
            case ROW -> row(call, at);
            case ITEM -> subscript(call, at);
            case DOT -> dot(call, at);
            case ARRAY_QUERY_CONSTRUCTOR -> subQueries.array(call.operand(0), at);
            case ARRAY_VALUE_CONSTRUCTOR ->
                new Expr.Array(call.getOperandList().stream().map(this::open).toList(), at);
            case OTHER -> PostgresOperators.isInInterval(operator) ? inInterval(call, at) : other(call, at);
            default -> {
                if (operator.getName().equals("IS NOT UNKNOWN")) {
                    yield predicates.truth(call, at);
                }
                requireNoGapfill(call);
                Expr expression = ofSeries(call);
                yield expression == null ? calls.call(call) : expression;
            }
        };
    }

    /// `right >= left` as what a WINDOW join asks, with a column of the left row.
    private Expr prevailing(SqlCall call, int at) {
        RexCall compared = (RexCall) ((Expr.Value) infix(">=", call)).rex();
        List<RexNode> operands = new ArrayList<>(compared.getOperands());
        operands.add(((Expr.Value) analyze(call.operand(2))).rex());
        return Expr.Value.bool(maker.call(Prevailing.OPERATOR, maker.bool(), operands), at);
    }

    /// Gaps are filled between the groups of a SELECT: its select list has the bucket, GROUP BY as well.
    private void requireNoGapfill(SqlCall call) {
        String name = call.getOperator().getName();
        if (GapfillQuery.isFunction(call) && analysis.functions().named(name).isEmpty()) {
            throw analysis.unsupported(Positions.start(call), name + " here")
                    .withHint("time_bucket_gapfill stands in the select list and in GROUP BY; locf and interpolate in "
                            + "the select list or ORDER BY of the same query.");
        }
    }

    /// A function of those who write SQL for time series, as the expression that it is; null for another call, or where
    /// the application has one of that name.
    private Expr ofSeries(SqlCall call) {
        SeriesFunctions.Call found = SeriesFunctions.find(call);
        if (found == null
                || !analysis.functions().named(found.name()).isEmpty()
                || analysis.functions().aggregate(found.name()) != null) {
            return null;
        }
        SqlNode written = found.written(new SeriesArguments(analysis, this));
        return written == null ? null : analyze(written);
    }

    /// What is known of the arguments of such a function.
    private record SeriesArguments(Analysis analysis, ExpressionAnalyzer expressions) implements SeriesCall.Source {
        @Override
        public SeriesCall.Argument argument(SqlNode node) {
            Expr expr = expressions.analyze(node);
            return new SeriesCall.Argument(new AnalyzedNode(expr, node.getParserPosition()), expr.type());
        }

        @Override
        public boolean isOrdered(SqlNode node) {
            Expr expr = new OuterAggregates(analysis, expressions.scope()).peek(node, expressions);
            return expr instanceof Expr.Value value
                    && AggregateKind.FIRST.takesInPlace(
                            DataType.INT64, SqlTypes.dataType(value.rex().getType()));
        }

        @Override
        public String text() {
            return analysis.text();
        }
    }

    /// `time IN '2016-01'`
    private Expr inInterval(SqlCall call, int at) {
        Expr time = analyze(call.operand(0));
        if (!DesignatedTimestamp.isTime(time.type())) {
            throw Positions.syntaxError(analysis.text(), Positions.start(call.operand(1)));
        }
        String text = ((SqlLiteral) call.operand(1)).getValueAs(String.class);
        RexNode within;
        try {
            within = condition(TimeInterval.written(call.operand(0), time.type(), text), "IN");
        } catch (QueryException e) {
            throw analysis.located(e, Positions.start(call.operand(1)));
        }
        boolean isNot = call.getOperator().getName().equals(PostgresOperators.NOT_IN_INTERVAL);
        return Expr.Value.bool(isNot ? maker.not(within) : within, at);
    }

    /// `array[i][j]`, `array[i:j]`: the subscripts belong together.
    private Expr subscript(SqlCall call, int at) {
        SqlNode array = call;
        while (array instanceof SqlCall item && item.getKind() == SqlKind.ITEM) {
            array = item.operand(0);
        }
        List<ArrayCalls.Subscript> subscripts = subscripts(call);
        Expr subscripted = analyze(array);
        if (subscripts.size() == 1
                && subscripted instanceof Expr.Value rows
                && rows.type() != SqlType.JSONB
                && (ArrayCalls.isOfRows(rows) || composites.cardinality(array) != null)) {
            return arrays.rows(rows, subscripts.getFirst(), at);
        }
        return subscripted.type() == SqlType.JSONB
                ? element(subscripted, subscripts)
                : arrays.subscript(subscripted, subscripts, at);
    }

    private List<ArrayCalls.Subscript> subscripts(SqlCall call) {
        List<SqlNode> written = new ArrayList<>();
        for (SqlNode array = call; array instanceof SqlCall item && item.getKind() == SqlKind.ITEM; ) {
            written.add(item.operand(1));
            array = item.operand(0);
        }
        List<ArrayCalls.Subscript> subscripts = new ArrayList<>();
        for (SqlNode node : written.reversed()) {
            if (node instanceof SqlCall slice && slice.getOperator() == PostgresOperators.SLICE) {
                subscripts.add(new ArrayCalls.Subscript(true, bound(slice.operand(0)), bound(slice.operand(1))));
            } else {
                subscripts.add(new ArrayCalls.Subscript(false, null, analyze(node)));
            }
        }
        return subscripts;
    }

    /// `document['key'][1]`: what `#>` finds.
    private Expr element(Expr document, List<ArrayCalls.Subscript> subscripts) {
        List<Expr> path = new ArrayList<>();
        for (ArrayCalls.Subscript each : subscripts) {
            if (each.isSlice()) {
                throw analysis.error(
                        SqlState.DATATYPE_MISMATCH,
                        each.upper() == null ? document.at() : each.at(),
                        "jsonb subscript does not support slices");
            }
            Expr key = each.upper();
            boolean isNumber =
                    key.type() != SqlType.UNKNOWN && key.type().convertsTo(SqlType.INT4, SqlType.Context.IMPLICIT);
            if (!isNumber && !key.type().convertsTo(SqlType.TEXT, SqlType.Context.IMPLICIT)) {
                throw analysis.error(
                                SqlState.DATATYPE_MISMATCH,
                                each.at(),
                                "subscript type " + key.type().displayName() + " is not supported")
                        .withHint("jsonb subscript must be coercible to either integer or text.");
            }
            path.add(new Expr.Value(conversions.text(key), SqlType.TEXT, each.at()));
        }
        Expr.Value array = conversions.arrays().value(new Expr.Array(path, document.at()));
        return operators.call("#>", document, array, document::at);
    }

    /// A slice's bound; null where none is written.
    private Expr bound(SqlNode node) {
        return node instanceof SqlNodeList ? null : analyze(node);
    }

    private Expr logic(SqlCall call, int at) {
        String what = call.getKind().name();
        List<RexNode> conditions = new ArrayList<>();
        for (SqlNode operand : chain(call)) {
            conditions.add(condition(operand, what));
        }
        return Expr.Value.bool(call.getKind() == SqlKind.AND ? maker.and(conditions) : maker.or(conditions), at);
    }

    /// The operands of a chain of one operator, first to last: a chain of any length is one call.
    private static List<SqlNode> chain(SqlCall call) {
        List<SqlNode> operands = new ArrayList<>();
        SqlNode node = call;
        while (node.getKind() == call.getKind() && ((SqlCall) node).operandCount() == 2) {
            operands.add(((SqlCall) node).operand(1));
            node = ((SqlCall) node).operand(0);
        }
        operands.add(node);
        return operands.reversed();
    }

    private Expr other(SqlCall call, int at) {
        if (call.getOperator() == PostgresOperators.COLLATE) {
            return collate(call, at);
        }
        if (call.getOperator() == PostgresOperators.IS_JSON || call.getOperator() == PostgresOperators.IS_NOT_JSON) {
            String kind = ((SqlLiteral) call.operand(1)).getValueAs(String.class);
            boolean isNot = call.getOperator() == PostgresOperators.IS_NOT_JSON;
            return documents.isJson(analyze(call.operand(0)), kind, isNot, at);
        }
        if (call.getOperator() == PostgresOperators.AT_TIME_ZONE
                || call.getOperator() == PostgresOperators.SHOWN_AT_TIME_ZONE
                || call instanceof SqlBasicCall && call.getOperator() instanceof SqlUnresolvedFunction) {
            return calls.call(call);
        }
        return call.getOperator() instanceof SqlPrefixOperator
                ? operators.prefix(call.getOperator().getName(), analyze(call.operand(0)), at)
                : infix(call.getOperator().getName(), call);
    }

    private Expr collate(SqlCall call, int at) {
        Expr value = analyze(call.operand(0));
        SqlIdentifier name = call.operand(1);
        int collateAt = analysis.operatorAfter(call.operand(0));
        if (Collating.of(value.type()) == Collating.NONE && value.type() != SqlType.UNKNOWN) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    collateAt,
                    "collations are not supported by type " + value.type().displayName());
        }
        Collating collating = new Collating.Known(analysis.collations().named(name.names, collateAt), true, collateAt);
        return value instanceof Expr.Text(String text, int textAt, Collating _)
                ? new Expr.Text(text, textAt, collating)
                : conversions.resolved(value).with(collating);
    }

    private Expr infix(String symbol, SqlCall call) {
        SqlNode left = call.operand(0);
        SqlNode right = call.operand(1);
        RowComparisons composites = new RowComparisons(analysis, operators, this);
        boolean isWritten = RowComparisons.isWritten(left) || RowComparisons.isWritten(right);
        Expr.Value compared = isWritten ? composites.of(symbol, left, right, () -> analysis.operatorAfter(left)) : null;
        if (compared != null) {
            return compared;
        }
        Expr leftExpr = analyze(left);
        boolean isNot = symbol.equals(PostgresOperators.IS_NOT_NORMALIZED);
        if (isNot || symbol.equals(PostgresOperators.IS_NORMALIZED)) {
            Expr.Value is = (Expr.Value) calls.function(
                    "is_normalized",
                    List.of(leftExpr, analyze(right)),
                    analysis.operatorAfter(left),
                    "pg_catalog.is_normalized");
            return isNot ? Expr.Value.bool(maker.not(is.rex()), is.at()) : is;
        }
        if (leftExpr instanceof Expr.Row row && right.isA(SqlKind.QUERY)) {
            return subQueries.compared(row, symbol, left, right);
        }
        Expr rightExpr = analyze(right);
        if (RowComparisons.maybe(leftExpr, rightExpr)) {
            compared = composites.of(symbol, left, right, () -> analysis.operatorAfter(left));
        }
        return compared == null ? operators.infix(symbol, leftExpr, rightExpr, left) : compared;
    }

    private Expr negative(SqlCall call, int at) {
        SqlNode operand = call.operand(0);
        return operand instanceof SqlNumericLiteral literal
                ? number(literal, true, at)
                : operators.prefix("-", analyze(operand), at);
    }

    /// `ROW(a, t.*)`: all fields of the table's row are fields of this one.
    Expr.Row row(SqlCall call, int at) {
        List<Expr> items = new ArrayList<>();
        for (SqlNode operand : call.getOperandList()) {
            boolean isStar =
                    operand instanceof SqlIdentifier identifier && identifier.isStar() && identifier.names.size() > 1;
            if (isStar && analyze(operand) instanceof Expr.Row whole) {
                items.addAll(whole.items());
            } else {
                items.add(analyze(operand));
            }
        }
        return new Expr.Row(items, at);
    }

    /// `(t).a`, `(ROW(1, 2)).f1`.
    private Expr dot(SqlCall call, int at) {
        if (call.operand(1) instanceof SqlIdentifier name && name.isSimple()) {
            Expr found = composites.field(call.operand(0), name.getSimple());
            if (found != null) {
                return found;
            }
            Expr.Row composite = composites.row(call.operand(0));
            if (composite != null) {
                throw analysis.error(
                        SqlState.UNDEFINED_COLUMN,
                        insideParentheses(composite.at()),
                        composite.of() == OtherType.RECORD
                                ? "could not identify column \"" + name.getSimple() + "\" in record data type"
                                : "column \"" + name.getSimple() + "\" not found in data type "
                                        + composite.of().name());
            }
        }
        Expr value = call.operand(1) instanceof SqlIdentifier name && name.isSimple() ? analyze(call.operand(0)) : null;
        Expr expanded = value == null
                ? null
                : new ArrayCalls.ExpandedArrays(analysis, calls)
                        .field(value, ((SqlIdentifier) call.operand(1)).getSimple(), at);
        if (expanded != null) {
            return expanded;
        }
        if (call.operand(1) instanceof SqlIdentifier field && value instanceof Expr.Row row) {
            Expr found = row.field(field.getSimple());
            if (found == null) {
                throw analysis.error(
                        SqlState.UNDEFINED_COLUMN,
                        insideParentheses(row.at()),
                        row.isWhole() && row.of() != OtherType.RECORD
                                ? "column " + row.of().name() + "." + field.getSimple() + " does not exist"
                                : "could not identify column \"" + field.getSimple() + "\" in record data type");
            }
            return found.type() == SqlType.UNKNOWN ? conversions.resolved(found) : found;
        }
        if (call.operand(1) instanceof SqlIdentifier field
                && value instanceof Expr.Value composite
                && !RecordFields.of(composite.rex().getType()).isEmpty()) {
            return fieldOf(composite, field.getSimple());
        }
        if (call.operand(1) instanceof SqlIdentifier field
                && value instanceof Expr.Value plain
                && plain.type() != SqlType.OTHER
                && plain.type() != SqlType.UNKNOWN) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE,
                    insideParentheses(plain.at()),
                    "column notation ." + field.getSimple() + " applied to type "
                            + plain.type().displayName() + ", which is not a composite type");
        }
        throw analysis.unsupported(at, "a field of a row value");
    }

    /// - Errors: 42703, also for a record, whose fields PostgreSQL does not know.
    private Expr.Value fieldOf(Expr.Value composite, String name) {
        OtherType type = SqlTypes.other(composite.rex().getType());
        boolean isRecord = type.name().equals(OtherType.RECORD.name());
        Expr.Value found =
                isRecord ? null : analysis.recordFields().field(composite.rex(), List.of(name), composite.at());
        if (found == null) {
            throw analysis.error(
                    SqlState.UNDEFINED_COLUMN,
                    insideParentheses(composite.at()),
                    isRecord
                            ? "could not identify column \"" + name + "\" in record data type"
                            : "column \"" + name + "\" not found in data type " + type.name());
        }
        return found;
    }

    /// Where what stands in parentheses begins: the syntax tree's place is theirs.
    private int insideParentheses(int at) {
        int inside = at;
        while (analysis.text().charAt(inside) == '('
                || Character.isWhitespace(analysis.text().charAt(inside))) {
            inside++;
        }
        return inside;
    }

    /// `CAST(x AS type)` or `x::type`.
    private Expr castCall(SqlCall call, int at) {
        boolean infix = call.getOperator() != SqlStdOperatorTable.CAST;
        int castAt = infix ? analysis.operatorAfter(call.operand(0)) : at;
        return cast(call.operand(1), call.operand(0), castAt, at);
    }

    /// @param castAt where an impossible cast is reported
    private Expr cast(SqlNode type, SqlNode value, int castAt, int at) {
        PostgresTypeName written = (PostgresTypeName) ((SqlDataTypeSpec) type).getTypeNameSpec();
        RowTypes rows = new RowTypes(analysis);
        RowTypes.RowType row = rows.find(written);
        if (row != null) {
            return rows.cast(analyze(value), row, castAt).at(at);
        }
        TypeNames.Target target = analysis.conversions().typeNames().target(written);
        Expr converted = conversions.cast(open(value), target, castAt);
        return converted instanceof Expr.Value result ? result.at(at) : converted;
    }
}
