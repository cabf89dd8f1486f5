package dev.quarrel.calcite.limits;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexVisitorImpl;

/// Measures the size of relational expressions as trees: a node used twice counts twice, since a walk visits it
/// twice. Each shared node is measured only once, so measuring takes time proportional to the number of distinct
/// nodes.
///
/// One object a statement, or a phase of its planning; one thread uses it.
public final class PlanSize {
    /// Relational expressions of one statement: a thousand joins of a few each.
    private static final long MAX_WRITTEN_NODES = 10_000;

    /// Of what planning makes of it: as many grouping sets as PostgreSQL has are a few nodes each.
    private static final long MAX_PLANNED_NODES = 50_000;

    /// Parts of expressions: a megabyte of text has fewer.
    private static final long MAX_EXPRESSIONS = 2_000_000;

    private final Map<RelNode, Size> known = new IdentityHashMap<>();
    private final long maxNodes;

    private PlanSize(long maxNodes) {
        this.maxNodes = maxNodes;
    }

    /// Of a statement as it is written.
    public static PlanSize written() {
        return new PlanSize(MAX_WRITTEN_NODES);
    }

    /// Of a statement on its way through planning.
    public static PlanSize planned() {
        return new PlanSize(MAX_PLANNED_NODES);
    }

    private record Size(long nodes, long expressions) {
        static final Size NONE = new Size(0, 0);

        Size plus(Size other) {
            return new Size(saturated(nodes + other.nodes), saturated(expressions + other.expressions));
        }

        /// Far beyond any bound, and small enough to be added up.
        private static long saturated(long count) {
            return Math.min(count, 1L << 60);
        }
    }

    /// Requires that a tree be small enough to be walked.
    ///
    /// - Returns: `rel`.
    /// - Errors: 54001.
    public RelNode require(RelNode rel) {
        Size size = size(rel);
        if (size.nodes > maxNodes) {
            throw PlanningLimits.tooComplex("It has more than " + maxNodes + " relational operations.");
        }
        if (size.expressions > MAX_EXPRESSIONS) {
            throw tooManyExpressions();
        }
        return rel;
    }

    /// Requires of expressions that are about to be put into one another what [#require] does.
    ///
    /// @param count of what comes out, saturated
    public static void requireExpressions(long count) {
        if (count > MAX_EXPRESSIONS || count < 0) {
            throw tooManyExpressions();
        }
    }

    private static RuntimeException tooManyExpressions() {
        return PlanningLimits.tooComplex("Its expressions have more than " + MAX_EXPRESSIONS + " parts.");
    }

    private Size size(RelNode rel) {
        Size size = known.get(rel);
        if (size == null) {
            PlanningLimits.tick();
            size = new Size(1, 0).plus(ofExpressions(rel));
            for (RelNode input : rel.getInputs()) {
                size = size.plus(size(input));
            }
            known.put(rel, size);
        }
        return size;
    }

    private Size ofExpressions(RelNode rel) {
        return switch (rel) {
            case Project project -> of(project.getProjects());
            case Filter filter -> of(List.of(filter.getCondition()));
            case Join join -> of(List.of(join.getCondition()));
            default -> Size.NONE;
        };
    }

    private Size of(List<RexNode> expressions) {
        long count = 0;
        for (RexNode expression : expressions) {
            // A count of 2^31 and more comes out negative.
            requireExpressions(expression.nodeCount());
            count += expression.nodeCount();
        }
        requireExpressions(count);
        SubQueries queries = new SubQueries();
        expressions.forEach(expression -> expression.accept(queries));
        return queries.size.plus(new Size(0, count));
    }

    private final class SubQueries extends RexVisitorImpl<Void> {
        private Size size = Size.NONE;

        SubQueries() {
            super(true);
        }

        @Override
        public Void visitSubQuery(RexSubQuery query) {
            size = size.plus(size(query.rel));
            return super.visitSubQuery(query);
        }
    }
}
