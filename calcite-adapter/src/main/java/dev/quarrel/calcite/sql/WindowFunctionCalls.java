package dev.quarrel.calcite.sql;

import com.google.common.collect.ImmutableList;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.sql.AggregateArguments.Converted;
import dev.quarrel.calcite.sql.convert.CommonTypes;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexFieldCollation;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.calcite.rex.RexWindowBounds;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlWindow;

/// Analyses calls with OVER: aggregates over frames, and pure window functions.
///
/// - Source: PostgreSQL's `parse_agg.c` (transformWindowFuncCall) and `parse_clause.c`
///   (transformWindowDefinitions).
final class WindowFunctionCalls {
    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;
    private final AggregateCalls aggregates;
    private final AggregateArguments arguments;

    WindowFunctionCalls(
            Analysis analysis,
            Scope scope,
            ExpressionAnalyzer expressions,
            AggregateCalls aggregates,
            AggregateArguments arguments) {
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.aggregates = aggregates;
        this.arguments = arguments;
    }

    /// @param call OVER, with the function's call and the window as its operands
    Expr call(SqlCall call, int at) {
        WrittenCall written = WrittenCall.of(call.operand(0), analysis, at);
        int nameAt = Positions.start(written.identifier());
        return inWindow(nameAt, () -> window(written.name(), written, call.operand(1), nameAt));
    }

    /// An aggregate of SQL/JSON's syntax over frames.
    Expr documents(JsonAggregate aggregate, WrittenCall written, SqlNode over, int at) {
        return inWindow(at, () -> ofFrames(aggregate, written, over, at));
    }

    private Expr inWindow(int nameAt, Supplier<Expr> analyzed) {
        if (!scope.clause().allowsWindows()) {
            throw analysis.error(
                    SqlState.WINDOWING_ERROR,
                    nameAt,
                    "window functions are not allowed in " + scope.clause().text());
        }
        Select select = scope.select();
        if (select.isInsideAggregate()) {
            throw analysis.error(
                    SqlState.GROUPING_ERROR, nameAt, "aggregate function calls cannot contain window function calls");
        }
        if (select.isInsideWindow()) {
            throw analysis.error(
                    SqlState.WINDOWING_ERROR,
                    nameAt,
                    select.isInWindowDefinition()
                            ? "window functions are not allowed in window definitions"
                            : "window function calls cannot be nested");
        }
        select.setInsideWindow(true);
        try {
            return analyzed.get();
        } finally {
            select.setInsideWindow(false);
        }
    }

    private Expr window(String name, WrittenCall written, SqlNode over, int at) {
        Optional<JsonAggregate> ofDocuments = JsonAggregate.named(name);
        if (ofDocuments.isPresent()) {
            return ofFrames(ofDocuments.get(), written, over, at);
        }
        SqlAggFunction windowOnly = AggregateTable.windowOnly(name);
        SqlAggFunction function = windowOnly != null ? windowOnly : aggregate(name, written, at);
        check(name, function, written, at);
        Converted converted =
                windowOnly != null ? windowArguments(name, written, at) : arguments.of(name, written.call(), at);
        if (name.equals("array_agg")
                && SqlTypes.isArray(converted.values().getFirst().getType())) {
            throw analysis.unsupported(at, "array_agg of arrays as a window function");
        }
        if (written.filter() != null) {
            converted = filtered(name, converted, aggregates.filter(written.filter()));
        }
        boolean usesFrame = windowOnly == null || name.endsWith("_value");
        scope.select().setInWindowDefinition(true);
        try {
            return over(name, function, usesFrame, converted, window(over), at);
        } finally {
            scope.select().setInWindowDefinition(false);
        }
    }

    /// A document of a frame's rows.
    private Expr ofFrames(JsonAggregate aggregate, WrittenCall written, SqlNode over, int at) {
        AggregateFunction joining = (AggregateFunction) AggregateTable.aggregate("string_agg");
        check(written.name(), joining, written, at);
        JsonValues values = new JsonValues(analysis, scope, expressions);
        List<JsonValues.Input> inputs = aggregates.documentInputs(aggregate, written, values, at);
        Converted converted =
                new Converted(aggregate.joined(inputs, values, maker), SqlType.TEXT, maker.rel(SqlType.TEXT));
        if (written.filter() != null) {
            converted = filtered(joining.getName(), converted, aggregates.filter(written.filter()));
        }
        scope.select().setInWindowDefinition(true);
        try {
            Expr.Value joined = (Expr.Value) over(joining.getName(), joining, true, converted, window(over), at);
            return new Expr.Value(aggregate.document(joined.rex(), inputs, values), aggregate.type(), at);
        } finally {
            scope.select().setInWindowDefinition(false);
        }
    }

