package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.parse.TableFunction;
import dev.quarrel.calcite.rel.QuarrelFunctions;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.FromItem;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.RowsOperator;
import dev.quarrel.calcite.sql.type.DeclaredTable;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.pg.FieldPath;
import dev.quarrel.core.type.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.schema.Table;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.validate.SqlValidatorUtil;

/// Analyses functions in FROM: one, or those of ROWS FROM; those that give rows, and any others, which give one.
///
/// - Source: PostgreSQL's transformRangeFunction in `parse_clause.c` and addRangeTableEntryForFunction in
///   `parse_relation.c`.
final class TableFunctions {
    /// Longer series are made row by row, as they are asked for.
    private static final int MAX_CONSTANTS = 100_000;

    /// The struct that a row of `unnest` is the fields of; no name that is written leads to it.
    static final Column ROW = new Column("\0row", SqlType.TEXT, Expr.NO_TYPMOD);

    private final Analysis analysis;
    private final RexMaker maker;
    private final boolean isAsked;
    private Scope.Whole.OfElements row; // of the last `unnest` of structs

    /// @param isAsked whether the condition of a LEFT JOIN is asked of their rows, or they are a sub-query's
    TableFunctions(Analysis analysis, boolean isAsked) {
        this.analysis = analysis;
        this.maker = analysis.maker();
        this.isAsked = isAsked;
    }

