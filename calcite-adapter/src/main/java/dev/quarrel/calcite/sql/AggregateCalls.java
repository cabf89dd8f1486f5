package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.sql.AggregateArguments.Converted;
import dev.quarrel.calcite.sql.Select.AggregateUse;
import dev.quarrel.calcite.sql.Select.Clause;
import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.function.FunctionTable;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/// Analyses aggregate calls, with their FILTER, DISTINCT and ORDER BY, and GROUPING: each becomes a column of
/// the SELECT that it belongs to.
///
/// - Source: PostgreSQL's `parse_agg.c`.
final class AggregateCalls {
    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;
    private final Conversions conversions;
    private final OuterAggregates outer;
    private final AggregateArguments arguments;
    private final OrderedSetArguments orderedSets;
    private final HypotheticalRow hypothetical;

    AggregateCalls(Analysis analysis, Scope scope, ExpressionAnalyzer expressions, AggregateArguments arguments) {
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
        this.maker = analysis.maker();
        this.conversions = analysis.conversions();
        this.outer = new OuterAggregates(analysis, scope);
        this.arguments = arguments;
        DirectArguments direct = new DirectArguments(analysis, scope, expressions);
        this.orderedSets = new OrderedSetArguments(analysis, expressions, direct);
        this.hypothetical = new HypotheticalRow(analysis, scope, expressions, direct);
    }

