package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.JsonExpression;
import dev.quarrel.calcite.parse.JsonExpression.Behavior;
import dev.quarrel.calcite.parse.JsonExpression.Kind;
import dev.quarrel.calcite.parse.JsonExpression.Outcome;
import dev.quarrel.calcite.parse.JsonExpression.Wrapper;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresOperators;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.TypeNames;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.json.JsonOutcome;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses JSON_EXISTS, JSON_VALUE and JSON_QUERY.
///
/// A kernel gives the text of the result, which is cast to its type behind; the kernel has seen that it can be. Where a
/// DEFAULT may be wanted, the text begins with a character that tells.
///
/// - Source: PostgreSQL's `parse_expr.c` (transformJsonFuncExpr).
final class JsonSearches {
    /// Types that JSON_VALUE and JSON_QUERY may return.
    private static final Set<SqlType> RETURNED = EnumSet.of(
            SqlType.BOOL,
            SqlType.INT2,
            SqlType.INT4,
            SqlType.INT8,
            SqlType.FLOAT4,
            SqlType.FLOAT8,
            SqlType.NUMERIC,
            SqlType.TEXT,
            SqlType.VARCHAR,
            SqlType.BPCHAR,
            SqlType.DATE,
            SqlType.TIME,
            SqlType.TIMESTAMP,
            SqlType.TIMESTAMPTZ,
            SqlType.UUID,
            SqlType.JSON,
            SqlType.JSONB);

    /// Types that a column of JSON_TABLE may have that tells whether a path finds anything.
    private static final Set<SqlType> TESTED =
            EnumSet.of(SqlType.BOOL, SqlType.INT4, SqlType.TEXT, SqlType.VARCHAR, SqlType.JSON, SqlType.JSONB);

    private final CorrelationId lateral;
    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final JsonExpressions documents;
    private final JsonValues values;
    private final RexMaker maker;
    private final Conversions conversions;

    JsonSearches(
            Analysis analysis,
            Scope scope,
            ExpressionAnalyzer expressions,
            JsonExpressions documents,
            JsonValues values) {
        this.lateral = lateral(scope);
        this.analysis = analysis;
        this.expressions = expressions;
        this.documents = documents;
        this.values = values;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
    }

    Expr analyze(JsonExpression json, int at) {
        Plan plan = plan(json, "", at);
        RexNode found = values.called(
                plan.kernel(),
                document(json),
                path(json),
                variables(json),
                text(plan.outcome().text()));
        return json.kind() == Kind.JSON_EXISTS ? new Expr.Value(found, SqlType.BOOL, at) : value(json, plan, found, at);
    }

    /// How a kernel searches, and what its text becomes.
    record Plan(String kernel, JsonOutcome outcome, SqlType type, int typmod) {}

    /// - Errors: 42601 for clauses that do not go with it; 0A000 for types.
    ///
    /// @param column of JSON_TABLE; empty for an expression
    Plan plan(JsonExpression json, String column, int at) {
        checkClauses(json, column, at);
        TypeNames.Target target = json.returning() == null ? null : documents.target(json);
        SqlType type = target != null
                ? target.type()
                : switch (json.kind()) {
                    case JSON_EXISTS -> SqlType.BOOL;
                    case JSON_VALUE -> SqlType.TEXT;
                    default -> SqlType.JSONB;
                };
        if (json.kind() == Kind.JSON_EXISTS) {
            if (!TESTED.contains(type) || target != null && target.typmod() >= 0) {
                throw analysis.unsupported(Positions.start(json.returning().type()), "this type of an EXISTS column");
            }
            char onError = json.onError() == null
                    ? JsonOutcome.FALSE
                    : behavior(json.onError().outcome());
            String name = type.pgType().typeName();
            return new Plan(
                    "json_exists",
                    new JsonOutcome(name, -1, JsonOutcome.NEVER, false, JsonOutcome.NULL, onError, column),
                    type,
                    -1);
        }
        if (!isReturned(type, target)) {
            throw analysis.unsupported(
                    Positions.start(json.returning().type()), "this type in RETURNING of " + json.kind());
        }
        boolean isOfTexts = type.isString() || type == SqlType.JSON || type == SqlType.JSONB;
        int typmod = target == null ? -1 : target.typmod();
        if (typmod >= 0 && type.isString() && (isDocument(json.onEmpty()) || isDocument(json.onError()))) {
            throw analysis.unsupported(at, "EMPTY ARRAY or EMPTY OBJECT as a text of limited length");
        }
        JsonOutcome outcome = new JsonOutcome(
                type.pgType().typeName(),
                typmod,
                wrapper(json.wrapper()),
                json.omitsQuotes(),
                behavior(json.onEmpty(), isOfTexts, at),
                behavior(json.onError(), isOfTexts, at),
                column);
        return new Plan(json.kind() == Kind.JSON_VALUE ? "json_value" : "json_query", outcome, type, typmod);
    }

