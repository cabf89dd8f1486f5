package dev.quarrel.ingest;

import java.util.concurrent.atomic.LongAdder;

/// What an [Ingest] has counted since it was opened. Threads share it.
public final class IngestCounts {
    final LongAdder events = new LongAdder();
    final LongAdder chunks = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder repeated = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder syncs = new LongAdder();
    final LongAdder syncNanos = new LongAdder();
    final LongAdder runs = new LongAdder();
    final LongAdder failedRuns = new LongAdder();
    final LongAdder aside = new LongAdder();
    final LongAdder merged = new LongAdder();
    final LongAdder dropped = new LongAdder();

    /// Rows that were added.
    public long events() {
        return events.sum();
    }

    /// Chunks that were kept.
    public long chunks() {
        return chunks.sum();
    }

    /// Bytes of these.
    public long bytes() {
        return bytes.sum();
    }

    /// Chunks that had been kept before.
    public long repeatedChunks() {
        return repeated.sum();
    }

    /// Events that their table does not take.
    public long rejectedEvents() {
        return rejected.sum();
    }

    /// Chunks that were not kept, so that their senders send them again.
    public long refusedChunks() {
        return refused.sum();
    }

    /// How often the log was synchronised.
    public long syncs() {
        return syncs.sum();
    }

    public long syncNanos() {
        return syncNanos.sum();
    }

    /// How often rows went into files.
    public long runs() {
        return runs.sum();
    }

    /// How often they could not.
    public long failedRuns() {
        return failedRuns.sum();
    }

    /// Rows that could not be written into their table, and lie in `_ingest/aside`.
    public long asideRows() {
        return aside.sum();
    }

    /// Files that were merged into larger ones.
    public long mergedFiles() {
        return merged.sum();
    }

    /// Files that were too old.
    public long droppedFiles() {
        return dropped.sum();
    }
}
