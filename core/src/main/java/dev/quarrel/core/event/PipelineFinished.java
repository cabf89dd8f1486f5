package dev.quarrel.core.event;

import dev.quarrel.core.device.PipelineCounters;
import dev.quarrel.core.ir.IrText;
import dev.quarrel.core.ir.Pipeline;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/// The event that a pipeline of a query has ended.
@Name("dev.quarrel.PipelineFinished")
@Label("Pipeline finished")
@Category("Quarrel")
@Description("A pipeline of a query has ended")
@StackTrace(false)
public final class PipelineFinished extends Event {
    @Label("Query")
    long query;

    @Label("Pipeline")
    int pipeline;

    @Label("Device")
    String device;

    @Label("Source")
    String source;

    @Label("Sink")
    String sink;

    @Label("Rows in")
    long rowsIn;

    @Label("Rows out")
    long rowsOut;

    @Label("Bytes read")
    @DataAmount
    long bytesRead;

    @Label("Batches read")
    long batchesRead;

    @Label("Batches skipped")
    long batchesSkipped;

    @Label("Bytes spilled")
    @DataAmount
    long bytesSpilled;

    @Label("Elapsed")
    @Timespan
    long elapsed;

    /// Records the event, if anybody records.
    public static void commit(long query, Pipeline pipeline, String device, PipelineCounters counters) {
        PipelineFinished event = new PipelineFinished();
        if (!event.shouldCommit()) {
            return;
        }
        event.query = query;
        event.pipeline = pipeline.id();
        event.device = device;
        event.source = IrText.of(pipeline.source());
        event.sink = IrText.of(pipeline.sink());
        event.rowsIn = counters.rowsIn.sum();
        event.rowsOut = counters.rowsOut.sum();
        event.bytesRead = counters.bytesRead.sum();
        event.batchesRead = counters.batchesRead.sum();
        event.batchesSkipped = counters.batchesSkipped.sum();
        event.bytesSpilled = counters.bytesSpilled.sum();
        event.elapsed = counters.elapsedNanos.sum();
        event.commit();
    }
}
