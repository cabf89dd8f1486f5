package dev.quarrel.calcite.sql;

import com.google.common.collect.ImmutableList;
import dev.quarrel.calcite.parse.Positions;
import dev.quarrel.calcite.rel.OuterReferences;
import dev.quarrel.calcite.sql.Scope.Column;
import dev.quarrel.calcite.sql.Scope.Rows;
import dev.quarrel.calcite.sql.convert.Expr;
import dev.quarrel.calcite.sql.function.AggregateFunction;
import dev.quarrel.calcite.sql.function.AggregateTable;
import dev.quarrel.calcite.sql.function.Operators;
import dev.quarrel.calcite.sql.function.PostgresFunctions;
import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import dev.quarrel.calcite.sql.type.SqlTypes;
import dev.quarrel.core.type.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.logical.LogicalSort;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;

/// Analyses queries inside expressions: scalar sub-queries, EXISTS, IN, ANY and ALL. They become RexSubQuerys.
final class SubQueries {
    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;
    private final RexMaker maker;

    SubQueries(Analysis analysis, Scope scope, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
        this.maker = analysis.maker();
    }

    private Scope.Link link() {
        return new Scope.Link(analysis.context().cluster().createCorrel());
    }

    private Rows rows(SqlNode query) {
        Scope.Link link = link();
        Rows rows = rows(query, link);
        note(link, query);
        return rows;
    }

    private Rows rows(SqlNode query, Scope.Link link) {
        return new QueryAnalyzer(analysis).query(query, new Scope(scope, link, scope.withQueries()));
    }

    private void note(Scope.Link link, SqlNode query) {
        if (link.isUsed() && scope.select() != null) {
            scope.select().addCorrelation(link.id());
        } else if (link.isUsed()) {
            throw analysis.unsupported(Positions.start(query), "a sub-query here that refers to the query around it");
        }
    }

    /// Two sub-queries of one SELECT that differ in the name of its row alone are one: so an expression is known
    /// that is grouped or sorted by.
    private RexSubQuery known(RexSubQuery query, Scope.Link link) {
        Select select = scope.select();
        if (select == null
                || !link.isUsed()
                || !select.clause().seesGroups() && select.clause() != Select.Clause.GROUP_BY) {
            return query;
        }
        for (Select.SubQuery earlier : select.subQueries()) {
            if (earlier.rex().getKind() == query.getKind()) {
                RelNode renamed = new OuterReferences((access, id) -> id.equals(link.id())
                                ? maker.builder()
                                        .makeFieldAccess(
                                                maker.builder()
                                                        .makeCorrel(
                                                                access.getReferenceExpr()
                                                                        .getType(),
                                                                earlier.row()),
                                                access.getField().getIndex())
                                : access)
                        .visit(query.rel);
                RexSubQuery same = query.clone(renamed);
                if (same.toString().equals(earlier.rex().toString())) {
                    return earlier.rex();
                }
            }
        }
        select.subQueries().add(new Select.SubQuery(query, link.id()));
        return query;
    }

    /// `(a, b) op (query)`: the comparison with the query's only row; NULL where it has none.
    Expr compared(Expr.Row left, String symbol, SqlNode leftNode, SqlNode query) {
        requireWritten(left);
        Scope.Link link = link();
        Rows rows = rows(query, link);
        requireWidth(rows, left.items().size(), leftNode);
        List<Expr> lefts = new ArrayList<>();
        for (Expr item : left.items()) {
            lefts.add(item instanceof Expr.Value value ? outward(value, link) : item);
        }
        note(link, query);
        List<Expr> rights = new ArrayList<>();
        for (int index = 0; index < rows.columns().size(); index++) {
            Column column = rows.columns().get(index);
            RexNode field = maker.builder().makeInputRef(rows.rel(), index);
            rights.add(column.value(field, left.at()));
        }
        Expr.Value compared = expressions
                .operators()
                .infix(symbol, new Expr.Row(lefts, left.at()), new Expr.Row(rights, left.at()), leftNode);
        RelNode rel =
                LogicalProject.create(rows.rel(), List.of(), List.of(compared.rex()), List.of("compared"), Set.of());
        RexSubQuery comparison = RexSubQuery.scalar(rel);
        Select select = scope.select();
        if (select != null && select.mayMakeNull() && isOfLiteral(compared.rex())) {
            select.addCorrelation(link.id());
            select.comparedRows().add(new Select.SubQuery(comparison, link.id()));
        }
        return new Expr.Value(comparison, compared.type(), left.at());
    }

