package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.JsonExpression;
import dev.quarrel.calcite.parse.JsonExpression.Argument;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.TypeNames;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rex.RexNode;

/// Analyses SQL/JSON's constructors, `IS JSON`, and hands on its searches and aggregates.
///
/// - Source: PostgreSQL's `parse_expr.c` (transformJsonObjectConstructor and its neighbours).
final class JsonExpressions {
    private final Analysis analysis;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;
    private final JsonValues values;
    private final JsonSearches searches;

    JsonExpressions(Analysis analysis, Scope scope, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.values = new JsonValues(analysis, scope, expressions);
        this.searches = new JsonSearches(analysis, scope, expressions, this, values);
    }

    Expr analyze(JsonExpression json, int at) {
        boolean isAggregate =
                json.kind() == JsonExpression.Kind.JSON_OBJECTAGG || json.kind() == JsonExpression.Kind.JSON_ARRAYAGG;
        if (!isAggregate
                && (json.filter() != null
                        || json.over() != null
                        || !json.order().isEmpty())) {
            int clause = Positions.start(
                    json.filter() != null ? json.filter() : json.over() != null ? json.over() : json.order());
            throw Positions.syntaxError(analysis.text(), clause);
        }
        return switch (json.kind()) {
            case JSON_OBJECT -> object(json, at);
            case JSON_ARRAY -> array(json, at);
            case JSON_OBJECTAGG, JSON_ARRAYAGG -> aggregate(json, at);
            case JSON -> parsed(json, at);
            case JSON_SCALAR -> scalar(json, at);
            case JSON_SERIALIZE -> serialized(json, at);
            case JSON_EXISTS, JSON_VALUE, JSON_QUERY -> searches.analyze(json, at);
        };
    }

    JsonSearches searches() {
        return searches;
    }

    private Expr object(JsonExpression json, int at) {
        List<JsonValues.Input> inputs = inputs(json.arguments());
        SqlType type = built(json, inputs);
        List<RexNode> operands = new ArrayList<>();
        for (int index = 0; index < inputs.size(); index++) {
            operands.add(index % 2 == 0 ? values.key(inputs.get(index)) : values.json(inputs.get(index), type));
        }
        boolean isStrict = json.isAbsentOnNull();
        String rule = json.isUnique() ? isStrict ? ":unique_strict" : ":unique" : isStrict ? ":strict" : "";
        String kernel = type.pgType().typeName() + "_build_object";
        RexNode document = operands.isEmpty() ? empty("{}", type) : values.built(kernel, rule, operands);
        return returned(new Expr.Value(document, type, at), json, at);
    }

    private RexNode empty(String text, SqlType type) {
        return conversions.convert(new Expr.Text(text, 0), type, -1).rex();
    }

    private Expr array(JsonExpression json, int at) {
        if (json.query() != null) {
            return ofQuery(json);
        }
        List<JsonValues.Input> inputs = inputs(json.arguments());
        SqlType type = built(json, inputs);
        List<RexNode> operands =
                inputs.stream().map(input -> values.json(input, type)).toList();
        String kernel = type.pgType().typeName() + "_build_array";
        RexNode document = operands.isEmpty()
                ? empty("[]", type)
                : values.built(kernel, json.isAbsentOnNull() ? ":strict" : "", operands);
        return returned(new Expr.Value(document, type, at), json, at);
    }

    /// `JSON_ARRAY(SELECT …)`: the aggregate of the query's one column.
    private Expr ofQuery(JsonExpression json) {
        expressions.subQueries().scalar(json.query(), Positions.start(json)); // for it has one column
        return expressions.analyze(json.aggregateOfQuery());
    }

    private Expr aggregate(JsonExpression json, int at) {
        List<JsonValues.Input> inputs = inputs(json.arguments());
        SqlType type = built(json, inputs);
        boolean isObject = json.kind() == JsonExpression.Kind.JSON_OBJECTAGG;
        JsonAggregate aggregate = new JsonAggregate(type, isObject, json.isAbsentOnNull(), json.isUnique());
        Expr.Value document = (Expr.Value) expressions.calls().documents(aggregate, json, at);
        return returned(document, json, at);
    }

