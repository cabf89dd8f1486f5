package dev.quarrel.core.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/// The event of opening a batch of a table for a pipeline; the duration is that of opening (mapping,
/// decompression).
@Name("dev.quarrel.BatchScanned")
@Label("Batch scanned")
@Category("Quarrel")
@Description("A batch of a table was opened for a pipeline")
@StackTrace(false)
public final class BatchScanned extends Event {
    @Label("Query")
    long query;

    @Label("Pipeline")
    int pipeline;

    @Label("Table")
    String table;

    @Label("Batch")
    int batch;

    @Label("Rows")
    long rows;

    @Label("Bytes")
    @DataAmount
    long bytes;

    private BatchScanned() {}

    /// An event that begins now; null where nobody records such.
    public static BatchScanned begun() {
        BatchScanned event = new BatchScanned();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    /// Records the event, unless it took too little time.
    public void commit(long ofQuery, int ofPipeline, String tableName, int batchIndex, long rowCount, long byteCount) {
        if (!shouldCommit()) {
            return;
        }
        query = ofQuery;
        pipeline = ofPipeline;
        table = tableName;
        batch = batchIndex;
        rows = rowCount;
        bytes = byteCount;
        commit();
    }
}