    /// - Errors: 42809, 42883 or 0A000 for what is none.
    private SqlAggFunction aggregate(String name, WrittenCall written, int at) {
        SqlAggFunction function = analysis.functions().aggregate(name);
        if (function != null) {
            return function;
        }
        if (FunctionTable.reasonDeclined(name) != null) {
            throw expressions.calls().declined(name, name, at);
        }
        List<SqlType> types =
                FunctionCalls.types(expressions.analyzeAll(written.call().getOperandList()));
        throw analysis.functions().named(name).isEmpty()
                ? expressions.calls().noFunction(name, types, false, at)
                : analysis.error(
                        SqlState.WRONG_OBJECT_TYPE,
                        at,
                        "OVER specified, but " + name + " is not a window function nor an aggregate function");
    }

    /// - Errors: 0A000 for what may not stand before OVER.
    private void check(String name, SqlAggFunction function, WrittenCall written, int at) {
        if (function instanceof AggregateFunction ours && ours.kind().isOrderedSet()) {
            throw lacking("OVER is not supported for ordered-set aggregate " + name, at);
        }
        if (function instanceof AggregateFunction ours && ours.kind().isByTime()) {
            throw lacking("OVER is not supported for " + name + " (first_value and last_value have it)", at);
        }
        if (!written.order().isEmpty()) {
            throw lacking("aggregate ORDER BY is not implemented for window functions", at);
        }
        if (written.isDistinct()) {
            throw lacking("DISTINCT is not implemented for window functions", at);
        }
        if (AggregateTable.windowOnly(name) != null && written.filter() != null) {
            throw lacking("FILTER is not implemented for non-aggregate window functions", at);
        }
    }

    private QueryException lacking(String message, int at) {
        return analysis.error(SqlState.FEATURE_NOT_SUPPORTED, at, message);
    }

    /// Aggregates over frames skip NULLs, all but those that keep them: they take the condition itself.
    private Converted filtered(String name, Converted arguments, RexNode condition) {
        List<RexNode> values = new ArrayList<>(arguments.values());
        SqlAggFunction function =
                arguments.proxy().function(analysis.functions().aggregate(name));
        if (function instanceof AggregateFunction ours && ours.keepsNulls()) {
            values.add(condition);
        } else {
            RexNode counted = values.isEmpty() ? maker.integer(1, SqlType.INT4) : values.removeFirst();
            RelDataType type = counted.getType();
            values.addFirst(maker.cases(maker.nullable(type, true), condition, counted, maker.nullOf(type)));
        }
        return arguments.withValues(values);
    }

    private Expr over(
            String name, SqlAggFunction function, boolean usesFrame, Converted converted, SqlWindow window, int at) {
        List<RexNode> partition = new ArrayList<>();
        for (SqlNode key : window.getPartitionList()) {
            Expr.Value value = conversions.resolved(expressions.analyze(key));
            analysis.collations().requireKeys(List.of(value));
            partition.add(value.rex());
        }
        WindowEdges edges = new WindowEdges(analysis, conversions, maker, expressions::analyze, window);
        ImmutableList.Builder<RexFieldCollation> order = ImmutableList.builder();
        for (SqlNode item : window.getOrderList()) {
            SortItem sort = SortItem.of(analysis, item);
            RexNode key = usesFrame && edges.hasRangeOffset()
                    ? edges.orderKey()
                    : OrderKeys.of(analysis, conversions.resolved(expressions.analyze(sort.node())));
            order.add(new RexFieldCollation(key, sort.flags()));
        }
        List<RexNode> operands = new ArrayList<>(converted.values());
        RexWindowBound lower = RexWindowBounds.UNBOUNDED_PRECEDING;
        RexWindowBound upper = RexWindowBounds.CURRENT_ROW;
        if (usesFrame) {
            edges.check();
            lower = edges.bound(window.getLowerBound(), true, lower, operands);
            upper = edges.bound(window.getUpperBound(), false, upper, operands);
        }
        RexNode rex = maker.builder()
                .makeOver(
                        maker.nullable(converted.result(), !AggregateTable.isNeverNull(name)),
                        converted.proxy().function(function),
                        operands,
                        partition,
                        order.build(),
                        lower,
                        upper,
                        usesFrame ? edges.exclusion() : RexWindowExclusion.EXCLUDE_NO_OTHER,
                        edges.isRows() || !usesFrame,
                        true,
                        false,
                        false,
                        false);
        return converted.value(rex, at, analysis.collations());
    }

