package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses calls of functions that make json and jsonb of values of any type, or take any number of keys.
///
/// - Source: PostgreSQL's `json.c`, `jsonb.c`; `parse_func.c` for VARIADIC.
final class JsonCalls {
    private static final Set<String> OF_ONE = Set.of("to_json", "to_jsonb");
    private static final Set<String> BUILDERS =
            Set.of("json_build_array", "jsonb_build_array", "json_build_object", "jsonb_build_object");
    private static final Set<String> OF_KEYS =
            Set.of("json_extract_path", "json_extract_path_text", "jsonb_extract_path", "jsonb_extract_path_text");

    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;
    private final JsonValues values;

    JsonCalls(Analysis analysis, Scope scope, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.values = new JsonValues(analysis, scope, expressions);
    }

    /// Whether it is one of these functions, called as functions are.
    static boolean isFor(String name, SqlCall call) {
        boolean isOurs = OF_ONE.contains(name)
                || JsonRecords.isPopulation(name)
                || BUILDERS.contains(name)
                || OF_KEYS.contains(name)
                || name.equals("row_to_json")
                || name.equals("array_to_json");
        return isOurs && call.getFunctionQuantifier() == null && !WrittenCall.isStar(call);
    }

    Expr call(String name, SqlCall call, int at) {
        SqlType type = name.contains("jsonb") ? SqlType.JSONB : SqlType.JSON;
        boolean isVariadic = VariadicCalls.in(call);
        if (JsonRecords.isPopulation(name)) {
            return new JsonRecords(analysis, scope, expressions).populated(name, call, at);
        }
        if (BUILDERS.contains(name)) {
            return isVariadic ? ofElements(name, type, call, at) : built(name, type, call.getOperandList(), at);
        }
        if (OF_KEYS.contains(name)) {
            return extracted(name, type, call, isVariadic, at);
        }
        List<SqlNode> operands = call.getOperandList();
        if (isVariadic || operands.isEmpty() || operands.size() > (OF_ONE.contains(name) ? 1 : 2)) {
            throw none(name, operands, at);
        }
        JsonValues.Input input = values.input(operands.getFirst());
        if (!name.equals("row_to_json")
                && input instanceof JsonValues.Input.One(Expr expr)
                && expr.type() == SqlType.UNKNOWN) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH, "could not determine polymorphic type because input has type unknown");
        }
        Expr pretty = operands.size() == 1 ? null : expressions.analyze(operands.get(1));
        if (pretty != null && !pretty.type().convertsTo(SqlType.BOOL, SqlType.Context.IMPLICIT)) {
            throw none(name, operands, at);
        }
        return switch (name) {
            case "row_to_json" -> {
                if (!(input instanceof JsonValues.Input.Row row)) {
                    throw none(name, operands, at);
                }
                yield laidOut(values.row(row, type, false), pretty, () -> values.row(row, type, true), at);
            }
            case "array_to_json" -> {
                if (input instanceof JsonValues.Input.Lists && pretty != null) {
                    throw analysis.unsupported(at, "lists with structs or maps as JSON on lines of their own");
                }
                if (input instanceof JsonValues.Input.Lists) {
                    yield new Expr.Value(values.json(input, SqlType.JSON), SqlType.JSON, at);
                }
                if (!(input instanceof JsonValues.Input.One(Expr.Value array))
                        || !array.type().isArray()) {
                    throw none(name, operands, at);
                }
                yield ofArray(array, pretty, at);
            }
            default -> new Expr.Value(values.json(input, type), type, at);
        };
    }

    private Expr ofArray(Expr.Value array, Expr pretty, int at) {
        if (pretty == null) {
            return new Expr.Value(values.json(new JsonValues.Input.One(array), SqlType.JSON), SqlType.JSON, at);
        }
        String kernel = "array_to_json:pretty:" + JsonValues.form(array).id();
        RexNode laidOut = values.called(
                kernel,
                conversions.output(array),
                conversions.implicit(pretty, SqlType.BOOL).rex());
        return new Expr.Value(laidOut, SqlType.JSON, at);
    }

    /// @param pretty whether it is to be on lines of its own; null where nothing is said
    private Expr laidOut(RexNode plain, Expr pretty, java.util.function.Supplier<RexNode> onLines, int at) {
        if (pretty == null) {
            return new Expr.Value(plain, SqlType.JSON, at);
        }
        RexNode wanted = conversions.implicit(pretty, SqlType.BOOL).rex();
        RexNode chosen = maker.cases(
                maker.nullable(maker.rel(SqlType.JSON), true),
                maker.notNull(SqlStdOperatorTable.IS_TRUE, maker.bool(), wanted),
                onLines.get(),
                maker.notNull(SqlStdOperatorTable.IS_FALSE, maker.bool(), wanted),
                plain,
                maker.nullOf(maker.rel(SqlType.JSON)));
        return new Expr.Value(chosen, SqlType.JSON, at);
    }

    /// `json_build_array(value, …)`, `json_build_object(key, value, …)`
    private Expr built(String name, SqlType type, List<SqlNode> operands, int at) {
        boolean isObject = name.endsWith("object");
        List<RexNode> arguments = new ArrayList<>();
        for (int index = 0; index < operands.size(); index++) {
            JsonValues.Input input = values.input(operands.get(index));
            arguments.add(isObject && index % 2 == 0 ? values.key(input) : values.json(input, type));
        }
        return new Expr.Value(values.built(name, "", arguments), type, at);
    }

    /// `json_build_array(VARIADIC array)`: its elements, whatever its dimensions, are the values.
    private Expr ofElements(String name, SqlType type, SqlCall call, int at) {
        if (call.operandCount() != 1) {
            throw none(name, call.getOperandList(), at);
        }
        Expr array = expressions.analyze(VariadicCalls.value(call.operand(0)));
        if (!(array instanceof Expr.Value value) || !array.type().isArray()) {
            throw analysis.error(SqlState.DATATYPE_MISMATCH, array.at(), "VARIADIC argument must be an array");
        }
        RexNode document = values.called(name + ":" + JsonValues.form(value).id(), conversions.output(value));
        return new Expr.Value(document, type, at);
    }

    /// `json_extract_path(document, key, …)`
    private Expr extracted(String name, SqlType type, SqlCall call, boolean isVariadic, int at) {
        List<SqlNode> operands = call.getOperandList();
        if (operands.size() < 2 || isVariadic && operands.size() > 2) {
            throw none(name, operands, at);
        }
        List<Expr> exprs = new ArrayList<>();
        exprs.add(expressions.analyze(operands.getFirst()));
        for (SqlNode operand : operands.subList(1, operands.size())) {
            exprs.add(expressions.analyze(VariadicCalls.value(operand)));
        }
        SqlType key = isVariadic ? SqlType.TEXT_ARRAY : SqlType.TEXT;
        boolean fits = exprs.getFirst().type().convertsTo(type, SqlType.Context.IMPLICIT)
                && exprs.stream().skip(1).allMatch(each -> each.type().convertsTo(key, SqlType.Context.IMPLICIT));
        if (!fits) {
            throw expressions.calls().noFunction(name, FunctionCalls.types(exprs), false, at);
        }
        List<Expr> keys = new ArrayList<>();
        exprs.stream().skip(1).forEach(each -> keys.add(conversions.implicit(each, key)));
        Expr path = isVariadic ? keys.getFirst() : conversions.arrays().value(new Expr.Array(keys, SqlType.TEXT, at));
        FunctionRow row = FunctionCatalog.find(name, List.of(type.pgType(), PgType.TEXT_ARRAY))
                .orElseThrow();
        RexNode document = conversions.implicit(exprs.getFirst(), type).rex();
        RexNode steps = conversions.implicit(path, SqlType.TEXT_ARRAY).rex();
        return new Expr.Value(CatalogFunction.call(maker, row, List.of(document, steps)), SqlType.of(row.result()), at);
    }

    private QueryException none(String name, List<SqlNode> operands, int at) {
        List<SqlType> types = operands.stream()
                .map(operand -> values.input(VariadicCalls.value(operand)).type())
                .toList();
        return expressions.calls().noFunction(FunctionCalls.description(name, types), false, at);
    }
}
