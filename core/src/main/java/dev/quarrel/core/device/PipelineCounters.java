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
    /// Of `rowsIn`, those that code compiled for this pipeline ran over; the interpreter's are the rest.
    public final LongAdder rowsCompiled = new LongAdder();
    /// Wall time of `prepare` and `morsels`: tables opened, statistics looked at, code found or made.
    public final LongAdder prepareNanos = new LongAdder();
    /// Wall time from there to the end of `finish`.
    public final LongAdder elapsedNanos = new LongAdder();
    /// Time that workers spent on the pipeline, all together.
    public final LongAdder workNanos = new LongAdder();
}
