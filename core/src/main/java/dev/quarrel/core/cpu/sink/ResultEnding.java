package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.device.Materialized;

/// The end of a pipeline whose rows have left already.
public final class ResultEnding implements Ending {
    @Override
    public Materialized finish() {
        return null;
    }

    @Override
    public void close() {
        // Nothing was kept.
    }
}
