package dev.quarrel.calcite.metadata;

import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.BuiltInMetadata;
import org.apache.calcite.rel.metadata.DefaultRelMetadataProvider;
import org.apache.calcite.rel.metadata.MetadataHandler;
import org.apache.calcite.rel.metadata.MetadataHandlerProvider;
import org.apache.calcite.rel.metadata.ProxyingMetadataHandlerProvider;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;

/// Calcite's questions about a tree's nodes, answered from the tables' statistics: rows, selectivities, distinct
/// values. All others are answered by Calcite's own handlers.
///
/// The estimates serve only to choose between plans and never affect results. Handlers are called as they are,
/// without the code that Calcite would generate and compile for them, which takes seconds at first.
public final class QuarrelMetadata extends RelMetadataQuery {
    private final RowCounts rowCounts;

    private QuarrelMetadata(Handlers handlers) {
        super(handlers);
        this.rowCounts = handlers.rowCounts;
    }

    public QuarrelMetadata() {
        this(new Handlers());
    }

    /// Those of a node's cluster; made anew where the cluster has others, as in an application's own planner.
    public static QuarrelMetadata of(RelNode rel) {
        return of(rel.getCluster());
    }

    public static QuarrelMetadata of(RelOptCluster cluster) {
        return cluster.getMetadataQuery() instanceof QuarrelMetadata ours ? ours : new QuarrelMetadata();
    }

    /// Rows expected of a node, at least 1.
    public double rows(RelNode rel) {
        return rowCounts.rows(rel);
    }

    /// The estimates behind the handlers.
    public RowCounts rowCounts() {
        return rowCounts;
    }

    private static final class Handlers implements MetadataHandlerProvider {
        private final MetadataHandlerProvider others =
                new ProxyingMetadataHandlerProvider(DefaultRelMetadataProvider.INSTANCE);
        private final RowCounts rowCounts = new RowCounts();

        @Override
        public <H extends MetadataHandler<?>> H handler(Class<H> type) {
            Object ours =
                    switch (type) {
                        case Class<?> each when each == BuiltInMetadata.RowCount.Handler.class -> new Rows(rowCounts);
                        case Class<?> each
                        when each == BuiltInMetadata.Selectivity.Handler.class -> new Shares(rowCounts);
                        case Class<?> each
                        when each == BuiltInMetadata.DistinctRowCount.Handler.class -> new Values(rowCounts);
                        default -> null;
                    };
            return ours == null ? others.handler(type) : type.cast(ours);
        }
    }

    private record Rows(RowCounts counts) implements BuiltInMetadata.RowCount.Handler {
        @Override
        public Double getRowCount(RelNode rel, RelMetadataQuery query) {
            return counts.rows(rel);
        }
    }

    private record Shares(RowCounts counts) implements BuiltInMetadata.Selectivity.Handler {
        @Override
        public Double getSelectivity(RelNode rel, RelMetadataQuery query, RexNode predicate) {
            return predicate == null ? 1.0 : counts.selectivities().of(rel, predicate);
        }
    }

    private record Values(RowCounts counts) implements BuiltInMetadata.DistinctRowCount.Handler {
        @Override
        public Double getDistinctRowCount(
                RelNode rel, RelMetadataQuery query, ImmutableBitSet columns, RexNode predicate) {
            double rows = counts.rows(rel)
                    * (predicate == null ? 1 : counts.selectivities().of(rel, predicate));
            return counts.distincts().of(rel, columns.asList(), rows);
        }
    }
}
