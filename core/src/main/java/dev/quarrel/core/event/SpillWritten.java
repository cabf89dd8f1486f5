package dev.quarrel.core.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// The event of a worker writing rows that its memory could not hold to a temporary file; the duration is that
/// of sorting or partitioning and writing.
@Name("dev.quarrel.SpillWritten")
@Label("Spill written")
@Category("Quarrel")
@Description("A worker wrote what its memory could not hold to a temporary file")
@StackTrace(false)
public final class SpillWritten extends Event {
    @Label("Query")
    long query;

    @Label("Pipeline")
    int pipeline;

    @Label("Rows")
    long rows;

    @Label("Bytes")
    @DataAmount
    long bytes;

    /// Records the event begun with `begin`, if anybody records.
    public void commit(long ofQuery, int ofPipeline, long rowCount, long byteCount) {
        if (!shouldCommit()) {
            return;
        }
        query = ofQuery;
        pipeline = ofPipeline;
        rows = rowCount;
        bytes = byteCount;
        commit();
    }
}