    private static boolean isReturned(SqlType type, TypeNames.Target target) {
        if (type == null) {
            return false;
        }
        if (type.isArray()) {
            boolean isOfDocuments = type.element() == SqlType.JSON || type.element() == SqlType.JSONB;
            return RETURNED.contains(type.element()) && !isOfDocuments && target.typmod() < 0;
        }
        boolean isLimited = target != null && target.typmod() >= 0;
        return RETURNED.contains(type) && (!isLimited || type.isString() || type == SqlType.NUMERIC);
    }

    /// What a kernel has found, as a value of the type.
    Expr.Value value(JsonExpression json, Plan plan, RexNode found, int at) {
        RexNode result = plan.outcome().isTagged() ? withDefaults(json, plan, found) : converted(found, plan);
        return new Expr.Value(result, plan.type(), plan.typmod(), at);
    }

    RexNode text(String text) {
        return maker.string(text, maker.rel(SqlType.TEXT));
    }

    /// The text as a value of the type, which can read it.
    private RexNode converted(RexNode text, Plan plan) {
        if (plan.type() == SqlType.JSON
                || plan.type() == SqlType.JSONB && !plan.outcome().omitsQuotes()) {
            // What the kernel gives is a jsonb's text already.
            return maker.cast(maker.rel(plan.type()), text);
        }
        return conversions
                .convert(new Expr.Value(text, SqlType.TEXT, 0), plan.type(), plan.typmod())
                .rex();
    }

    private RexNode withDefaults(JsonExpression json, Plan plan, RexNode found) {
        RexNode tag = values.called("json_outcome", found);
        List<RexNode> operands = new ArrayList<>();
        addDefault(json.onEmpty(), JsonOutcome.WANTS_EMPTY, tag, plan, operands);
        addDefault(json.onError(), JsonOutcome.WANTS_ERROR, tag, plan, operands);
        RexNode value = converted(values.called("json_found", found), plan);
        operands.add(value);
        return maker.cases(maker.nullable(value.getType(), true), operands.toArray(RexNode[]::new));
    }

