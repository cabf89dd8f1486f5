package dev.quarrel.samples.ssb;

import dev.quarrel.core.column.Batch;
import java.io.IOException;

/// Takes the generated rows, batch by batch, from one thread, in an order that depends on scale and seed alone.
@FunctionalInterface
public interface BatchSink {
    /// - Memory: the batch belongs to the generator, which closes it when this returns.
    void accept(Batch batch) throws IOException;
}
