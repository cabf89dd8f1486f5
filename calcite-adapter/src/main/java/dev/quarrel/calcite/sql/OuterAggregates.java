package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Expr;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlNode;

/// Handles aggregates that are written in a sub-query but belong to a query around it: to the innermost one
/// whose columns their arguments name.
///
/// - Source: PostgreSQL's check_agglevels_and_constraints in `parse_agg.c`.
final class OuterAggregates {
    private final Analysis analysis;
    private final Scope scope;

    /// @param scope of the query in which the aggregate is written
    OuterAggregates(Analysis analysis, Scope scope) {
        this.analysis = analysis;
        this.scope = scope;
    }

    /// The scope of the query that computes an aggregate.
    ///
    /// @param inputs arguments and order
    /// @param filter null for none
    Scope owner(SqlNode call, List<SqlNode> inputs, SqlNode filter, ExpressionAnalyzer expressions) {
        if (scope.parent() == null || inputs.isEmpty() && filter == null) {
            return scope;
        }
        int level = analysis.aggregateLevel(call, () -> level(inputs, filter, expressions));
        Scope owner = scope;
        for (; level > 0; level--) {
            owner = owner.parent();
        }
        return owner;
    }

    private int level(List<SqlNode> inputs, SqlNode filter, ExpressionAnalyzer expressions) {
        Set<Scope> seen = analysis.seenBy(() -> look(select -> {
            JsonValues values = new JsonValues(analysis, scope, expressions);
            inputs.forEach(values::input);
            if (filter != null) {
                select.enter(Select.Clause.FILTER);
                expressions.analyze(filter);
            }
        }));
        int level = 0;
        for (Scope each = scope; each != null; each = each.parent(), level++) {
            if (seen.contains(each)) {
                return level;
            }
        }
        return 0;
    }

    /// An input of an aggregate as what it is; that it has been analysed is forgotten.
    Expr peek(SqlNode input, ExpressionAnalyzer expressions) {
        Expr[] found = new Expr[1];
        look(_ -> found[0] = expressions.analyze(input));
        return found[0];
    }

    /// Analyses the inputs once to see what they name, and forgets the rest.
    private void look(Consumer<Select> analyze) {
        Map<Select, Integer> uses = new IdentityHashMap<>();
        for (Scope level = scope; level != null; level = level.parent()) {
            if (level.select() != null) {
                uses.put(level.select(), level.select().columnUses().size());
            }
        }
        Select select = scope.select() == null ? new Select(0, null) : scope.select();
        boolean wasInside = select.isInsideAggregate();
        Select.Clause clause = select.clause();
        select.setInsideAggregate(true);
        try {
            analyze.accept(select);
        } finally {
            select.setInsideAggregate(wasInside);
            select.enter(clause);
            uses.forEach((each, count) ->
                    each.columnUses().subList(count, each.columnUses().size()).clear());
        }
    }

    /// The aggregate as a column of the outer query's row, which has its aggregates behind FROM's columns.
    Expr reference(Scope owner, SqlNode call) {
        Scope.Link link = scope.link();
        for (Scope level = scope; level.parent() != owner; level = level.parent()) {
            link = level.parent().link();
        }
        link.use();
        Expr.Value value =
                (Expr.Value) analysis.atOwner(call, () -> new ExpressionAnalyzer(analysis, owner).analyze(call));
        RexNode outer = new Columns(analysis).outward(value.rex(), owner, link);
        return value.with(outer);
    }
}
