package dev.quarrel.calcite.rel;

import java.util.function.BiFunction;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;

/// Replaces the references that sub-queries, at any depth, make to rows around them.
public final class OuterReferences {
    private final RelHomogeneousShuttle rels = new RelHomogeneousShuttle() {
        @Override
        public RelNode visit(RelNode other) {
            RelNode visited = super.visit(other);
            if (visited instanceof Filter filter) {
                // A filter refuses a condition that is a cast to the same type that may be NULL.
                RexNode condition = RexUtil.removeNullabilityCast(
                        filter.getCluster().getTypeFactory(),
                        filter.getCondition().accept(expressions));
                return filter.copy(filter.getTraitSet(), filter.getInput(), condition);
            }
            return visited.accept(expressions);
        }
    };

    private final RexShuttle expressions;

    /// @param replacement of a field of the row that has that name; the field itself if it stays
    public OuterReferences(BiFunction<RexFieldAccess, CorrelationId, RexNode> replacement) {
        this.expressions = new RexShuttle() {
            @Override
            public RexNode visitFieldAccess(RexFieldAccess access) {
                return access.getReferenceExpr() instanceof RexCorrelVariable variable
                        ? replacement.apply(access, variable.id)
                        : access;
            }

            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                RexSubQuery mapped = (RexSubQuery) super.visitSubQuery(query);
                RelNode inner = rels.visit(mapped.rel);
                return inner == mapped.rel ? mapped : mapped.clone(inner);
            }
        };
    }

    public RelNode visit(RelNode query) {
        return rels.visit(query);
    }

    public RexNode visit(RexNode expression) {
        return expression.accept(expressions);
    }
}
