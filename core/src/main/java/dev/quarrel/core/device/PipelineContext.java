package dev.quarrel.core.device;

import dev.quarrel.core.budget.Cancellation;
import dev.quarrel.core.budget.MemoryBudget;
import dev.quarrel.core.ir.Literal;
import dev.quarrel.core.spill.QuerySpill;
import dev.quarrel.core.table.CatalogSnapshot;
import dev.quarrel.core.table.Table;
import dev.quarrel.core.type.QueryException;
import java.util.List;

/// The context that one execution of a plan gives its pipelines.
public interface PipelineContext {
    /// A number for logs and events.
    long queryId();

    /// The value of each slot: constants, and the parameters bound to this execution. Types are the slots'.
    List<Literal> slotValues();

    CatalogSnapshot catalog();

    /// What an access fault while a table was read means: the file's error, or null where no file is to blame.
    default QueryException faultOf(Table table, InternalError error) {
        QueryException fault = table.faultOf(error);
        return fault != null ? fault : catalog().faultOf(error);
    }

    /// What an earlier pipeline made; null where it has not run yet, as that of a filter may be.
    ///
    /// - Memory: the query owns it; it stays until the query ends.
    Materialized materialized(int pipeline);

    /// Where the root pipeline's rows go; the scheduler's. Only for a [dev.quarrel.core.ir.Sink.Result].
    ResultChannel results();

    MemoryBudget budget();

    /// Where sinks put what `budget` does not hold, if anything may be put anywhere.
    QuerySpill spill();

    Cancellation cancellation();

    /// Why the pipeline runs where it runs.
    default Placement.Choice choice() {
        return Placement.Choice.NONE;
    }

    /// The context of a pipeline that feeds this one, by its id.
    default PipelineContext ofFeeding(int pipeline) {
        throw new UnsupportedOperationException("nothing feeds a pipeline here: " + pipeline);
    }

    /// Counters for EXPLAIN ANALYZE of the pipeline being prepared.
    PipelineCounters counters();
}
