package dev.quarrel.samples.ssb;

import java.io.IOException;

/// Makes the tables' rows: on several threads, in a stream, the same for every number of threads.
///
/// - Memory: about 10 MB a batch of `lineorder`, and at most twice as many batches as threads at a time.
public final class SsbGenerator {
    private final SsbScale scale;

    public SsbGenerator(SsbScale scale) {
        this.scale = scale;
    }

    public SsbScale scale() {
        return scale;
    }

    /// Makes one table's rows and gives them to `sink`, batch by batch, in key order, on the calling thread.
    ///
    /// - Shape: the batches have [SsbTable#schema]; columns of few distinct texts are dictionary columns, all
    ///   batches of one table sharing their dictionaries.
    /// - Errors: what `sink` throws; an interrupt stops the work with an [IOException].
    ///
    /// @param threads makers of batches, at least 1
    /// @return rows
    public long generate(SsbTable table, int threads, BatchSink sink) throws IOException {
        return new BlockMaker(table.schema(), blocks(table)).inOrder(threads, sink);
    }

    /// Makes one table's rows and gives them to `sink` on the threads that make them, in no order.
    ///
    /// - Shape: as `generate` has it; a batch's number is its place in that order.
    /// - Errors: the first one of `sink`, once every thread has stopped.
    ///
    /// @return rows
    public long generateNumbered(SsbTable table, int threads, NumberedBatchSink sink) throws IOException {
        return new BlockMaker(table.schema(), blocks(table)).numbered(threads, sink);
    }

    /// How many rows `table` will have; for `lineorder` this counts every order's lines, some milliseconds a
    /// million.
    public long rowCount(SsbTable table) {
        return Blocks.rowCount(blocks(table));
    }

    Blocks blocks(SsbTable table) {
        return table == SsbTable.LINEORDER ? new LineorderBlocks(scale) : new DimensionBlocks(table, scale);
    }
}