    private static boolean isOfLiteral(RexNode comparison) {
        boolean[] found = {false};
        comparison.accept(new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitLiteral(RexLiteral literal) {
                found[0] = true;
                return null;
            }
        });
        return found[0];
    }

    /// - Errors: 0A000 for the row of a table, which would be compared with rows that are values.
    private void requireWritten(Expr left) {
        if (left instanceof Expr.Row row && row.isWhole()) {
            throw analysis.unsupported(row.at(), "a table's row compared with those of a sub-query");
        }
    }

    /// A value of this query's row, as its sub-query names it.
    private Expr outward(Expr.Value value, Scope.Link link) {
        boolean isNested = RexOver.containsOver(value.rex()) || RexUtil.SubQueryFinder.find(value.rex()) != null;
        if (isNested) {
            throw analysis.unsupported(
                    value.at(), "a window function or sub-query in a row that is compared with a query");
        }
        RexNode outer = new Columns(analysis).outward(value.rex(), scope, link);
        if (!outer.equals(value.rex())) {
            link.use(value.at());
        }
        return value.with(outer);
    }

    private void requireWidth(Rows rows, int width, SqlNode leftNode) {
        if (rows.columns().size() != width) {
            throw analysis.error(
                    SqlState.SYNTAX_ERROR,
                    analysis.operatorAfter(leftNode),
                    rows.columns().size() > width ? "subquery has too many columns" : "subquery has too few columns");
        }
    }

    Expr scalar(SqlNode query) {
        return scalar(query, Positions.start(query));
    }

    /// @param at where PostgreSQL points
    Expr scalar(SqlNode query, int at) {
        Scope.Link link = link();
        Rows rows = rows(query, link);
        if (rows.columns().size() != 1) {
            throw analysis.error(SqlState.SYNTAX_ERROR, at, "subquery must return only one column");
        }
        note(link, query);
        Column column = rows.columns().get(0);
        return column.value(known(RexSubQuery.scalar(rows.rel()), link), at);
    }

    /// ARRAY(query): its rows in their order, and no row is an array without elements.
    Expr array(SqlNode query, int at) {
        Rows rows = rows(query);
        if (rows.columns().size() != 1) {
            throw analysis.error(SqlState.SYNTAX_ERROR, at, "subquery must return only one column");
        }
        SqlType element = rows.columns().getFirst().type();
        // Of arrays of one shape it is an array of one dimension more.
        SqlType type = element.isArray() ? element : element.array();
        if (type == null) {
            RexNode text = analysis.emptyRows().isEmpty(rows.rel())
                    ? maker.string("{}", maker.rel(SqlType.TEXT))
                    : maker.notNull(
                            PostgresFunctions.ARRAY_TEXT, maker.rel(SqlType.TEXT), RexSubQuery.array(rows.rel()));
            return new Expr.Value(text, SqlType.TEXT, at);
        }
        RexNode empty = maker.string("{}", maker.rel(type));
        if (analysis.emptyRows().isEmpty(rows.rel())) {
            return new Expr.Value(empty, type, -1, at, rows.columns().getFirst().collating());
        }
        RexNode rex = RexSubQuery.scalar(gathered(rows.rel(), at));
        RexNode isThere = maker.notNull(SqlStdOperatorTable.IS_NOT_NULL, maker.bool(), rex);
        RexNode array = maker.cases(maker.rel(type), isThere, maker.cast(maker.rel(type), rex), empty);
        return new Expr.Value(array, type, -1, at, rows.columns().getFirst().collating());
    }

    /// One row: array_agg of a query's one column, in the query's order.
    private RelNode gathered(RelNode rel, int at) {
        int column = 0;
        RelNode sorted = rel;
        if (rel instanceof LogicalProject project
                && project.getProjects().getFirst() instanceof RexInputRef reference) {
            column = reference.getIndex();
            sorted = project.getInput();
        }
        List<Integer> arguments = new ArrayList<>();
        List<AggregateFunction.Direction> directions = new ArrayList<>();
        RelNode input = rel;
        if (sorted instanceof LogicalSort sort
                && !sort.getCollation().getFieldCollations().isEmpty()) {
            input = sort.offset == null && sort.fetch == null ? sort.getInput() : sort;
            arguments.add(column);
            for (RelFieldCollation key : sort.getCollation().getFieldCollations()) {
                if (Operators.hasOrderKey(input.getRowType()
                        .getFieldList()
                        .get(key.getFieldIndex())
                        .getType())) {
                    throw analysis.unsupported(at, "ORDER BY of arrays and the like in ARRAY(…)");
                }
                arguments.add(key.getFieldIndex());
                directions.add(new AggregateFunction.Direction(
                        key.getDirection().isDescending(), key.nullDirection == RelFieldCollation.NullDirection.FIRST));
            }
        } else {
            arguments.add(0);
        }
        AggregateFunction function =
                SqlTypes.isArray(rel.getRowType().getFieldList().getFirst().getType())
                        ? AggregateFunction.ARRAYS_AGG
                        : (AggregateFunction) AggregateTable.aggregate("array_agg");
        AggregateCall call = AggregateCall.create(
                directions.isEmpty() ? function : function.ordered(directions),
                false,
                false,
                false,
                List.of(),
                arguments,
                -1,
                null,
                RelCollations.EMPTY,
                true,
                input,
                null,
                null);
        return LogicalAggregate.create(input, List.of(), ImmutableBitSet.of(), null, List.of(call));
    }

    Expr exists(SqlNode query, int at) {
        if (!query.isA(SqlKind.QUERY)) {
            throw Positions.syntaxError(analysis.text(), Positions.start(query) + 1);
        }
        Scope.Link link = link();
        Rows rows = rows(query, link);
        note(link, query);
        return Expr.Value.bool(known(RexSubQuery.exists(rows.rel()), link), at);
    }

    Expr in(SqlNode left, SqlNode query, boolean negated, int at) {
        Pairs pairs = pairs(left, query, "=");
        RexNode in = RexSubQuery.in(pairs.rel(), ImmutableList.copyOf(pairs.left()));
        return Expr.Value.bool(negated ? maker.not(in) : in, at);
    }

    Expr quantified(SqlNode left, String symbol, SqlNode query, boolean all, int at) {
        if (ListComparisons.isMembership(symbol, all)) {
            return in(left, query, all, at);
        }
        Pairs pairs = pairs(left, query, symbol);
        // x < ALL (q) is NOT (x >= ANY (q)).
        SqlKind kind = kind(symbol);
        SqlQuantifyOperator some = SqlStdOperatorTable.some(all ? kind.negateNullSafe() : kind);
        RexNode rex = RexSubQuery.some(pairs.rel(), ImmutableList.copyOf(pairs.left()), some);
        return Expr.Value.bool(all ? maker.not(rex) : rex, at);
    }

    private static SqlKind kind(String symbol) {
        return switch (symbol) {
            case "=" -> SqlKind.EQUALS;
            case "<>" -> SqlKind.NOT_EQUALS;
            case "<" -> SqlKind.LESS_THAN;
            case "<=" -> SqlKind.LESS_THAN_OR_EQUAL;
            case ">" -> SqlKind.GREATER_THAN;
            case ">=" -> SqlKind.GREATER_THAN_OR_EQUAL;
            default -> throw new IllegalArgumentException(symbol + " is no comparison");
        };
    }

    private record Pairs(List<RexNode> left, RelNode rel) {}

    /// Brings the left side and the query's columns to the types that the operator compares.
    private Pairs pairs(SqlNode leftNode, SqlNode query, String symbol) {
        Expr left = expressions.analyze(leftNode);
        requireWritten(left);
        List<Expr> items = left instanceof Expr.Row(List<Expr> all, var _, var _, var _, var _, var _, int _)
                ? all
                : List.of(left);
        Rows rows = rows(query);
        requireWidth(rows, items.size(), leftNode);
        List<RexNode> lefts = new ArrayList<>();
        List<RexNode> rights = new ArrayList<>();
        for (int index = 0; index < items.size(); index++) {
            Column column = rows.columns().get(index);
            Expr right = column.value(maker.builder().makeInputRef(rows.rel(), index), left.at());
            RexNode compared = expressions
                    .operators()
                    .call(symbol, items.get(index), right, () -> analysis.operatorAfter(leftNode))
                    .rex();
            if (compared.getKind() != kind(symbol)) {
                throw analysis.unsupported(analysis.operatorAfter(leftNode), "a sub-query of such values here");
            }
            List<RexNode> operands = ((RexCall) compared).getOperands();
            lefts.add(operands.get(0));
            rights.add(operands.get(1));
        }
        boolean plain = true;
        for (int index = 0; index < rights.size(); index++) {
            plain &= rights.get(index).equals(maker.builder().makeInputRef(rows.rel(), index));
        }
        RelNode rel = plain && rights.size() == rows.rel().getRowType().getFieldCount()
                ? rows.rel()
                : LogicalProject.create(rows.rel(), List.of(), rights, (List<String>) null, Set.of());
        return new Pairs(lefts, rel);
    }
}
