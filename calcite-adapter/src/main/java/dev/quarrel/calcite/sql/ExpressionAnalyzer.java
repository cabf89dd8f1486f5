package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlBasicCall;
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
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlLikeOperator;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;

/// Gives an expression of the syntax tree its meaning: columns, types, operators, conversions.
///
/// - Errors: [QueryException] with PostgreSQL's SQLSTATE, message and position.
/// - Source: PostgreSQL's `parse_expr.c` and `parse_oper.c`.
final class ExpressionAnalyzer {
    private static final Set<String> PLAIN_COLLATIONS = Set.of("default", "C", "POSIX", "ucs_basic");

    /// From this many items on an IN list is a SEARCH.
    private static final int SEARCH_ITEMS = 20;

    private final Analysis analysis;
    private final Scope scope;
    private final RexMaker maker;
    private final Conversions conversions;
    private final Columns columns;
    private final SubQueries subQueries;
    private final FunctionCalls calls;
    private final ArrayCalls arrays;

    ExpressionAnalyzer(Analysis analysis, Scope scope) {
        this.analysis = analysis;
        this.scope = scope;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.columns = new Columns(analysis);
        this.subQueries = new SubQueries(analysis, scope, this);
        this.arrays = new ArrayCalls(analysis);
        this.calls = new FunctionCalls(analysis, scope, this, arrays);
    }

    Scope scope() {
        return scope;
    }

    RexNode condition(SqlNode node, String what) {
        return conversions.condition(analyze(node), what);
    }

    List<Expr> analyzeAll(List<? extends SqlNode> nodes) {
        List<Expr> exprs = new ArrayList<>();
        for (SqlNode node : nodes) {
            exprs.add(analyze(node));
        }
        return exprs;
    }

    Expr analyze(SqlNode node) {
        return switch (node) {
            case SqlIdentifier identifier -> {
                if (identifier.isStar()) {
                    throw analysis.error(
                            SqlState.SYNTAX_ERROR,
                            Conversions.start(node),
                            "row expansion via \"*\" is not supported here");
                }
                yield columns.column(identifier, scope);
            }
            case SqlLiteral literal -> literal(literal, false);
            case SqlDynamicParam parameter -> parameter(parameter);
            case SqlCase choice -> choice(choice);
            case SqlCall call -> node.isA(SqlKind.QUERY) ? subQueries.scalar(node) : call(call);
            default -> throw analysis.unsupported(Conversions.start(node), "this expression");
        };
    }

    private Expr parameter(SqlDynamicParam parameter) {
        Expr.Parameter unknown = new Expr.Parameter(parameter.getIndex(), Conversions.start(parameter));
        SqlType type = analysis.parameterType(parameter.getIndex());
        return type == SqlType.UNKNOWN ? unknown : conversions.parameter(unknown, type);
    }

    private Expr literal(SqlLiteral literal, boolean negated) {
        int at = Conversions.start(literal);
        if (literal.getValue() == null) {
            return literal.getTypeName() == SqlTypeName.BOOLEAN
                    ? new Expr.Value(maker.nullOf(maker.bool()), SqlType.BOOL, at)
                    : new Expr.Null(at);
        }
        if (literal instanceof SqlNumericLiteral number) {
            return number(number, negated, at);
        }
        if (literal.getTypeName() == SqlTypeName.BOOLEAN) {
            return new Expr.Value(maker.literal(literal.booleanValue()), SqlType.BOOL, at);
        }
        if (SqlTypeName.CHAR_TYPES.contains(literal.getTypeName())) {
            return new Expr.Text(literal.getValueAs(String.class), at);
        }
        throw analysis.unsupported(at, "this literal");
    }