    /// The arguments of a function that is a window function alone.
    private Converted windowArguments(String name, WrittenCall written, int at) {
        List<Expr> exprs = written.isStar()
                ? List.of()
                : expressions.analyzeAll(written.call().getOperandList());
        List<SqlType> types = FunctionCalls.types(exprs);
        int count = exprs.size();
        boolean fits =
                switch (name) {
                    case "ntile" -> count == 1 && isInteger(types.getFirst());
                    case "lag", "lead" -> count >= 1 && count <= 3 && (count == 1 || isInteger(types.get(1)));
                    case "first_value", "last_value" -> count == 1;
                    case "nth_value" -> count == 2 && isInteger(types.get(1));
                    default -> count == 0;
                };
        if (!fits) {
            throw expressions.calls().noFunction(name, types, false, at);
        }
        return switch (name) {
            case "row_number", "rank", "dense_rank" -> new Converted(List.of(), SqlType.INT8, maker.rel(SqlType.INT8));
            case "percent_rank", "cume_dist" -> new Converted(List.of(), SqlType.FLOAT8, maker.rel(SqlType.FLOAT8));
            case "ntile" ->
                new Converted(
                        List.of(conversions
                                .implicit(exprs.getFirst(), SqlType.INT4)
                                .rex()),
                        SqlType.INT4,
                        maker.rel(SqlType.INT4));
            default -> valueArguments(name, exprs, at);
        };
    }

    /// The value that is taken from another row, which row, and what stands for it where there is none.
    private Converted valueArguments(String name, List<Expr> exprs, int at) {
        Expr.Value value = conversions.resolved(exprs.getFirst());
        Expr.Value absent = null;
        if (exprs.size() == 3) {
            List<Expr> both = List.of(exprs.getFirst(), exprs.get(2));
            SqlType type = CommonTypes.find(both);
            if (type == null) {
                throw expressions.calls().noFunction(name, FunctionCalls.types(exprs), false, at);
            }
            List<Expr.Value> unified = analysis.commonTypes().unified(both, type, name);
            value = unified.getFirst();
            absent = unified.get(1);
        }
        List<RexNode> values = new ArrayList<>();
        values.add(value.rex());
        if (exprs.size() > 1) {
            values.add(conversions.implicit(exprs.get(1), SqlType.INT4).rex());
        }
        if (absent != null) {
            values.add(absent.rex());
        }
        return new Converted(values, value.type(), maker.nullable(value.rex().getType(), false))
                .writtenAs(absent == null ? List.of(value) : List.of(value, absent));
    }

    private static boolean isInteger(SqlType type) {
        return type == SqlType.UNKNOWN || type.convertsTo(SqlType.INT4, SqlType.Context.IMPLICIT);
    }

    /// The window that OVER names or describes.
    private SqlWindow window(SqlNode over) {
        if (!(over instanceof SqlWindow window)) {
            return declared((SqlIdentifier) over);
        }
        return window.getRefName() == null ? window : completed(declared(window.getRefName()), window);
    }

    /// A window that begins with another's name.
    ///
    /// - Errors: 42P20 where it has what the other has already.
    private SqlWindow completed(SqlWindow base, SqlWindow window) {
        String quoted = "\"" + window.getRefName().getSimple() + "\"";
        int at = Positions.start(window);
        if (base.getLowerBound() != null || base.getUpperBound() != null) {
            throw analysis.error(
                    SqlState.WINDOWING_ERROR, at, "cannot copy window " + quoted + " because it has a frame clause");
        }
        if (!window.getPartitionList().isEmpty()) {
            throw analysis.error(
                    SqlState.WINDOWING_ERROR, at, "cannot override PARTITION BY clause of window " + quoted);
        }
        if (!base.getOrderList().isEmpty() && !window.getOrderList().isEmpty()) {
            throw analysis.error(SqlState.WINDOWING_ERROR, at, "cannot override ORDER BY clause of window " + quoted);
        }
        return SqlWindow.create(
                null,
                null,
                base.getPartitionList(),
                base.getOrderList().isEmpty() ? window.getOrderList() : base.getOrderList(),
                WindowEdges.rowsOf(window),
                window.getLowerBound(),
                window.getUpperBound(),
                null,
                window.getExclude(),
                window.getParserPosition());
    }

    private SqlWindow declared(SqlIdentifier name) {
        SqlNodeList windows = scope.select().windows();
        if (windows != null) {
            for (SqlNode node : windows) {
                SqlWindow window = (SqlWindow) node;
                if (window.getDeclName() != null
                        && window.getDeclName().getSimple().equals(name.getSimple())) {
                    return window(window);
                }
            }
        }
        throw analysis.error(
                SqlState.UNDEFINED_OBJECT, Positions.start(name), "window \"" + name.getSimple() + "\" does not exist");
    }
}