    /// `JSON(text)`
    private Expr parsed(JsonExpression json, int at) {
        if (json.returning() != null) {
            throw Positions.syntaxError(
                    analysis.text(), Positions.start(json.returning().type()));
        }
        Argument argument = json.arguments().getFirst();
        Expr expr = expressions.analyze(argument.node());
        boolean isText = expr.type() == SqlType.UNKNOWN || expr.type().isString();
        if (expr.type() == SqlType.BYTEA) {
            expr = utf8(expr);
            isText = true;
        }
        if (json.isUnique()) {
            if (!isText) {
                throw analysis.error(
                        SqlState.DATATYPE_MISMATCH, at, "cannot use non-string types with WITH UNIQUE KEYS clause");
            }
            RexNode text = conversions.implicit(expr, SqlType.TEXT).rex();
            return new Expr.Value(values.called("json_unique", text), SqlType.JSON, at);
        }
        if (!expr.type().convertsTo(SqlType.JSON, SqlType.Context.EXPLICIT)) {
            throw analysis.error(
                    SqlState.CANNOT_COERCE,
                    expr.at(),
                    "cannot cast type " + expr.type().displayName() + " to json");
        }
        // A text that is none is found where it is read, at no place of the statement.
        return conversions.convert(conversions.resolved(expr), SqlType.JSON, -1).at(at);
    }

    private Expr utf8(Expr bytes) {
        return expressions
                .calls()
                .function(
                        "convert_from", List.of(bytes, new Expr.Text("UTF8", bytes.at())), bytes.at(), "convert_from");
    }

    private Expr scalar(JsonExpression json, int at) {
        JsonValues.Input input = values.input(json.arguments().getFirst().node());
        if (json.returning() != null || json.isUnique()) {
            throw Positions.syntaxError(analysis.text(), at);
        }
        return new Expr.Value(values.json(input, SqlType.JSON), SqlType.JSON, at);
    }

    private Expr serialized(JsonExpression json, int at) {
        Expr document = formatted(json.arguments().getFirst());
        if (document.type() == SqlType.JSONB) {
            // PostgreSQL shows bytes of what it holds, which are no text.
            throw analysis.unsupported(document.at(), "JSON_SERIALIZE of jsonb");
        }
        if (json.returning() == null) {
            return conversions.convert(document, SqlType.TEXT, -1).at(at);
        }
        SqlType type = target(json).type();
        if (type != SqlType.BYTEA && (type == null || !type.isString())) {
            throw new QueryException(
                            SqlState.DATATYPE_MISMATCH,
                            "cannot use type " + (type == null ? "unknown" : type.displayName())
                                    + " in RETURNING clause of JSON_SERIALIZE()")
                    .withHint("Try returning a string type or bytea.");
        }
        return returned((Expr.Value) document, json, at);
    }

    private static final Set<String> ENCODINGS = Set.of("utf8", "utf16", "utf32");

    /// An argument that is JSON already: a document, or a text that holds one.
    ///
    /// - Errors: 42804 for other types.
    Expr formatted(Argument argument) {
        Expr expr = expressions.analyze(argument.node());
        SqlType type = expr.type();
        if (argument.isFormatted() && argument.format().encoding() != null) {
            requireKnown(argument.format());
            if (type != SqlType.BYTEA) {
                throw analysis.error(
                        SqlState.DATATYPE_MISMATCH,
                        argument.format().at(),
                        "JSON ENCODING clause is only allowed for bytea input type");
            }
            requireUtf8(argument.format());
        }
        if (type == SqlType.JSON || type == SqlType.JSONB) {
            return expr;
        }
        if (type == SqlType.BYTEA) {
            return conversions.convert(utf8(expr), SqlType.JSON, -1);
        }
        if (type != SqlType.UNKNOWN && !type.isString()) {
            throw analysis.error(
                    SqlState.DATATYPE_MISMATCH,
                    argument.isFormatted() ? argument.format().at() : expr.at(),
                    "cannot use non-string types with " + (argument.isFormatted() ? "explicit" : "implicit")
                            + " FORMAT JSON clause");
        }
        return conversions.convert(conversions.resolved(expr), SqlType.JSON, -1);
    }