    private void addDefault(Behavior behavior, char wanted, RexNode tag, Plan plan, List<RexNode> operands) {
        if (behavior == null || behavior.outcome() != Outcome.DEFAULT) {
            return;
        }
        SqlType type = plan.type();
        Expr value = expressions.analyze(behavior.value());
        if (!isDefault(behavior.value(), value)) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    value.at(),
                    "can only specify a constant, non-aggregate function, or operator expression for DEFAULT");
        }
        requireNoColumns(value);
        SqlType.Context context = type.isString() ? SqlType.Context.ASSIGNMENT : SqlType.Context.EXPLICIT;
        if (!value.type().convertsTo(type, context)) {
            throw analysis.error(
                            SqlState.CANNOT_COERCE,
                            value.at(),
                            "cannot cast behavior expression of type "
                                    + value.type().displayName() + " to " + type.displayName())
                    .withHint("You will need to explicitly cast the expression to type " + type.displayName() + ".");
        }
        boolean mayBeLonger = type.isString() && plan.typmod() >= 0;
        if (mayBeLonger && !(value instanceof Expr.Null)) {
            throw analysis.unsupported(value.at(), "DEFAULT of a text of limited length");
        }
        operands.add(maker.call(SqlStdOperatorTable.EQUALS, maker.bool(), tag, text(String.valueOf(wanted))));
        operands.add(conversions.convert(value, type, plan.typmod()).rex());
    }

    /// PostgreSQL takes constants, functions and operators, and what is converted of them without a function.
    private boolean isDefault(SqlNode node, Expr value) {
        if (node instanceof SqlCall cast && cast.getKind() == SqlKind.CAST) {
            SqlNode operand = cast.operand(0);
            return isDefault(operand)
                    || isNumber(value.type())
                            && isNumber(expressions.analyze(operand).type());
        }
        return isDefault(node);
    }

    /// Numbers are converted by functions.
    private static boolean isNumber(SqlType type) {
        return switch (type) {
            case INT2, INT4, INT8, NUMERIC, FLOAT4, FLOAT8 -> true;
            default -> false;
        };
    }

    private static boolean isDefault(SqlNode value) {
        if (value instanceof SqlCall call
                && (call.getKind() == SqlKind.CAST || call.getOperator() == PostgresOperators.COLLATE)) {
            return isDefault(call.operand(0));
        }
        return switch (value.getKind()) {
            case SELECT,
                    VALUES,
                    WITH,
                    ORDER_BY,
                    UNION,
                    INTERSECT,
                    EXCEPT,
                    SCALAR_QUERY,
                    EXISTS,
                    ARRAY_QUERY_CONSTRUCTOR,
                    OVER,
                    CASE,
                    COALESCE,
                    AND,
                    OR,
                    NOT,
                    ROW -> false;
            default -> true;
        };
    }

    /// - Errors: 42804.
    private void requireNoColumns(Expr value) {
        boolean[] hasColumn = {false};
        if (value instanceof Expr.Value known) {
            known.rex().accept(new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef reference) {
                    hasColumn[0] = true;
                    return reference;
                }

                @Override
                public RexNode visitCorrelVariable(RexCorrelVariable row) {
                    hasColumn[0] |= row.id.equals(lateral);
                    return row;
                }
            });
        }
        if (hasColumn[0]) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH, value.at(), "DEFAULT expression must not contain column references");
        }
    }

    /// What stands before JSON_TABLE in FROM is of its own query.
    private static CorrelationId lateral(Scope scope) {
        boolean isLateral = scope.link() != null
                && scope.clause() == Select.Clause.FUNCTION
                && scope.parent() != null
                && scope.parent().select() == null;
        return isLateral ? scope.link().id() : null;
    }

    private static boolean isDocument(Behavior behavior) {
        return behavior != null
                && (behavior.outcome() == Outcome.EMPTY_ARRAY || behavior.outcome() == Outcome.EMPTY_OBJECT);
    }

    RexNode document(JsonExpression json) {
        JsonExpression.Argument argument = json.arguments().getFirst();
        Expr expr = argument.isFormatted() ? documents.formatted(argument) : expressions.analyze(argument.node());
        if (!expr.type().convertsTo(SqlType.JSONB, SqlType.Context.EXPLICIT)) {
            throw analysis.error(
                    SqlState.CANNOT_COERCE,
                    expr.at(),
                    "cannot cast type " + expr.type().displayName() + " to jsonb");
        }
        return conversions
                .convert(conversions.resolved(expr), SqlType.JSONB, -1)
                .rex();
    }

    private RexNode path(JsonExpression json) {
        Expr expr = expressions.analyze(json.path());
        if (!expr.type().convertsTo(SqlType.JSONPATH, SqlType.Context.EXPLICIT)) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    expr.at(),
                    "JSON path expression must be of type jsonpath, not of type "
                            + expr.type().displayName());
        }
        return conversions.convert(expr, SqlType.JSONPATH, -1).rex();
    }

    /// What PASSING names: an array of name, type and value, one after the other. A date or time is the text of its
    /// type, which stands beside it; beside any other value stands null.
    RexNode variables(JsonExpression json) {
        List<RexNode> parts = new ArrayList<>();
        for (JsonExpression.Variable variable : json.variables()) {
            JsonValues.Input input = documents.input(variable.value());
            parts.add(string(variable.name()));
            switch (input.type()) {
                case DATE, TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ -> {
                    Expr.Value time = conversions.resolved(((JsonValues.Input.One) input).expr());
                    parts.add(string(time.type().pgType().typeName()));
                    parts.add(json(conversions.output(time)));
                }
                default -> {
                    parts.add(maker.nullOf(maker.rel(SqlType.JSONB)));
                    parts.add(values.json(input, SqlType.JSONB));
                }
            }
        }
        return values.built("jsonb_build_array", "", parts);
    }

    private RexNode string(String constant) {
        return json(text(constant));
    }

    private RexNode json(RexNode text) {
        return values.json(new JsonValues.Input.One(new Expr.Value(text, SqlType.TEXT, 0)), SqlType.JSONB);
    }

    private static char wrapper(Wrapper wrapper) {
        return wrapper == null
                ? JsonOutcome.NEVER
                : switch (wrapper) {
                    case NONE -> JsonOutcome.NEVER;
                    case CONDITIONAL -> JsonOutcome.CONDITIONALLY;
                    case ALWAYS -> JsonOutcome.ALWAYS;
                };
    }

    private char behavior(Behavior behavior, boolean isOfTexts, int at) {
        if (behavior == null) {
            return JsonOutcome.NULL;
        }
        if (isDocument(behavior) && !isOfTexts) {
            throw analysis.unsupported(at, "EMPTY ARRAY or EMPTY OBJECT of another type than json");
        }
        return behavior(behavior.outcome());
    }

    private static char behavior(Outcome outcome) {
        return switch (outcome) {
            case ERROR -> JsonOutcome.ERROR;
            case NULL, UNKNOWN -> JsonOutcome.NULL;
            case TRUE -> JsonOutcome.TRUE;
            case FALSE -> JsonOutcome.FALSE;
            case EMPTY_ARRAY -> JsonOutcome.EMPTY_ARRAY;
            case EMPTY_OBJECT -> JsonOutcome.EMPTY_OBJECT;
            case DEFAULT -> JsonOutcome.DEFAULT;
        };
    }

    /// - Errors: 42601 for a clause that the function does not have.
    private void checkClauses(JsonExpression json, String column, int at) {
        Set<Outcome> allowed =
                switch (json.kind()) {
                    case JSON_EXISTS -> EnumSet.of(Outcome.ERROR, Outcome.TRUE, Outcome.FALSE, Outcome.UNKNOWN);
                    case JSON_VALUE -> EnumSet.of(Outcome.ERROR, Outcome.NULL, Outcome.DEFAULT);
                    default ->
                        EnumSet.of(
                                Outcome.ERROR,
                                Outcome.NULL,
                                Outcome.EMPTY_ARRAY,
                                Outcome.EMPTY_OBJECT,
                                Outcome.DEFAULT);
                };
        boolean isExists = json.kind() == Kind.JSON_EXISTS;
        boolean isQuery = json.kind() == Kind.JSON_QUERY;
        boolean isColumn = !column.isEmpty();
        if (isExists && (json.onEmpty() != null || json.returning() != null && !isColumn)
                || !isQuery && (json.wrapper() != null || json.omitsQuotes())) {
            throw Positions.syntaxError(analysis.text(), at);
        }
        if (json.returning() != null && json.returning().format() != null && !isQuery) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    json.returning().format().at(),
                    "cannot specify FORMAT JSON in RETURNING clause of " + json.kind() + "()");
        }
        boolean isWrapped = json.wrapper() != null && json.wrapper() != Wrapper.NONE;
        if (isWrapped && json.omitsQuotes()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    at,
                    "SQL/JSON QUOTES behavior must not be specified when WITH WRAPPER is used");
        }
        String where = isColumn ? " behavior for column \"" + column + "\"" : " behavior";
        checkBehavior(json.onEmpty(), allowed, "invalid ON EMPTY" + where);
        checkBehavior(json.onError(), allowed, "invalid ON ERROR" + where);
    }

    private void checkBehavior(Behavior behavior, Set<Outcome> allowed, String message) {
        if (behavior != null && !allowed.contains(behavior.outcome())) {
            throw analysis.error(SqlState.SYNTAX_ERROR, behavior.pos().getColumnNum() - 1, message);
        }
    }
}
