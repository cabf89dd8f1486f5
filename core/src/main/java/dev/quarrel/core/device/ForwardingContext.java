package dev.quarrel.core.device;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.CatalogSnapshot;
import java.util.List;

/// A context that forwards to another one all that the implementing class does not override.
public interface ForwardingContext extends PipelineContext {
    /// The other one.
    PipelineContext context();

    @Override
    default long queryId() {
        return context().queryId();
    }

    @Override
    default List<Literal> slotValues() {
        return context().slotValues();
    }

    @Override
    default CatalogSnapshot catalog() {
        return context().catalog();
    }

    @Override
    default Materialized materialized(int pipeline) {
        return context().materialized(pipeline);
    }

    @Override
    default ResultChannel results() {
        return context().results();
    }

    @Override
    default MemoryBudget budget() {
        return context().budget();
    }

    @Override
    default QuerySpill spill() {
        return context().spill();
    }

    @Override
    default Cancellation cancellation() {
        return context().cancellation();
    }

    @Override
    default Placement.Choice choice() {
        return context().choice();
    }

    @Override
    default PipelineContext ofFeeding(int pipeline) {
        return context().ofFeeding(pipeline);
    }

    @Override
    default PipelineCounters counters() {
        return context().counters();
    }
}
