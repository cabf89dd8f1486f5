package dev.quarrel.calcite.rel;

import java.util.List;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.SingleRel;

/// The rows of a WITH query, at each place that reads it. The optimizer decides whether the input stands in its place,
/// or its rows are made once: [SharedRows].
public final class WithRows extends SingleRel {
    private final Query query;

    /// What the places that read one WITH query have in common.
    public static final class Query {
        private final String name;
        private final Materialized materialized;

        public Query(String name, Materialized materialized) {
            this.name = name;
            this.materialized = materialized;
        }

        public String name() {
            return name;
        }

        public Materialized materialized() {
            return materialized;
        }
    }

    /// What the statement says: `AS MATERIALIZED (…)`, `AS NOT MATERIALIZED (…)`, or nothing.
    public enum Materialized {
        YES,
        NO,
        UNSAID
    }

    private WithRows(RelOptCluster cluster, RelTraitSet traits, RelNode input, Query query) {
        super(cluster, traits, input);
        this.query = query;
    }

    public static WithRows of(RelNode input, Query query) {
        return new WithRows(input.getCluster(), input.getTraitSet(), input, query);
    }

    public Query query() {
        return query;
    }

    @Override
    public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
        return new WithRows(getCluster(), traits, inputs.getFirst(), query);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("query", query.name());
    }
}
