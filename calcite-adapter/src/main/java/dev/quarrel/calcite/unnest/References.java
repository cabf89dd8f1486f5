package dev.quarrel.calcite.unnest;

import dev.quarrel.calcite.limits.PlanningLimits;
import java.util.Set;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.util.ImmutableBitSet;

/// A query's references to its outer row: the names it uses for the row, and how its column numbers map to the
/// row's.
///
/// @param ids names by which the query refers to the row
/// @param offset added to a column of the row that is named, it is a column of the row that is there
record References(Set<CorrelationId> ids, int offset) {
    References {
        ids = Set.copyOf(ids);
    }

    static References to(Set<CorrelationId> ids) {
        return new References(ids, 0);
    }

    boolean isTo(RexFieldAccess access) {
        return access.getReferenceExpr() instanceof RexCorrelVariable variable && ids.contains(variable.id);
    }

    /// The column of the row that is there.
    int column(RexFieldAccess access) {
        return access.getField().getIndex() + offset;
    }

    boolean in(RexNode node) {
        return !ids.isEmpty() && !columns(node).isEmpty();
    }

    boolean in(RelNode rel) {
        return !ids.isEmpty() && !columns(rel).isEmpty();
    }

    /// Columns that a query reads.
    ImmutableBitSet columns(RelNode rel) {
        Finder finder = new Finder();
        finder.visit(rel);
        return finder.columns.build();
    }

    ImmutableBitSet columns(RexNode node) {
        Finder finder = new Finder();
        node.accept(finder.expressions);
        return finder.columns.build();
    }

    private final class Finder extends RelHomogeneousShuttle {
        private final ImmutableBitSet.Builder columns = ImmutableBitSet.builder();
        private final RexShuttle expressions = new RexShuttle() {
            @Override
            public RexNode visitFieldAccess(RexFieldAccess access) {
                if (isTo(access)) {
                    columns.set(column(access));
                }
                return access;
            }

            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                visit(query.rel);
                return super.visitSubQuery(query);
            }
        };

        @Override
        public RelNode visit(RelNode rel) {
            PlanningLimits.tick();
            rel.accept(expressions);
            rel.getInputs().forEach(this::visit);
            return rel;
        }
    }
}