    /// int4, int8 or numeric: the first that holds it. A sign written before belongs to the number.
    private Expr number(SqlNumericLiteral literal, boolean negated, int at) {
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
            return new Expr.Value(conversions.decimal(value), SqlType.NUMERIC, at);
        } catch (QueryException e) {
            throw analysis.located(e, at);
        }
    }

    private Expr choice(SqlCase choice) {
        int at = Conversions.start(choice);
        List<RexNode> conditions = new ArrayList<>();
        for (SqlNode when : choice.getWhenOperands()) {
            conditions.add(condition(when, "CASE/WHEN"));
        }
        // PostgreSQL looks at ELSE first when it decides the type.
        List<Expr> results = new ArrayList<>();
        SqlNode otherwise = choice.getElseOperand();
        results.add(otherwise == null ? new Expr.Null(at) : analyze(otherwise));
        results.addAll(analyzeAll(choice.getThenOperands().getList()));
        SqlType type = conversions.commonType(results, "CASE");
        List<Expr.Value> values = conversions.unified(results, type, "CASE");
        List<RexNode> operands = new ArrayList<>();
        for (int index = 0; index < conditions.size(); index++) {
            operands.add(conditions.get(index));
            operands.add(values.get(index + 1).rex());
        }
        operands.add(values.get(0).rex());
        return branches(operands, values, type, at);
    }

    /// A CASE whose branches are `values`.
    Expr.Value branches(List<RexNode> operands, List<Expr.Value> values, SqlType type, int at) {
        boolean nullable = values.stream().anyMatch(each -> each.rex().getType().isNullable());
        RelDataType result = maker.nullable(values.get(0).rex().getType(), nullable);
        RexNode rex = maker.builder().makeCall(result, SqlStdOperatorTable.CASE, operands);
        return new Expr.Value(rex, type, values.get(0).typmod(), at);
    }

    private Expr call(SqlCall call) {
        int at = Conversions.start(call);
        SqlOperator operator = call.getOperator();
        if (operator == PostgresOperators.TYPED_LITERAL) {
            return cast(call.operand(0), call.operand(1), at);
        }
        if (operator == PostgresOperators.NUMERIC_LITERAL) {
            String digits = ((SqlLiteral) call.operand(0)).getValueAs(String.class);
            return conversions.implicit(new Expr.Text(digits, at), SqlType.NUMERIC);
        }
        return switch (call.getKind()) {
            case AND, OR -> logic(call, at);
            case NOT -> bool(maker.not(condition(call.operand(0), "NOT")), at);
            case EQUALS, NOT_EQUALS, LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
                infix(symbol(call.getKind()), call);
            case PLUS, MINUS, TIMES, DIVIDE -> infix(operator.getName(), call);
            case MOD ->
                operator instanceof org.apache.calcite.sql.SqlBinaryOperator ? infix("%", call) : calls.call(call);
            case MINUS_PREFIX -> negative(call, at);
            case PLUS_PREFIX -> prefix("+", analyze(call.operand(0)), at);
            case IS_NULL -> isNull(call.operand(0), SqlStdOperatorTable.IS_NULL, at);
            case IS_NOT_NULL -> isNull(call.operand(0), SqlStdOperatorTable.IS_NOT_NULL, at);
            case IS_TRUE, IS_NOT_TRUE, IS_FALSE, IS_NOT_FALSE, IS_UNKNOWN -> truth(call, at);
            case IS_DISTINCT_FROM -> distinct(call, SqlStdOperatorTable.IS_DISTINCT_FROM, at);
            case IS_NOT_DISTINCT_FROM -> distinct(call, SqlStdOperatorTable.IS_NOT_DISTINCT_FROM, at);
            case BETWEEN -> between(call, at);
            case LIKE -> like(call, at);
            case IN -> in(call, false, at);
            case NOT_IN -> in(call, true, at);
            case SOME, ALL -> quantified(call, at);
            case OVERLAPS -> overlaps(call, at);
            case EXISTS -> subQueries.exists(call.operand(0), at);
            case CAST -> castCall(call, at);
            case ROW -> new Expr.Row(analyzeAll(call.getOperandList()), at);
            case ITEM -> item(call, at);
            case DOT -> dot(call, at);
            case ARRAY_QUERY_CONSTRUCTOR -> subQueries.array(call.operand(0), at);
            case ARRAY_VALUE_CONSTRUCTOR -> new Expr.Array(analyzeAll(call.getOperandList()), at);
            case OTHER -> other(call, at);
            default -> {
                if (operator.getName().equals("IS NOT UNKNOWN")) {
                    yield truth(call, at);
                }
                yield calls.call(call);
            }
        };
    }

    private static String symbol(SqlKind kind) {
        return switch (kind) {
            case EQUALS -> "=";
            case NOT_EQUALS -> "<>";
            case LESS_THAN -> "<";
            case LESS_THAN_OR_EQUAL -> "<=";
            case GREATER_THAN -> ">";
            case GREATER_THAN_OR_EQUAL -> ">=";
            default -> throw new IllegalArgumentException(kind + " is no comparison");
        };
    }

    Expr.Value bool(RexNode rex, int at) {
        return new Expr.Value(rex, SqlType.BOOL, at);
    }

    private Expr logic(SqlCall call, int at) {
        String what = call.getKind().name();
        List<RexNode> conditions = new ArrayList<>();
        for (SqlNode operand : chain(call)) {
            conditions.add(condition(operand, what));
        }
        return bool(call.getKind() == SqlKind.AND ? maker.and(conditions) : maker.or(conditions), at);
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
        if (call.getOperator() == PostgresOperators.AT_TIME_ZONE) {
            return calls.atTimeZone(call, at);
        }
        if (call instanceof SqlBasicCall && call.getOperator() instanceof SqlUnresolvedFunction) {
            return calls.call(call);
        }
        return infix(call.getOperator().getName(), call);
    }

    private Expr collate(SqlCall call, int at) {
        Expr value = analyze(call.operand(0));
        SqlIdentifier name = call.operand(1);
        String collation = name.names.get(name.names.size() - 1);
        if (!PLAIN_COLLATIONS.contains(collation)) {
            throw analysis.error(
                    SqlState.UNDEFINED_OBJECT,
                    analysis.operatorAfter(call.operand(0)),
                    "collation \"" + collation + "\" for encoding \"UTF8\" does not exist");
        }
        if (!value.type().isString() && value.type() != SqlType.UNKNOWN) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    analysis.operatorAfter(call.operand(0)),
                    "collations are not supported by type " + value.type().displayName());
        }
        return value;
    }

    private Expr infix(String symbol, SqlCall call) {
        SqlNode left = call.operand(0);
        Expr leftExpr = analyze(left);
        Expr rightExpr = analyze(call.operand(1));
        return binary(symbol, leftExpr, rightExpr, left);
    }

    /// @param left the left operand's node: the operator stands behind it
    private Expr binary(String symbol, Expr leftExpr, Expr rightExpr, SqlNode left) {
        if (leftExpr instanceof Expr.Row(List<Expr> leftItems, int leftAt)
                && rightExpr instanceof Expr.Row(List<Expr> rightItems, int _)) {
            return rows(symbol, leftItems, rightItems, left, leftAt);
        }
        if (symbol.equals("||")) {
            return concatenation(leftExpr, rightExpr, left);
        }
        return operator(symbol, leftExpr, rightExpr, () -> analysis.operatorAfter(left));
    }

    /// Where an operator stands; asked only for an error, since finding it means cutting the text again.
    @FunctionalInterface
    interface Place {
        int find();
    }

    Expr.Value operator(String symbol, Expr leftExpr, Expr rightExpr, Place place) {
        Expr left = arrays.operand(leftExpr, rightExpr.type());
        Expr right = arrays.operand(rightExpr, leftExpr.type());
        if (left.type() == SqlType.OTHER || right.type() == SqlType.OTHER) {
            RexNode compared = OtherTypes.compare(maker, symbol, left, right);
            if (compared == null) {
                throw noOperator(symbol, List.of(left.type(), right.type()), false, place.find());
            }
            return new Expr.Value(compared, SqlType.BOOL, left.at());
        }
        List<SqlType> types = List.of(left.type(), right.type());
        List<Signature> signatures = Operators.binary(symbol);
        Overloads.Choice choice = Overloads.operator(signatures, types);
        Signature signature = choice.signature();
        if (signature == null && (isItem(left) || isItem(right)) && (symbol.equals("=") || symbol.equals("<>"))) {
            // An element of an array held as text is of whatever type it is compared with.
            signature = Operators.binary(symbol).stream()
                    .filter(each -> each.arguments().equals(List.of(SqlType.TEXT, SqlType.TEXT)))
                    .findFirst()
                    .orElseThrow();
            RexNode same = signature.build().apply(maker, List.of(text(left), text(right)));
            return new Expr.Value(same, SqlType.BOOL, left.at());
        }
        if (signature == null) {
            throw noOperator(symbol, types, choice.ambiguous(), place.find());
        }
        RexNode leftRex =
                conversions.implicit(left, signature.arguments().get(0)).rex();
        RexNode rightRex =
                conversions.implicit(right, signature.arguments().get(1)).rex();
        RexNode rex = signature.build().apply(maker, List.of(leftRex, rightRex));
        return new Expr.Value(rex, signature.result(), left.at());
    }

    QueryException noOperator(String symbol, List<SqlType> types, boolean ambiguous, int at) {
        if (Operators.UNSUPPORTED.contains(symbol)
                || types.stream().anyMatch(type -> type.isArray() || type == SqlType.OTHER || type == SqlType.RECORD)) {
            return analysis.unsupported(at, "operator " + description(symbol, types));
        }
        if (ambiguous) {
            return analysis.error(
                            SqlState.AMBIGUOUS_FUNCTION, at, "operator is not unique: " + description(symbol, types))
                    .withHint("Could not choose a best candidate operator. You might need to add explicit type casts.");
        }
        return analysis.error(SqlState.UNDEFINED_FUNCTION, at, "operator does not exist: " + description(symbol, types))
                .withHint(
                        types.size() == 1
                                ? "No operator matches the given name and argument type. You might need to add an explicit type"
                                        + " cast."
                                : "No operator matches the given name and argument types. You might need to add explicit type"
                                        + " casts.");
    }

    private static String description(String symbol, List<SqlType> types) {
        return types.size() == 1
                ? symbol + " " + types.get(0).displayName()
                : types.get(0).displayName() + " " + symbol + " " + types.get(1).displayName();
    }

    private Expr prefix(String symbol, Expr operand, int at) {
        List<SqlType> types = List.of(operand.type());
        Overloads.Choice choice = Overloads.operator(Operators.prefix(symbol), types);
        Signature signature = choice.signature();
        if (signature == null) {
            throw noOperator(symbol, types, choice.ambiguous(), at);
        }
        RexNode rex = signature
                .build()
                .apply(
                        maker,
                        List.of(conversions
                                .implicit(operand, signature.arguments().get(0))
                                .rex()));
        return new Expr.Value(rex, signature.result(), at);
    }

    private Expr negative(SqlCall call, int at) {
        SqlNode operand = call.operand(0);
        return operand instanceof SqlNumericLiteral literal
                ? number(literal, true, at)
                : prefix("-", analyze(operand), at);
    }

    /// One side must be text, or a literal that can be; the other is turned into text.
    private Expr concatenation(Expr left, Expr right, SqlNode leftNode) {
        if (isBytes(left) && (isBytes(right) || right.type() == SqlType.UNKNOWN)
                || isBytes(right) && left.type() == SqlType.UNKNOWN) {
            return operator("||", left, right, () -> analysis.operatorAfter(leftNode));
        }
        boolean textual = left.type().isString() || right.type().isString();
        boolean unknown = left.type() == SqlType.UNKNOWN || right.type() == SqlType.UNKNOWN;
        boolean scalar = isScalar(left.type()) && isScalar(right.type());
        if (!scalar || !textual && !unknown) {
            throw noOperator("||", List.of(left.type(), right.type()), false, analysis.operatorAfter(leftNode));
        }
        RexNode leftRex = text(left);
        RexNode rightRex = text(right);
        return new Expr.Value(
                maker.call(SqlStdOperatorTable.CONCAT, maker.rel(SqlType.TEXT), leftRex, rightRex),
                SqlType.TEXT,
                left.at());
    }

    private static boolean isScalar(SqlType type) {
        return type.category() != SqlType.Category.PSEUDO && !type.isArray() && type != SqlType.OTHER;
    }

    private static boolean isBytes(Expr expr) {
        return expr.type() == SqlType.BYTEA;
    }

    private RexNode text(Expr expr) {
        return conversions
                .convert(expr, SqlType.TEXT, -1, SqlType.Context.ASSIGNMENT)
                .rex();
    }

    private Expr rows(String symbol, List<Expr> left, List<Expr> right, SqlNode node, int at) {
        if (left.size() != right.size()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    analysis.operatorAfter(node),
                    "unequal number of entries in row expressions");
        }
        if (left.isEmpty()) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED, analysis.operatorAfter(node), "cannot compare rows of zero length");
        }
        Place place = () -> analysis.operatorAfter(node);
        List<RexNode> parts = new ArrayList<>();
        switch (symbol) {
            case "=", "<>" -> {
                for (int index = 0; index < left.size(); index++) {
                    parts.add(operator(symbol, left.get(index), right.get(index), place)
                            .rex());
                }
                return bool(symbol.equals("=") ? maker.and(parts) : maker.or(parts), at);
            }
            case "<", "<=", ">", ">=" -> {
                // (a, b) < (c, d) is a < c OR a = c AND b < d.
                String strict = symbol.substring(0, 1);
                List<RexNode> equal = new ArrayList<>();
                for (int index = 0; index < left.size(); index++) {
                    boolean last = index == left.size() - 1;
                    List<RexNode> all = new ArrayList<>(equal);
                    all.add(operator(last ? symbol : strict, left.get(index), right.get(index), place)
                            .rex());
                    parts.add(maker.and(all));
                    equal.add(operator("=", left.get(index), right.get(index), place)
                            .rex());
                }
                return bool(maker.or(parts), at);
            }
            default -> throw noOperator(symbol, List.of(SqlType.RECORD, SqlType.RECORD), false, place.find());
        }
    }

    private Expr isNull(SqlNode operand, SqlOperator operator, int at) {
        Expr expr = analyze(operand);
        if (expr instanceof Expr.Parameter(int index, int parameterAt)) {
            throw analysis.error(
                    SqlState.INDETERMINATE_DATATYPE,
                    parameterAt,
                    "could not determine data type of parameter $" + (index + 1));
        }
        if (expr instanceof Expr.Row(List<Expr> items, int _)) {
            List<RexNode> parts = new ArrayList<>();
            for (Expr item : items) {
                parts.add(maker.notNull(
                        operator, maker.bool(), conversions.resolved(item).rex()));
            }
            return bool(parts.isEmpty() ? maker.literal(true) : maker.and(parts), at);
        }
        return bool(
                maker.notNull(operator, maker.bool(), conversions.resolved(expr).rex()), at);
    }

    private Expr truth(SqlCall call, int at) {
        RexNode condition = condition(call.operand(0), call.getOperator().getName());
        // IS UNKNOWN is IS NULL of a boolean.
        SqlOperator operator =
                switch (call.getOperator().getName()) {
                    case "IS TRUE" -> SqlStdOperatorTable.IS_TRUE;
                    case "IS NOT TRUE" -> SqlStdOperatorTable.IS_NOT_TRUE;
                    case "IS FALSE" -> SqlStdOperatorTable.IS_FALSE;
                    case "IS NOT FALSE" -> SqlStdOperatorTable.IS_NOT_FALSE;
                    case "IS UNKNOWN" -> SqlStdOperatorTable.IS_NULL;
                    default -> SqlStdOperatorTable.IS_NOT_NULL;
                };
        return bool(maker.notNull(operator, maker.bool(), condition), at);
    }

    private Expr distinct(SqlCall call, SqlOperator operator, int at) {
        SqlNode leftNode = call.operand(0);
        Expr left = analyze(leftNode);
        Expr right = analyze(call.operand(1));
        return bool(distinct(left, right, operator, () -> analysis.operatorAfter(leftNode)), at);
    }

    /// Rows are distinct where any pair of their items is.
    private RexNode distinct(Expr left, Expr right, SqlOperator operator, Place place) {
        if (!(left instanceof Expr.Row(List<Expr> ones, int _))
                || !(right instanceof Expr.Row(List<Expr> others, int _))) {
            RexNode equal = operator("=", left, right, place).rex();
            List<RexNode> operands = ((RexCall) equal).getOperands();
            return maker.notNull(operator, maker.bool(), operands.get(0), operands.get(1));
        }
        if (ones.size() != others.size()) {
            throw analysis.error(SqlState.SYNTAX_ERROR, place.find(), "unequal number of entries in row expressions");
        }
        boolean isDistinct = operator == SqlStdOperatorTable.IS_DISTINCT_FROM;
        if (ones.isEmpty()) {
            return maker.literal(!isDistinct);
        }
        List<RexNode> parts = new ArrayList<>();
        for (int index = 0; index < ones.size(); index++) {
            parts.add(distinct(ones.get(index), others.get(index), operator, place));
        }
        return isDistinct ? maker.or(parts) : maker.and(parts);
    }

    private Expr between(SqlCall call, int at) {
        SqlBetweenOperator operator = (SqlBetweenOperator) call.getOperator();
        SqlNode node = call.operand(0);
        Expr value = analyze(node);
        Expr low = analyze(call.operand(1));
        Expr high = analyze(call.operand(2));
        RexNode inside = range(value, low, high, operator.isNegated(), node);
        if (operator.flag == SqlBetweenOperator.Flag.SYMMETRIC) {
            RexNode swapped = range(value, high, low, operator.isNegated(), node);
            return bool(
                    operator.isNegated() ? maker.and(List.of(inside, swapped)) : maker.or(List.of(inside, swapped)),
                    at);
        }
        return bool(inside, at);
    }

    private RexNode range(Expr value, Expr low, Expr high, boolean negated, SqlNode node) {
        Place place = () -> analysis.operatorAfter(node);
        RexNode first = comparison(negated ? "<" : ">=", value, low, node, place);
        RexNode second = comparison(negated ? ">" : "<=", value, high, node, place);
        return negated ? maker.or(List.of(first, second)) : maker.and(List.of(first, second));
    }

    private RexNode comparison(String symbol, Expr left, Expr right, SqlNode node, Place place) {
        return ((Expr.Value) binary(symbol, left, right, node)).rex();
    }

    private Expr like(SqlCall call, int at) {
        SqlLikeOperator operator = (SqlLikeOperator) call.getOperator();
        String name = operator.getName();
        if (name.contains("SIMILAR")) {
            throw analysis.unsupported(analysis.operatorAfter(call.operand(0)), "SIMILAR TO");
        }
        boolean ilike = name.contains("ILIKE");
        String symbol = (operator.isNegated() ? "!" : "") + "~~" + (ilike ? "*" : "");
        SqlNode node = call.operand(0);
        Expr value = analyze(node);
        Expr pattern = analyze(call.operand(1));
        Expr.Value matched = operator(symbol, value, pattern, () -> analysis.operatorAfter(node));
        if (call.operandCount() == 2) {
            return matched;
        }
        Expr escapeExpr = analyze(call.operand(2));
        if (isBytes(pattern) || isBytes(escapeExpr)) {
            return escapedBytes(matched, operator.isNegated(), escapeExpr, at);
        }
        if (isBytes(value)) {
            throw noOperator(symbol, List.of(SqlType.BYTEA, SqlType.TEXT), false, analysis.operatorAfter(node));
        }
        if (!escapeExpr.type().convertsTo(SqlType.TEXT, SqlType.Context.IMPLICIT)) {
            throw calls.noFunction("like_escape", List.of(pattern.type(), escapeExpr.type()), false, escapeExpr.at());
        }
        RexNode escape = conversions.implicit(escapeExpr, SqlType.TEXT).rex();
        RexCall outer = (RexCall) matched.rex();
        RexCall inner = operator.isNegated() ? (RexCall) outer.getOperands().get(0) : outer;
        RexNode escaped = maker.call(
                inner.getOperator(),
                maker.bool(),
                inner.getOperands().get(0),
                inner.getOperands().get(1),
                escape);
        return bool(operator.isNegated() ? maker.not(escaped) : escaped, at);
    }

    private Expr escapedBytes(Expr.Value matched, boolean isNegated, Expr escape, int at) {
        if (!escape.type().convertsTo(SqlType.BYTEA, SqlType.Context.IMPLICIT)) {
            throw calls.noFunction("like_escape", List.of(SqlType.BYTEA, escape.type()), false, escape.at());
        }
        RexCall outer = (RexCall) matched.rex();
        RexCall inner = isNegated ? (RexCall) outer.getOperands().getFirst() : outer;
        RexNode escaped = Operators.like(
                maker,
                inner.getOperands().get(0),
                inner.getOperands().get(1),
                conversions.implicit(escape, SqlType.BYTEA).rex());
        return bool(isNegated ? maker.not(escaped) : escaped, at);
    }

    /// `(start, end) OVERLAPS (start, end)`; an end may be an interval.
    private Expr overlaps(SqlCall call, int at) {
        List<Expr> ends = new ArrayList<>();
        for (int side = 0; side < 2; side++) {
            Expr period = analyze(call.operand(side));
            if (!(period instanceof Expr.Row(List<Expr> items, int _)) || items.size() != 2) {
                throw analysis.error(
                        SqlState.SYNTAX_ERROR,
                        Conversions.start(call.operand(side)),
                        "wrong number of parameters on " + (side == 0 ? "left" : "right")
                                + " side of OVERLAPS expression");
            }
            ends.addAll(items);
        }
        int operatorAt = analysis.operatorAfter(call.operand(0));
        Expr found = calls.function("overlaps", ends, operatorAt, "pg_catalog.overlaps");
        return ((Expr.Value) found).at(at);
    }

    private Expr in(SqlCall call, boolean negated, int at) {
        SqlNode right = call.operand(1);
        if (!(right instanceof SqlNodeList list)) {
            return subQueries.in(call.operand(0), right, negated, at);
        }
        SqlNode node = call.operand(0);
        Expr left = analyze(node);
        return inList(left, analyzeAll(list.getList()), negated ? "<>" : "=", negated, node, at);
    }

    /// `left op ANY (items)`, or ALL.
    private Expr inList(Expr left, List<Expr> items, String symbol, boolean all, SqlNode node, int at) {
        Place place = () -> analysis.operatorAfter(node);
        if (items.isEmpty()) {
            return bool(maker.literal(all), at);
        }
        List<Expr> converted = new ArrayList<>(items);
        if (!(left instanceof Expr.Row)) {
            List<Expr> constants = new ArrayList<>();
            constants.add(left);
            for (Expr item : items) {
                if (isConstant(item)) {
                    constants.add(item);
                }
            }
            // PostgreSQL makes an array of two constants or more; a single one is compared as by the operator.
            SqlType common = constants.size() > 2 ? conversions.commonTypeOrNull(constants) : null;
            if (common != null
                    && common != SqlType.OTHER
                    && common.category() != SqlType.Category.PSEUDO
                    && common.pgType() != null) {
                for (int index = 0; index < items.size(); index++) {
                    if (isConstant(items.get(index))) {
                        converted.set(index, conversions.implicit(items.get(index), common));
                    }
                }
            }
        }
        List<RexNode> parts = new ArrayList<>();
        boolean isMembership = symbol.equals("=") && !all || symbol.equals("<>") && all;
        ConstantLists.Found found = isMembership ? new ConstantLists(maker, conversions).in(left, converted) : null;
        if (found != null) {
            parts.add(all ? maker.not(found.rex()) : found.rex());
        }
        for (Expr item : found == null ? converted : found.rest()) {
            parts.add(((Expr.Value) binary(symbol, left, item, node)).rex());
        }
        RexNode search = symbol.equals("=") && !all || symbol.equals("<>") && all ? search(parts, all) : null;
        return bool(search != null ? search : all ? maker.and(parts) : maker.or(parts), at);
    }

    /// Whether it has no column of this query.
    private static boolean isConstant(Expr expr) {
        return !(expr instanceof Expr.Value value) || !RexUtil.containsInputRef(value.rex());
    }

    /// Many comparisons of one expression with literals as one SEARCH; null where they are not that.
    private RexNode search(List<RexNode> comparisons, boolean negated) {
        if (comparisons.size() < SEARCH_ITEMS) {
            return null;
        }
        RexNode value = null;
        List<RexNode> literals = new ArrayList<>();
        for (RexNode comparison : comparisons) {
            if (!(comparison instanceof RexCall call)
                    || !(call.getOperands().get(1) instanceof RexLiteral literal)
                    || literal.isNull()
                    || value != null && !value.equals(call.getOperands().get(0))) {
                return null;
            }
            value = call.getOperands().get(0);
            literals.add(literal);
        }
        RexNode in = maker.builder().makeIn(value, literals);
        return negated ? maker.not(in) : in;
    }

    private Expr quantified(SqlCall call, int at) {
        SqlQuantifyOperator operator = (SqlQuantifyOperator) call.getOperator();
        boolean all = call.getKind() == SqlKind.ALL;
        String symbol = symbol(operator.comparisonKind);
        SqlNode right = call.operand(1);
        if (!(right instanceof SqlNodeList list)) {
            return subQueries.quantified(call.operand(0), symbol, right, all, at);
        }
        SqlNode node = call.operand(0);
        Expr left = analyze(node);
        Expr array = analyze(list.get(0));
        if (array instanceof Expr.Text(String text, int textAt)) {
            return inList(left, conversions.arrayItems(text, textAt), symbol, all, node, at);
        }
        if (array instanceof Expr.Array(List<Expr> items, SqlType _, int _)) {
            return inList(left, items, symbol, all, node, at);
        }
        if (isArrayText(array) && (symbol.equals("=") && !all || symbol.equals("<>") && all)) {
            RexNode contains = maker.builder()
                    .makeCall(
                            maker.nullable(maker.bool(), true),
                            ArrayFunctions.CONTAINS,
                            List.of(text(left), text(array)));
            return bool(all ? maker.not(contains) : contains, at);
        }
        if (array instanceof Expr.Value value
                && value.type().isArray()
                && (symbol.equals("=") || symbol.equals("<>"))) {
            RexNode contains = arrays.contains(value, left, at);
            if (symbol.equals("=") && !all) {
                return bool(contains, at);
            }
            if (symbol.equals("<>") && all) {
                return bool(maker.not(contains), at);
            }
        }
        if (array.type() == SqlType.UNKNOWN
                || array.type() == SqlType.ARRAY
                || array.type() == SqlType.OTHER
                || array.type().isArray()) {
            throw analysis.unsupported(array.at(), "ANY and ALL over an array that is not written out");
        }
        throw analysis.error(
                SqlState.WRONG_OBJECT_TYPE,
                analysis.operatorAfter(node),
                "op ANY/ALL (array) requires array on right side");
    }

    /// Whether a text is an array's: what a function answers, or a column while the system catalog is in sight.
    private boolean isArrayText(Expr expr) {
        return expr instanceof Expr.Value value
                && value.type() == SqlType.TEXT
                && !(value.rex() instanceof RexLiteral)
                && (scope.seesCatalog()
                        || value.rex() instanceof RexCall call && call.getOperator() instanceof ScalarFunctionOperator);
    }

    private static boolean isItem(Expr expr) {
        return expr instanceof Expr.Value value
                && value.rex() instanceof RexCall call
                && call.getOperator() == ArrayFunctions.ITEM;
    }

    /// `(information_schema._pg_expandarray(x)).n`: drivers ask so about keys, which no table here has.
    private Expr dot(SqlCall call, int at) {
        if (call.operand(0) instanceof SqlCall inner
                && inner.getOperator() instanceof SqlUnresolvedFunction function
                && function.getSqlIdentifier().names.getLast().equals("_pg_expandarray")
                && call.operand(1) instanceof SqlIdentifier field) {
            Expr array = analyze(inner.operand(0));
            SqlType type = field.getSimple().equals("n") ? SqlType.INT4 : SqlType.TEXT;
            RexNode rex = maker.call(PostgresFunctions.OBJECT_NAME, maker.rel(type), text(array));
            return new Expr.Value(rex, type, at);
        }
        throw analysis.unsupported(at, "a field of a row value");
    }

    private Expr item(SqlCall call, int at) {
        Expr array = analyze(call.operand(0));
        Expr index = analyze(call.operand(1));
        if (array instanceof Expr.Value value
                && value.type().isArray()
                && index.type().convertsTo(SqlType.INT4, SqlType.Context.IMPLICIT)) {
            return arrays.item(value, conversions.implicit(index, SqlType.INT4).rex(), at);
        }
        if (!isArrayText(array) || !index.type().convertsTo(SqlType.INT4, SqlType.Context.IMPLICIT)) {
            throw analysis.unsupported(at, "a subscript here");
        }
        RexNode rex = maker.builder()
                .makeCall(
                        maker.nullable(maker.rel(SqlType.TEXT), true),
                        ArrayFunctions.ITEM,
                        List.of(
                                text(array),
                                conversions.implicit(index, SqlType.INT4).rex()));
        return new Expr.Value(rex, SqlType.TEXT, at);
    }

    private Expr castCall(SqlCall call, int at) {
        boolean infix = call.getOperator() != SqlStdOperatorTable.CAST;
        int castAt = infix ? analysis.operatorAfter(call.operand(0)) : at;
        return cast(call.operand(1), call.operand(0), castAt, at);
    }

    private Expr cast(SqlNode type, SqlNode value, int at) {
        return cast(type, value, at, at);
    }

    /// @param castAt where an impossible cast is reported
    private Expr cast(SqlNode type, SqlNode value, int castAt, int at) {
        PostgresTypeName written = (PostgresTypeName) ((SqlDataTypeSpec) type).getTypeNameSpec();
        Conversions.Target target = conversions.target(written);
        Expr expr = analyze(value);
        Expr converted = conversions.cast(expr, target, castAt);
        return converted instanceof Expr.Value result ? result.at(at) : converted;
    }
}