    /// @param scope an empty one for the arguments, whose parent is what they may refer to
    /// @param alias null for none
    Rows analyze(TableFunction node, Scope scope, String alias) {
        RelNode oneRow = LogicalValues.createOneRow(analysis.context().cluster());
        Select select = new Select(0, null);
        select.enter(Select.Clause.FUNCTION);
        scope.setFrom(new FromItem(oneRow, List.of(), List.of()));
        scope.setSelect(select);
        ExpressionAnalyzer expressions = new ExpressionAnalyzer(analysis, scope);
        List<Expr.Value> values = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        Map<Integer, List<JsonRecords.Output>> expanded = new HashMap<>();
        boolean hasDefinitions = false;
        List<SqlNode> calls = new ArrayList<>();
        node.calls().forEach(call -> calls.addAll(ofEachArray(call)));
        for (SqlNode call : calls) {
            if (call.getKind() == SqlKind.OVER) {
                int over = analysis.operatorAfter(((SqlCall) call).operand(0));
                throw Positions.syntaxError(analysis.text(), over);
            }
            if (JsonRecords.isFor(call)) {
                JsonRecords.Rows rows =
                        new JsonRecords(analysis, scope, expressions).analyze((SqlCall) call, node, select);
                hasDefinitions |= !node.definitions().isEmpty();
                expanded.put(values.size(), rows.outputs());
                values.add(rows.below());
                columns.add(new Column("row" + values.size(), rows.below().type(), -1));
                continue;
            }
            JsonRecords.Rows structs = structs(call, scope, expressions);
            if (structs != null) {
                expressions.calls().requireRowsAllowed(Positions.start(call));
                expanded.put(values.size(), structs.outputs());
                values.add(structs.below());
                columns.add(new Column("row" + values.size(), structs.below().type(), -1));
                continue;
            }
            Expr.Value value = analysis.conversions().resolved(expressions.analyze(call));
            boolean isTop = isRows(value.rex());
            List<RexNode> below = isTop ? ((RexCall) value.rex()).getOperands() : List.of(value.rex());
            if (below.stream().anyMatch(RowsInSelect::in)) {
                List<Integer> places = select.rowCalls();
                throw analysis.error(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        places.get(places.size() - (isTop ? 2 : 1)),
                        "set-returning functions must appear at top level of FROM");
            }
            values.add(value);
            String declared = isTop ? declaredColumn((RexCall) value.rex()) : null;
            String name = alias != null && calls.size() == 1 ? alias : ColumnNames.of(call);
            columns.add(Column.of(declared == null ? name : declared, value));
        }
        if (!node.definitions().isEmpty() && !hasDefinitions) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    Positions.start(node.definitions().get(0)),
                    "a column definition list is only allowed for functions returning \"record\"");
        }
        if (node.isNumbered()) {
            columns.add(new Column("ordinality", SqlType.INT8, -1));
        }
        RelNode rel = values.stream().anyMatch(each -> isRows(each.rex()))
                ? functions(node, values, columns, oneRow, select)
                : plain(node, values, columns, oneRow, select);
        return expanded.isEmpty() ? new Rows(rel, columns) : expanded(rel, columns, expanded);
    }

    /// `unnest` of lists of structs, or a map, whose rows have a column a field; null for any other call.
    private JsonRecords.Rows structs(SqlNode node, Scope scope, ExpressionAnalyzer expressions) {
        boolean isUnnest = node instanceof SqlCall call
                && call.getOperator() instanceof SqlUnresolvedFunction function
                && function.getSqlIdentifier().names.getLast().equals("unnest")
                && call.operandCount() == 1;
        if (!isUnnest) {
            return null;
        }
        SqlNode array = ((SqlCall) node).operand(0);
        SqlIdentifier root = Columns.Composites.root(array);
        Columns.Place place = root == null ? null : new Columns(analysis).place(root, scope);
        DeclaredTable holder = place == null ? null : place.declared(analysis);
        DeclaredTable elements = holder == null
                ? null
                : holder.elements(
                        Columns.Composites.path(array, place.tableColumn()).toString());
        if (elements == null && expressions.composites().cardinality(array) != null) {
            throw analysis.unsupported(
                    Positions.start(node), "unnest in FROM of lists whose structs differ between files");
        }
        if (!(elements instanceof Table rows)) {
            return null;
        }
        // The table by its elements has no row for lists of which a condition, or another query, leaves no element.
        boolean isScanned = !isAsked
                && elements.isScanned()
                && place.level() == scope.parent()
                && switch (place.entry().row()) {
                    case Scope.Whole.OfTable _ -> true;
                    case Scope.Whole.OfElements around -> around.isScanned();
                    default -> false;
                };
        Columns.Composites.Elements fields = new Columns.Composites.Elements(analysis, rows, elements, isScanned);
        List<JsonRecords.Output> outputs = new ArrayList<>();
        List<String> names = new ArrayList<>();
        int at = Positions.start(node);
        for (FieldPath path : fields.children(new FieldPath(Columns.Composites.ELEMENT))) {
            names.add(path.toString());
            Column column = fields.column(path.toString()).named(path.lastField());
            outputs.add(new JsonRecords.Output(column, element -> fields.part(path.toString(), element, at)));
        }
        if (outputs.isEmpty()) {
            return null;
        }
        row = new Scope.Whole.OfElements(elements, names, isScanned);
        RexNode text = ((Expr.Value) expressions.analyze(array)).rex(); // whichever type it is of, it is held as one
        RexNode call = expressions.arrays().unnest(text, maker.rel(SqlType.TEXT));
        return new JsonRecords.Rows(new Expr.Value(call, SqlType.TEXT, at), outputs);
    }

    /// What a row is of a function that is analysed: that of structs in lists, and maybe its number; null for any
    /// other.
    Scope.Whole.OfElements row(TableFunction node) {
        if (row == null || node.calls().size() > 1) {
            return null;
        }
        List<String> columns = new ArrayList<>(row.columns());
        if (node.isNumbered()) {
            columns.add("ordinality");
        }
        return new Scope.Whole.OfElements(row.elements(), columns, row.isScanned());
    }

    /// The rows with the columns of those functions that have several.
    private Rows expanded(RelNode rel, List<Column> columns, Map<Integer, List<JsonRecords.Output>> outputs) {
        List<RexNode> values = new ArrayList<>();
        List<Column> all = new ArrayList<>();
        for (int index = 0; index < columns.size(); index++) {
            RexNode column = maker.builder().makeInputRef(rel, index);
            if (!outputs.containsKey(index)) {
                values.add(column);
                all.add(columns.get(index));
                continue;
            }
            for (JsonRecords.Output output : outputs.get(index)) {
                values.add(output.value().apply(column));
                all.add(output.column());
            }
        }
        List<String> names = new ArrayList<>(names(all));
        if (row != null && outputs.size() == 1) {
            values.add(maker.builder()
                    .makeInputRef(rel, outputs.keySet().iterator().next()));
            names.add(ROW.name());
        }
        return new Rows(
                LogicalProject.create(rel, List.of(), values, SqlValidatorUtil.uniquify(names, true), Set.of()), all);
    }

    /// `unnest(a, b)` is `ROWS FROM (unnest(a), unnest(b))`.
    private static List<SqlNode> ofEachArray(SqlNode node) {
        boolean isSeveral = node instanceof SqlCall call
                && call.getOperator() instanceof SqlUnresolvedFunction function
                && function.getSqlIdentifier().isSimple()
                && function.getSqlIdentifier().getSimple().equals("unnest")
                && call.operandCount() > 1
                && call.getOperandList().stream().noneMatch(each -> each.getKind() == SqlKind.ARGUMENT_ASSIGNMENT);
        if (!isSeveral) {
            return List.of(node);
        }
        SqlCall all = (SqlCall) node;
        List<SqlNode> calls = new ArrayList<>();
        for (SqlNode array : all.getOperandList()) {
            calls.add(all.getOperator().createCall(all.getParserPosition(), array));
        }
        return calls;
    }

    /// The name that the function itself gives its column; null for most.
    private static String declaredColumn(RexCall call) {
        return ((FunctionRow.Kind.Rows)
                        ((RowsOperator) call.getOperator()).row().kind())
                .column();
    }

    private static boolean isRows(RexNode node) {
        return node instanceof RexCall call && call.getOperator() instanceof RowsOperator;
    }

    /// Functions that give no rows, but a value.
    private RelNode plain(
            TableFunction node, List<Expr.Value> values, List<Column> columns, RelNode oneRow, Select select) {
        List<RexNode> outputs = new ArrayList<>();
        values.forEach(value -> outputs.add(value.rex()));
        if (node.isNumbered()) {
            outputs.add(maker.integer(1, SqlType.INT8));
        }
        return LogicalProject.create(oneRow, List.of(), outputs, names(columns), select.takeCorrelations());
    }

    private static List<String> names(List<Column> columns) {
        return columns.stream().map(Column::name).toList();
    }

    private RelNode functions(
            TableFunction node, List<Expr.Value> values, List<Column> columns, RelNode oneRow, Select select) {
        if (values.size() == 1 && !node.isNumbered()) {
            RelNode few = fewIntegers(values.getFirst(), columns.getFirst().name());
            if (few != null) {
                return few;
            }
        }
        List<RexNode> arguments = new ArrayList<>();
        List<QuarrelFunctions.Call> calls = new ArrayList<>();
        var rowType = maker.factory().builder();
        for (int index = 0; index < values.size(); index++) {
            RexNode value = values.get(index).rex();
            List<RexNode> own = isRows(value) ? ((RexCall) value).getOperands() : List.of(value);
            List<Integer> places = new ArrayList<>();
            for (RexNode argument : own) {
                places.add(arguments.size());
                arguments.add(argument);
            }
            calls.add(new QuarrelFunctions.Call(
                    isRows(value) ? ((RowsOperator) ((RexCall) value).getOperator()).row() : null, places));
            boolean isNullable = values.size() > 1
                    || !isRows(value)
                    || ((RowsOperator) ((RexCall) value).getOperator()).row().givesNull();
            rowType.add(columns.get(index).name(), maker.nullable(value.getType(), isNullable));
        }
        if (node.isNumbered()) {
            rowType.add("ordinality", maker.rel(SqlType.INT8));
        }
        RelNode input =
                LogicalProject.create(oneRow, List.of(), arguments, (List<String>) null, select.takeCorrelations());
        return new QuarrelFunctions(
                analysis.context().cluster(),
                analysis.context().cluster().traitSetOf(Convention.NONE),
                input,
                0,
                calls,
                node.isNumbered(),
                false,
                rowType.uniquify().build());
    }

    /// A `generate_series` as constants; null if it is long, or a bound is no constant.
    private RelNode fewIntegers(Expr.Value value, String name) {
        RexCall call = (RexCall) value.rex();
        if (!value.type().isInteger() || !call.getOperator().getName().equals("generate_series")) {
            return null;
        }
        List<Long> numbers = new ArrayList<>();
        for (RexNode bound : call.getOperands()) {
            if (!(bound instanceof RexLiteral literal) || literal.isNull()) {
                return null;
            }
            numbers.add(literal.getValueAs(BigDecimal.class).longValueExact());
        }
        long first = numbers.get(0);
        long last = numbers.get(1);
        long step = numbers.size() > 2 ? numbers.get(2) : 1;
        if (step == 0) {
            return null;
        }
        var tuples =
                com.google.common.collect.ImmutableList.<com.google.common.collect.ImmutableList<RexLiteral>>builder();
        long count = 0;
        for (long number = first; step > 0 ? number <= last : number >= last; number += step) {
            if (++count > MAX_CONSTANTS) {
                return null;
            }
            tuples.add(com.google.common.collect.ImmutableList.of(maker.integer(number, value.type())));
            if (step > 0 ? number > Long.MAX_VALUE - step : number < Long.MIN_VALUE - step) {
                break;
            }
        }
        var rowType = maker.factory()
                .builder()
                .add(name, maker.nullable(call.getType(), false))
                .build();
        return LogicalValues.create(analysis.context().cluster(), rowType, tuples.build());
    }
}