    private List<JsonValues.Input> inputs(List<Argument> arguments) {
        return arguments.stream().map(this::input).toList();
    }

    JsonValues.Input input(Argument argument) {
        return argument.isFormatted() ? new JsonValues.Input.One(formatted(argument)) : values.input(argument.node());
    }

    /// What is built: jsonb where that is wanted, or where nothing is said and an argument is one; else json.
    private SqlType built(JsonExpression json, List<JsonValues.Input> inputs) {
        if (json.returning() != null) {
            SqlType wanted = target(json).type();
            return wanted == SqlType.JSONB ? SqlType.JSONB : SqlType.JSON;
        }
        return inputs.stream().anyMatch(input -> input.type() == SqlType.JSONB) ? SqlType.JSONB : SqlType.JSON;
    }

    /// What RETURNING says.
    TypeNames.Target target(JsonExpression json) {
        return conversions.typeNames().target((PostgresTypeName)
                json.returning().type().getTypeNameSpec());
    }

    /// The document as RETURNING wants it.
    ///
    /// - Errors: 42846 for a type that json is not assigned to; 0A000 for a text of limited length.
    private Expr returned(Expr.Value document, JsonExpression json, int at) {
        if (json.returning() == null) {
            return document;
        }
        TypeNames.Target target = target(json);
        SqlType type = target.type();
        requireEncoding(json.returning().format(), type);
        if (type == SqlType.BYTEA) {
            Expr text = conversions.convert(document, SqlType.TEXT, -1);
            return expressions
                    .calls()
                    .function("convert_to", List.of(text, new Expr.Text("UTF8", at)), at, "convert_to");
        }
        if (type == null || !document.type().convertsTo(type, SqlType.Context.ASSIGNMENT)) {
            throw new QueryException(
                    SqlState.CANNOT_COERCE,
                    "cannot cast type " + document.type().displayName() + " to "
                            + (type == null ? "unknown" : type.displayName()));
        }
        if (target.typmod() >= 0) {
            throw analysis.unsupported(Positions.start(json.returning().type()), "RETURNING a text of limited length");
        }
        return conversions.convert(document, type, -1).at(at);
    }

    /// - Errors: 0A000 for an encoding where the result is no bytea, or of another encoding than UTF-8.
    private void requireEncoding(JsonExpression.Format format, SqlType type) {
        if (format == null || format.encoding() == null) {
            return;
        }
        requireKnown(format);
        if (type != SqlType.BYTEA) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED, format.at(), "cannot set JSON encoding for non-bytea output types");
        }
        requireUtf8(format);
    }

    private void requireKnown(JsonExpression.Format format) {
        String name = format.encoding().getSimple();
        if (!ENCODINGS.contains(name)) {
            throw analysis.error(
                    SqlState.INVALID_PARAMETER_VALUE,
                    Positions.start(format.encoding()),
                    "unrecognized JSON encoding: " + name);
        }
    }

    private void requireUtf8(JsonExpression.Format format) {
        if (!format.encoding().getSimple().equals("utf8")) {
            throw analysis.error(SqlState.FEATURE_NOT_SUPPORTED, format.at(), "unsupported JSON encoding")
                    .withHint("Only UTF8 JSON encoding is supported.");
        }
    }

    /// `value IS [NOT] JSON …`
    ///
    /// @param kind what of JSON, and whether keys are unique
    Expr isJson(Expr value, String kind, boolean isNot, int at) {
        SqlType type = value.type();
        boolean isText = type == SqlType.UNKNOWN || type.isString();
        if (!isText && type != SqlType.JSON && type != SqlType.JSONB && type != SqlType.BYTEA) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH, "cannot use type " + type.displayName() + " in IS JSON predicate");
        }
        Expr text = type == SqlType.BYTEA ? utf8(value) : value;
        RexNode operand = conversions.convert(text, SqlType.TEXT, -1).rex();
        RexNode test = values.called("is_json", operand, maker.string(kind, maker.rel(SqlType.TEXT)));
        return Expr.Value.bool(isNot ? maker.not(test) : test, at);
    }
}
