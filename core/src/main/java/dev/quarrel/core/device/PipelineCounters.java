package dev.quarrel.core.device;

import java.util.concurrent.atomic.LongAdder;

/// What EXPLAIN ANALYZE prints of one pipeline. Workers add once a morsel.
public final class PipelineCounters {
    public final LongAdder rowsIn = new LongAdder();
    public final LongAdder rowsOut = new LongAdder();
    public final LongAdder bytesRead = new LongAdder();
    public final LongAdder batchesRead = new LongAdder();
    public final LongAdder batchesSkipped = new LongAdder();
    /// Written to temporary files, each time a row or group was.
    public final LongAdder rowsSpilled = new LongAdder();
    public final LongAdder bytesSpilled = new LongAdder();
    /// Wall time from the pipeline's first morsel to the end of `finish`.
    public final LongAdder elapsedNanos = new LongAdder();
}
