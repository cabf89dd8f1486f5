package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.JsonExpression;
import dev.quarrel.calcite.parse.JsonExpression.Kind;
import dev.quarrel.calcite.parse.JsonExpression.Outcome;
import dev.quarrel.calcite.parse.JsonTable;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.TypeNames;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.ArrayOperation;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.json.JsonStrings;
import dev.quarrel.core.json.path.JsonPathExpression;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;

/// Analyses JSON_TABLE: a function gives its rows as arrays of texts, of which the columns are made.
///
/// - Source: PostgreSQL's `parse_jsontable.c`.
final class JsonTables {
    private final Analysis analysis;
    private final JsonSearches searches;
    private final RexMaker maker;
    private final List<JsonRecords.Output> outputs = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    JsonTables(Analysis analysis, Scope scope, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.searches = new JsonExpressions(analysis, scope, expressions).searches();
        this.maker = analysis.maker();
    }

    JsonRecords.Rows analyze(JsonTable table, Select select) {
        JsonExpression search = table.search();
        requireString(table.level().path());
        requireOnError(search);
        names.add(
                table.level().name() == null
                        ? "json_table_path_0"
                        : table.level().name().getSimple());
        requireNamesApart(table.level());
        RexNode document = searches.document(search);
        requirePath(table.level().path());
        RexNode variables = searches.variables(search);
        boolean raisesErrors = search.onError() != null && search.onError().outcome() == Outcome.ERROR;
        StringBuilder plan = new StringBuilder();
        addLevel(table.level(), raisesErrors, plan);
        int at = Positions.start(search);
        select.rowCalls().add(at);
        FunctionRow row = FunctionCatalog.internal("json_table");
        SqlType result = SqlType.of(row.result());
        List<RexNode> operands = List.of(document, searches.text(plan.toString()), variables);
        RexNode rows =
                maker.builder().makeCall(maker.nullable(maker.rel(result), true), new RowsOperator(row), operands);
        return new JsonRecords.Rows(new Expr.Value(rows, result, at), outputs);
    }

    private void requireString(SqlNode path) {
        if (!JsonTable.isString(path)) {
            throw analysis.error(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    Positions.start(path),
                    "only string constants are supported in JSON_TABLE path specification");
        }
    }

    private void requireOnError(JsonExpression search) {
        if (search.onEmpty() != null) {
            throw Positions.syntaxError(analysis.text(), search.onEmpty().pos().getColumnNum() - 1);
        }
        Outcome outcome = search.onError() == null
                ? Outcome.EMPTY_ARRAY
                : search.onError().outcome();
        if (outcome != Outcome.EMPTY_ARRAY && outcome != Outcome.ERROR) {
            throw analysis.error(
                            SqlState.SYNTAX_ERROR,
                            search.onError().pos().getColumnNum() - 1,
                            "invalid ON ERROR behavior")
                    .withDetail("Only EMPTY [ ARRAY ] or ERROR is allowed in the top-level ON ERROR clause.");
        }
    }

    /// - Errors: 42712 where two columns or paths have one name.
    private void requireNamesApart(JsonTable.Level level) {
        for (JsonTable.Item item : level.items()) {
            SqlIdentifier name =
                    switch (item) {
                        case JsonTable.Column column -> column.name();
                        case JsonTable.Level below -> below.name();
                    };
            if (name != null && !names.add(name.getSimple())) {
                throw analysis.error(
                        SqlState.DUPLICATE_ALIAS,
                        Positions.start(name),
                        "duplicate JSON_TABLE column or path name: " + name.getSimple());
            }
            if (item instanceof JsonTable.Level below) {
                requireNamesApart(below);
            }
        }
    }

    /// As `JsonTableKernels` reads it.
    private void addLevel(JsonTable.Level level, boolean raisesErrors, StringBuilder plan) {
        plan.append('[');
        JsonStrings.append(string(level.path()), plan);
        plan.append(", ").append(raisesErrors).append(", [");
        boolean isNumbered = false;
        String separator = "";
        for (JsonTable.Column column : level.columns()) {
            plan.append(separator);
            separator = ", ";
            if (column.search() != null) {
                addColumn(column, plan);
                continue;
            }
            if (isNumbered) {
                throw analysis.error(
                        SqlState.SYNTAX_ERROR,
                        Positions.start(column.name()),
                        "only one FOR ORDINALITY column is allowed");
            }
            isNumbered = true;
            plan.append("[]");
            int place = outputs.size();
            outputs.add(new JsonRecords.Output(
                    new Column(column.name().getSimple(), SqlType.INT4, -1),
                    row -> analysis.conversions()
                            .convert(new Expr.Value(cell(row, place), SqlType.TEXT, 0), SqlType.INT4, -1)
                            .rex()));
        }
        plan.append("], [");
        separator = "";
        for (JsonTable.Level below : level.below()) {
            plan.append(separator);
            separator = ", ";
            JsonPathExpression.parse(string(below.path()));
            addLevel(below, raisesErrors, plan);
        }
        plan.append("]]");
    }

    private void addColumn(JsonTable.Column column, StringBuilder plan) {
        String name = column.name().getSimple();
        int at = Positions.start(column.name());
        JsonExpression search = of(column.search());
        String path;
        if (search.path() == null) {
            StringBuilder own = new StringBuilder("$.");
            JsonStrings.append(name, own);
            path = own.toString();
        } else {
            requirePath(search.path());
            path = string(search.path());
        }
        JsonSearches.Plan searched = searches.plan(search, name, at);
        String separator = "[";
        for (String part : List.of(searched.kernel(), path, searched.outcome().text())) {
            plan.append(separator);
            JsonStrings.append(part, plan);
            separator = ", ";
        }
        plan.append(']');
        int place = outputs.size();
        outputs.add(new JsonRecords.Output(
                new Column(name, searched.type(), searched.typmod()),
                row -> searches.value(search, searched, cell(row, place), at).rex()));
    }

    /// Documents and arrays, and what wrappers and quotes are said of, are searched by JSON_QUERY.
    private JsonExpression of(JsonExpression search) {
        if (search.kind() != Kind.JSON_VALUE) {
            return search;
        }
        TypeNames.Target target = analysis.conversions().typeNames().target((PostgresTypeName)
                search.returning().type().getTypeNameSpec());
        SqlType type = target.type();
        boolean isQuery = type == SqlType.JSON
                || type == SqlType.JSONB
                || type != null && type.isArray()
                || search.wrapper() != null
                || search.saysQuotes();
        return isQuery ? search.as(Kind.JSON_QUERY) : search;
    }

    private RexNode cell(RexNode row, int place) {
        return CatalogFunction.call(
                maker, ArrayOperation.get(PgType.TEXT, 1), List.of(row, maker.integer(place + 1, SqlType.INT4)));
    }

    private static String string(SqlNode path) {
        return ((SqlLiteral) path).getValueAs(String.class);
    }

    /// - Errors: 42601 for what is no path.
    private void requirePath(SqlNode path) {
        try {
            JsonPathExpression.parse(string(path));
        } catch (QueryException noPath) {
            throw noPath.withPosition(Positions.of(analysis.text(), Positions.start(path)));
        }
    }
}
