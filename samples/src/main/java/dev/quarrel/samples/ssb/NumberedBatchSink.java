package dev.quarrel.samples.ssb;

import dev.quarrel.core.column.Batch;
import java.io.IOException;

/// Takes the generated rows from several threads at once; each batch has a number that depends on scale and seed
/// alone.
@FunctionalInterface
public interface NumberedBatchSink {
    /// - Memory: the batch belongs to the generator, which closes it when this returns.
    ///
    /// @param number 0, 1, 2, …: the batch's place in the table, in key order
    void accept(int number, Batch batch) throws IOException;
}
