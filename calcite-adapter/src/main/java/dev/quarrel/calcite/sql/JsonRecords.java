package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.JsonTable;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.PostgresTypeName;
import dev.quarrel.calcite.parse.TableFunction;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.convert.TypeNames;
import dev.quarrel.calcite.sql.function.CatalogFunction;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses functions in FROM that make rows of several columns of a document: a function of one column below, and
/// expressions that make the columns of it.
///
/// - Source: PostgreSQL's `jsonfuncs.c` (each_worker, populate_recordset_worker, populate_record_field).
final class JsonRecords {
    private static final Set<String> EACH = Set.of("json_each", "jsonb_each", "json_each_text", "jsonb_each_text");
    private static final Set<String> RECORDS =
            Set.of("json_to_record", "jsonb_to_record", "json_to_recordset", "jsonb_to_recordset");

    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;
    private final JsonValues values;

    JsonRecords(Analysis analysis, Scope scope, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.values = new JsonValues(analysis, scope, expressions);
    }

    /// A column of the rows.
    ///
    /// @param value makes it of the column below
    record Output(Column column, UnaryOperator<RexNode> value) {}

    /// @param below the function, or value, of one column
    record Rows(Expr.Value below, List<Output> outputs) {}

    static boolean isFor(SqlNode node) {
        if (node instanceof JsonTable) {
            return true;
        }
        if (!(node instanceof SqlCall call) || !(call.getOperator() instanceof SqlUnresolvedFunction function)) {
            return false;
        }
        SqlIdentifier name = function.getSqlIdentifier();
        boolean isOurs = name.isSimple() || name.names.getFirst().equals("pg_catalog") && name.names.size() == 2;
        return isOurs && (EACH.contains(name.names.getLast()) || RECORDS.contains(name.names.getLast()));
    }

    /// @param select of the arguments, which counts functions that give rows
    Rows analyze(SqlCall call, TableFunction node, Select select) {
        if (call instanceof JsonTable table) {
            return new JsonTables(analysis, scope, expressions).analyze(table, select);
        }
        String name = ((SqlUnresolvedFunction) call.getOperator())
                .getSqlIdentifier()
                .names
                .getLast();
        int at = Positions.start(call);
        SqlType type = name.startsWith("jsonb") ? SqlType.JSONB : SqlType.JSON;
        List<Expr> arguments = expressions.analyzeAll(call.getOperandList());
        if (arguments.size() != 1 || !arguments.getFirst().type().convertsTo(type, SqlType.Context.IMPLICIT)) {
            throw analysis.error(
                    SqlState.UNDEFINED_FUNCTION,
                    at,
                    "function " + FunctionCalls.description(name, FunctionCalls.types(arguments)) + " does not exist");
        }
        boolean isEach = EACH.contains(name);
        if (isEach && !node.definitions().isEmpty()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    Positions.start(node.definitions().get(0)),
                    "a column definition list is redundant for a function with OUT parameters");
        }
        if (!isEach && node.definitions().isEmpty()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    at,
                    "a column definition list is required for functions returning \"record\"");
        }
        if (!isEach && node.isRowsFrom()) {
            throw analysis.unsupported(at, "a column definition list in ROWS FROM");
        }
        RexNode document = conversions.implicit(arguments.getFirst(), type).rex();
        List<Output> outputs = isEach ? members(name, type) : columns(node, type);
        FunctionRow row = FunctionCatalog.internal(name.replace("_each_text", "_each"));
        if (!(row.kind() instanceof FunctionRow.Kind.Rows)) {
            return new Rows(new Expr.Value(CatalogFunction.call(maker, row, List.of(document)), type, at), outputs);
        }
        select.rowCalls().add(at);
        SqlType result = SqlType.of(row.result());
        RexNode rows = maker.builder()
                .makeCall(maker.nullable(maker.rel(result), true), new RowsOperator(row), List.of(document));
        return new Rows(new Expr.Value(rows, result, at), outputs);
    }

    private List<Output> members(String name, SqlType type) {
        boolean isText = name.endsWith("_text");
        SqlType value = isText ? SqlType.TEXT : type;
        String kernel = isText ? "json_pair_text" : type.pgType().typeName() + "_pair_value";
        return List.of(
                new Output(new Column("key", SqlType.TEXT, -1), pair -> values.called("json_pair_key", pair)),
                new Output(new Column("value", value, -1), pair -> values.called(kernel, pair)));
    }

    private List<Output> columns(TableFunction node, SqlType type) {
        List<Output> outputs = new ArrayList<>();
        for (int index = 0; index < node.types().size(); index++) {
            SqlIdentifier name = (SqlIdentifier) node.definitions().get(index);
            PostgresTypeName written =
                    (PostgresTypeName) node.types().get(index).getTypeNameSpec();
            TypeNames.Target target = conversions.typeNames().target(written);
            requireKnown(target, Positions.start(node.types().get(index)));
            outputs.add(new Output(
                    new Column(name.getSimple(), target.type(), target.typmod()),
                    record -> member(record, name.getSimple(), type, target)));
        }
        return outputs;
    }

    /// - Errors: 0A000 for types that are not read of a text as a cast reads them.
    private void requireKnown(TypeNames.Target target, int at) {
        SqlType type = target.type();
        boolean isCut = type != null && type.isString() && target.typmod() >= 0;
        if (type == null
                || type.pgType() == null
                || type == SqlType.OTHER
                || isCut
                || type.isArray() && target.typmod() >= 0) {
            throw analysis.unsupported(at, "this type in a column definition list");
        }
    }

    /// The member of that name as a column's value: JSON's null and no member are NULL.
    private RexNode member(RexNode record, String name, SqlType type, TypeNames.Target target) {
        String prefix = type.pgType().typeName() + "_object_field";
        RexNode text = field(prefix + "_text", type, record, name);
        SqlType wanted = target.type();
        if (wanted == SqlType.JSON || wanted == SqlType.JSONB || wanted.isArray()) {
            RexNode part = field(prefix, type, record, name);
            RexNode value = wanted.isArray()
                    ? converted(values.called("json_array_text", maker.cast(maker.rel(SqlType.TEXT), part)), target)
                    : conversions
                            .convert(new Expr.Value(part, type, 0), wanted, -1)
                            .rex();
            RexNode isNull = maker.notNull(SqlStdOperatorTable.IS_NULL, maker.bool(), text);
            return maker.cases(maker.nullable(value.getType(), true), isNull, maker.nullOf(value.getType()), value);
        }
        return converted(text, target);
    }

    private RexNode converted(RexNode text, TypeNames.Target target) {
        return conversions
                .convert(new Expr.Value(text, SqlType.TEXT, 0), target.type(), target.typmod())
                .rex();
    }

    private RexNode field(String function, SqlType type, RexNode record, String name) {
        FunctionRow row = FunctionCatalog.named(function).stream()
                .filter(each -> SqlType.of(each.arguments().getFirst()) == type)
                .findFirst()
                .orElseThrow();
        return CatalogFunction.call(maker, row, List.of(record, maker.string(name, maker.rel(SqlType.TEXT))));
    }
}
