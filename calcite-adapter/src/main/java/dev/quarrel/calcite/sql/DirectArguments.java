package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.sql.convert.Conversions;
import dev.quarrel.calcite.sql.convert.Expr;
import java.util.List;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlNode;

/// Analyses the arguments of an ordered-set aggregate that stand in front of WITHIN GROUP: they have one value a
/// group, and so name nothing but its keys.
///
/// - Source: PostgreSQL's check_ungrouped_columns in `parse_agg.c`.
final class DirectArguments {
    private final Analysis analysis;
    private final Scope scope;
    private final ExpressionAnalyzer expressions;

    DirectArguments(Analysis analysis, Scope scope, ExpressionAnalyzer expressions) {
        this.analysis = analysis;
        this.scope = scope;
        this.expressions = expressions;
    }

    /// The arguments over the rows of the group, all of which give the same.
    List<Expr> analyze(List<SqlNode> nodes) {
        // An array of fractions stays written out.
        List<Expr> exprs = nodes.stream().map(expressions::open).toList();
        if (exprs.stream().anyMatch(DirectArguments::namesColumns)) {
            Select select = scope.select();
            if (select.mayMakeNull()) {
                throw analysis.unsupported(
                        exprs.getFirst().at(), "a direct argument that depends on columns, with grouping sets");
            }
            // Once more as an expression over the groups, which names columns that must be grouped by.
            Conversions conversions = analysis.conversions();
            select.setInsideAggregate(false);
            try {
                for (Expr expr : nodes.stream().map(expressions::open).toList()) {
                    if (namesColumns(expr)) {
                        select.addDirectArgument(conversions.resolved(expr).rex());
                    }
                }
            } finally {
                select.setInsideAggregate(true);
            }
        }
        return exprs;
    }

    private static boolean namesColumns(Expr expr) {
        return switch (expr) {
            case Expr.Value value -> RexUtil.containsInputRef(value.rex());
            case Expr.Array array -> array.items().stream().anyMatch(DirectArguments::namesColumns);
            default -> false;
        };
    }
}
