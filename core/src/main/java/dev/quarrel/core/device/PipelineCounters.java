package dev.quarrel.core.device;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// The counters that EXPLAIN ANALYZE prints for one pipeline. Workers add to them once per morsel.
public final class PipelineCounters {
    public final LongAdder rowsIn = new LongAdder();
    public final LongAdder rowsOut = new LongAdder();
    public final LongAdder bytesRead = new LongAdder();
    public final LongAdder batchesRead = new LongAdder();
    public final LongAdder batchesSkipped = new LongAdder();
    /// Written to temporary files, each time a row or group was.
    public final LongAdder rowsSpilled = new LongAdder();
    public final LongAdder bytesSpilled = new LongAdder();
    /// Pieces of a build side of which the last row of each key was kept alone, and the others are read again by the
    /// join.
    public final LongAdder piecesSwept = new LongAdder();
    /// Of `rowsIn`, those that code compiled for this pipeline ran over; the interpreter's are the rest.
    public final LongAdder rowsCompiled = new LongAdder();
    /// Of `rowsIn`, those that a device other than the CPU ran over.
    public final LongAdder rowsOnDevice = new LongAdder();
    /// Of `rowsOut`, those that an earlier statement's execution has left on a device.
    public final LongAdder rowsKept = new LongAdder();
    /// Passes over all of them after the first.
    public final LongAdder passes = new LongAdder();
    /// Rows that it brought into their order.
    public final LongAdder rowsSorted = new LongAdder();
    /// How often it moved all of these for that.
    public final LongAdder sortPasses = new LongAdder();
    /// Time that the kernels of the sort ran, by the device's clock.
    public final LongAdder sortNanos = new LongAdder();
    /// Kernels started there.
    public final LongAdder launches = new LongAdder();
    /// What kernels read of columns in the device's memory.
    public final LongAdder deviceBytesRead = new LongAdder();
    /// Copied to the device for that.
    public final LongAdder bytesMoved = new LongAdder();
    /// Time in which at least one kernel ran, by the device's clock.
    public final LongAdder deviceNanos = new LongAdder();
    /// Time in which at least one worker read and copied columns.
    public final LongAdder moveNanos = new LongAdder();
    /// Wall time of `prepare` and `morsels`: tables opened, statistics looked at, code found or made.
    public final LongAdder prepareNanos = new LongAdder();
    /// Wall time from there to the end of `finish`.
    public final LongAdder elapsedNanos = new LongAdder();
    /// Time that workers spent on the pipeline, all together.
    public final LongAdder workNanos = new LongAdder();

    private final Map<Integer, Filtered> filtered = new ConcurrentHashMap<>();
    private volatile String note = "";
    private long[] steps;

    /// Adds the rows that came to each program of the pipeline, at 2n, and that it kept, at 2n + 1. Only who runs the
    /// steps in their order counts them.
    public synchronized void addSteps(long[] rows) {
        if (steps == null) {
            steps = new long[rows.length];
        }
        for (int index = 0; index < rows.length; index++) {
            steps[index] += rows[index];
        }
    }

    /// The rows of each program, as `addSteps` has them; null where nobody counted.
    public synchronized long[] steps() {
        return steps == null ? null : steps.clone();
    }

    /// What a filter of the scan did.
    ///
    /// @param rows that were asked whether they may be dropped
    /// @param dropped those that were
    public record Filtered(LongAdder rows, LongAdder dropped) {}

    /// Of the pipeline's filter with this number.
    public Filtered filtered(int filter) {
        return filtered.computeIfAbsent(filter, _ -> new Filtered(new LongAdder(), new LongAdder()));
    }

    /// Says why something did not run where it was placed; the first word of several stays.
    public synchronized void note(String reason) {
        if (note.isEmpty()) {
            note = reason;
        }
    }

    /// Why something did not run where it was placed, or "".
    public String note() {
        return note;
    }
}
