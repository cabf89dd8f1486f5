package dev.quarrel.core.verify;

import java.util.concurrent.atomic.LongAdder;

/// What verification has done.
public final class VerificationCounts {
    final LongAdder equal = new LongAdder();
    final LongAdder different = new LongAdder();
    final LongAdder skipped = new LongAdder();

    /// Pipelines whose two runs made the same.
    public long equal() {
        return equal.sum();
    }

    /// Pipelines whose two runs did not.
    public long different() {
        return different.sum();
    }

    /// Pipelines that were chosen, but cannot be run twice.
    public long skipped() {
        return skipped.sum();
    }
}
