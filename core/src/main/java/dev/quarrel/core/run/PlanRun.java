package dev.quarrel.core.run;

import dev.quarrel.core.device.PipelineCounters;

/// One execution of a plan: the cursor over its rows, and what its pipelines did.
public interface PlanRun extends ResultCursor {
    /// Counters of one pipeline; settled once the query has ended or is closed.
    PipelineCounters counters(int pipeline);
}