    /// A call with FILTER, WITHIN GROUP or ORDER BY, which only aggregates take.
    Expr qualified(SqlCall call, int at) {
        WrittenCall written = WrittenCall.of(call, analysis, at);
        String name = written.name();
        int nameAt = Positions.start(written.identifier());
        SqlAggFunction aggregate = analysis.functions().aggregate(name);
        if (aggregate != null) {
            return call(name, aggregate, written, call, nameAt);
        }
        Optional<JsonAggregate> ofDocuments = JsonAggregate.named(name);
        if (ofDocuments.isPresent()) {
            return documents(ofDocuments.get(), written, call, nameAt);
        }
        if (written.within() && HypotheticalRow.isFor(name)) {
            return aggregate(written, call, nameAt, () -> {
                RexNode condition = written.filter() == null ? null : filter(written.filter());
                return hypothetical.of(name, written, condition, nameAt);
            });
        }
        if (AggregateTable.windowOnly(name) != null && !written.within()) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE,
                    nameAt,
                    HypotheticalRow.isFor(name) && !written.inputs().isEmpty()
                            ? "WITHIN GROUP is required for ordered-set aggregate " + name
                            : "window function " + name + " requires an OVER clause");
        }
        if (FunctionTable.reasonDeclined(name) != null) {
            throw expressions.calls().declined(name, name, at);
        }
        String what = written.within() ? "WITHIN GROUP" : !written.order().isEmpty() ? "ORDER BY" : "FILTER";
        throw analysis.error(
                SqlState.WRONG_OBJECT_TYPE, nameAt, what + " specified, but " + name + " is not an aggregate function");
    }

    /// A document of rows, here or in the query around that it belongs to.
    ///
    /// @param node the whole call
    Expr documents(JsonAggregate aggregate, WrittenCall written, SqlNode node, int at) {
        if (written.within() && written.inputs().size() == aggregate.argumentCount()) {
            throw analysis.error(
                    SqlState.WRONG_OBJECT_TYPE,
                    at,
                    written.name() + " is not an ordered-set aggregate, so it cannot have WITHIN GROUP");
        }
        return aggregate(written, node, at, () -> document(aggregate, written, at));
    }

    private Expr document(JsonAggregate aggregate, WrittenCall written, int at) {
        JsonValues values = new JsonValues(analysis, scope, expressions);
        List<JsonValues.Input> inputs = documentInputs(aggregate, written, values, at);
        List<Expr.Value> read = JsonAggregate.values(inputs, analysis);
        List<RexNode> named = read.stream().map(Expr.Value::rex).toList();
        boolean distinct = written.isDistinct();
        if (distinct && named.size() < inputs.size()) {
            throw analysis.unsupported(at, "DISTINCT of rows in " + written.name());
        }
        if (distinct && !named.stream().allMatch(JsonAggregate::isEqualAsText)) {
            throw analysis.unsupported(at, "DISTINCT of values that several texts stand for in " + written.name());
        }
        if (distinct) {
            analysis.collations().requireDeterministic(read, at);
        }
        AggregateFunction joining = (AggregateFunction) AggregateTable.aggregate("string_agg");
        RexNode condition = written.filter() == null ? null : filter(written.filter());
        Converted converted = new Converted(named, aggregate.type(), maker.rel(aggregate.type())).writtenAs(read);
        Ordered ordered = ordered(joining, converted, written, false, distinct);
        List<RexNode> arguments = new ArrayList<>(aggregate.joined(inputs, values, maker));
        arguments.addAll(
                ordered.arguments().subList(named.size(), ordered.arguments().size()));
        int index = scope.select().add(new AggregateUse(ordered.function(), distinct, arguments, condition), at);
        RexNode joined = maker.builder().makeInputRef(maker.nullable(maker.rel(SqlType.TEXT), true), index);
        return new Expr.Value(aggregate.document(joined, inputs, values), aggregate.type(), at);
    }

    /// - Errors: 42883 for another number of arguments, 42804 for one without a type of its own.
    List<JsonValues.Input> documentInputs(JsonAggregate aggregate, WrittenCall written, JsonValues values, int at) {
        List<SqlNode> operands =
                written.within() ? written.inputs() : written.call().getOperandList();
        if (written.isStar() || operands.size() != aggregate.argumentCount()) {
            List<SqlType> types = written.isStar()
                    ? List.of()
                    : operands.stream().map(each -> values.input(each).type()).toList();
            throw expressions.calls().noFunction(FunctionCalls.description(written.name(), types), false, at);
        }
        List<JsonValues.Input> inputs = JsonAggregate.inputs(operands, values);
        if (!aggregate.isObject() && inputs.getFirst().type() == SqlType.UNKNOWN) {
            throw new QueryException(
                    SqlState.DATATYPE_MISMATCH, "could not determine polymorphic type because input has type unknown");
        }
        return inputs;
    }

    /// The aggregate's column, here or in the query around that it belongs to.
    ///
    /// @param node the whole call
    Expr call(String name, SqlAggFunction function, WrittenCall written, SqlNode node, int at) {
        if (written.isStar() && !written.order().isEmpty() && !written.within()) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR, Positions.start(written.order()), "syntax error at or near \"ORDER\"");
        }
        return aggregate(written, node, at, () -> column(name, function, written, at));
    }

    /// What stands for an aggregate, here or in the query around that it belongs to.
    private Expr aggregate(WrittenCall written, SqlNode node, int at, Supplier<Expr> analyzed) {
        List<SqlNode> inputs = written.within() || written.isStar() ? written.keys() : written.inputs();
        Scope owner = outer.owner(node, inputs, written.filter(), expressions);
        if (owner != scope) {
            return outer.reference(owner, node);
        }
        if (!scope.clause().allowsAggregates()) {
            throw analysis.error(
                    SqlState.GROUPING_ERROR,
                    at,
                    "aggregate functions are not allowed in " + scope.clause().text());
        }
        Select select = scope.select();
        if (select.isInsideAggregate()) {
            throw analysis.error(SqlState.GROUPING_ERROR, at, "aggregate function calls cannot be nested");
        }
        select.setInsideAggregate(true);
        try {
            return analyzed.get();
        } finally {
            select.setInsideAggregate(false);
        }
    }

    private Expr column(String name, SqlAggFunction function, WrittenCall written, int at) {
        boolean isSet =
                function instanceof AggregateFunction ours && ours.kind().isOrderedSet();
        Converted converted = isSet ? orderedSets.of(name, written, at) : arguments.of(name, written, at);
        RexNode condition = written.filter() == null ? null : filter(written.filter());
        boolean distinct = written.isDistinct();
        if (distinct) {
            analysis.collations().requireDeterministic(converted.exprs(), at);
        }
        boolean pointless = name.equals("min")
                || name.equals("max")
                || function.getName().startsWith("BOOL_")
                || converted.proxy().ignoresRepeats()
                || function instanceof AggregateFunction ours && ours.kind().ignoresRepeats();
        SqlAggFunction chosen = converted.proxy().function(function);
        if (converted.type().isArray() && isSet) {
            chosen = ofFractions(name);
        } else if (name.equals("array_agg")
                && SqlTypes.isArray(converted.values().getFirst().getType())) {
            chosen = AggregateFunction.ARRAYS_AGG;
        }
        Ordered ordered = ordered(
                chosen,
                converted,
                written,
                isSet,
                distinct && !converted.proxy().ignoresRepeats());
        int index = scope.select()
                .add(new AggregateUse(ordered.function(), distinct && !pointless, ordered.arguments(), condition), at);
        RexNode reference = maker.builder().makeInputRef(maker.nullable(converted.result(), !isCount(name)), index);
        return converted.value(reference, at, analysis.collations());
    }

    private static AggregateFunction ofFractions(String name) {
        return name.equals("percentile_cont") ? AggregateFunction.PERCENTILES_CONT : AggregateFunction.PERCENTILES_DISC;
    }

    /// An aggregate function whose arguments are followed by the keys of its ORDER BY.
    private record Ordered(SqlAggFunction function, List<RexNode> arguments) {}

    private Ordered ordered(
            SqlAggFunction function, Converted converted, WrittenCall written, boolean isSet, boolean distinct) {
        List<RexNode> arguments = converted.values();
        List<RexNode> all = new ArrayList<>(arguments);
        List<RexNode> sorted = new ArrayList<>();
        List<AggregateFunction.Direction> directions = new ArrayList<>();
        for (SqlNode node : written.order()) {
            SortItem item = SortItem.of(analysis, node);
            Expr named = isSet ? null : expressions.analyze(item.node());
            if (named instanceof Expr.Row row && !distinct) {
                addFields(row, item.descending(), all, directions);
                continue;
            }
            directions.add(new AggregateFunction.Direction(item.descending(), item.nullsFirst()));
            // An argument that is converted implicitly is sorted as what it is converted to.
            int argument = isSet ? 0 : named instanceof Expr.Value value ? converted.indexOf(value) : -1;
            RexNode key = argument < 0 ? conversions.resolved(named).rex() : arguments.get(argument);
            sorted.add(key);
            if (distinct && argument < 0) {
                throw analysis.error(
                        SqlState.INVALID_COLUMN_REFERENCE,
                        Positions.start(item.node()),
                        "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list");
            }
            boolean hasKey = Operators.hasOrderKey(key.getType());
            if (hasKey && (distinct || isSet)) {
                throw analysis.unsupported(
                        Positions.start(item.node()),
                        "ORDER BY of type " + SqlTypes.pgType(key.getType()).formatName() + " here");
            }
            all.add(
                    isSet
                            ? key
                            : argument < 0 ? OrderKeys.of(analysis, conversions.resolved(named)) : inOrder(key, named));
        }
        if (!(function instanceof AggregateFunction ours) || !ours.kind().isOrdered()) {
            return new Ordered(function, arguments);
        }
        // PostgreSQL finds what is distinct by sorting, and the rest of the arguments completes the order.
        for (int index = 0; distinct && index < arguments.size(); index++) {
            RexNode argument = arguments.get(index);
            if (!sorted.contains(argument)) {
                if (Operators.hasOrderKey(argument.getType())) {
                    throw analysis.unsupported(
                            Positions.start(written.call().operand(0)),
                            "DISTINCT of type "
                                    + SqlTypes.pgType(argument.getType()).formatName() + " in " + written.name());
                }
                all.add(
                        index < converted.exprs().size()
                                ? inOrder(argument, converted.exprs().get(index))
                                : argument);
                directions.add(AggregateFunction.Direction.ASCENDING);
            }
        }
        return new Ordered(ours.ordered(directions), all);
    }

    /// The fields of a row as keys, of which NULLs are the greatest.
    private void addFields(
            Expr.Row row, boolean descending, List<RexNode> keys, List<AggregateFunction.Direction> directions) {
        if (row.mayBeMissing()) {
            throw analysis.unsupported(row.at(), "ORDER BY of a row that an outer join may not have");
        }
        for (Expr field : row.items()) {
            if (field instanceof Expr.Row inner) {
                addFields(inner, descending, keys, directions);
                continue;
            }
            keys.add(OrderKeys.of(analysis, conversions.resolved(field)));
            directions.add(new AggregateFunction.Direction(descending, descending));
        }
    }

    /// What an argument is sorted by.
    ///
    /// @param expr the argument as it is written
    private RexNode inOrder(RexNode value, Expr expr) {
        return expr instanceof Expr.Value written ? OrderKeys.of(analysis, written.with(value)) : value;
    }

    private boolean isCount(String name) {
        return name.equals("count")
                || analysis.functions().aggregate(name) instanceof AggregateFunction function && function.isCount();
    }

    /// The condition of FILTER: true or false.
    RexNode filter(SqlNode filter) {
        Select select = scope.select();
        Clause outer = select.clause();
        select.enter(Clause.FILTER);
        try {
            return maker.notNull(SqlStdOperatorTable.IS_TRUE, maker.bool(), expressions.condition(filter, "FILTER"));
        } finally {
            select.enter(outer);
        }
    }

    Expr grouping(SqlCall call, int at) {
        Scope owner = outer.owner(call, call.getOperandList(), null, expressions);
        if (owner != scope) {
            return outer.reference(owner, call);
        }
        if (!scope.clause().allowsAggregates()) {
            throw analysis.error(
                    SqlState.GROUPING_ERROR,
                    at,
                    "grouping operations are not allowed in " + scope.clause().text());
        }
        Select select = scope.select();
        List<RexNode> keys = new ArrayList<>();
        select.setInsideAggregate(true);
        try {
            for (Expr expr : expressions.analyzeAll(call.getOperandList())) {
                keys.add(conversions.resolved(expr).rex());
            }
        } finally {
            select.setInsideAggregate(false);
        }
        int index = select.add(new AggregateUse(SqlStdOperatorTable.GROUPING, false, keys, null), at);
        RexNode reference = maker.builder().makeInputRef(maker.rel(SqlType.INT8), index);
        return new Expr.Value(maker.cast(maker.rel(SqlType.INT4), reference), SqlType.INT4, at);
    }
}
