package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.join.TileChain;
import dev.quarrel.core.cpu.loop.CpuWorker;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileInput;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.cpu.tile.Vector;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.type.Schema;
import java.util.List;
import java.util.function.Consumer;

/// The end of a feeding pipeline on one worker: its tiles go on through the chain of the pipeline that it feeds, there
/// on the same worker. It keeps nothing and owns nothing.
final class FeedSink implements TileSink, TileInput {
    private final CpuWorker worker;
    private Morsel morsel; // as the fed pipeline counts
    private TileOutputs outputs;
    private long rowsOut;
    private long rowsFed;

    FeedSink(CpuWorker worker) {
        this.worker = worker;
    }

    /// Says what the feeding pipeline's next morsel is to the one that it feeds.
    void begin(Morsel newMorsel) {
        morsel = newMorsel;
    }

    /// Rows that have come since the last call.
    long takeRowsFed() {
        long rows = rowsFed;
        rowsFed = 0;
        return rows;
    }

    @Override
    public void startMorsel(Morsel started) {
        worker.target().startMorsel(morsel);
    }

    @Override
    public void startTile(int firstRow) {
        worker.target().startTile(firstRow);
    }

    @Override
    public void consume(TileOutputs made, Mask rows) {
        rowsOut += rows.count();
        rowsFed += rows.count();
        outputs = made;
        ((TileChain) worker.runner()).push(this, rows); // no flat pipeline is fed
    }

    @Override
    public Vector load(int input, Mask rows) {
        return outputs.get(input, rows);
    }

    @Override
    public boolean isMorselDone() {
        return worker.target().isMorselDone();
    }

    @Override
    public void endMorsel(Morsel ended) {
        worker.target().endMorsel(morsel);
    }

    @Override
    public long takeRowsOut() {
        long rows = rowsOut;
        rowsOut = 0;
        return rows;
    }

    @Override
    public Schema layout() {
        return new Schema(List.of());
    }

    @Override
    public void exportTo(Consumer<Batch> receiver) {
        // Nothing is kept.
    }

    @Override
    public void transferIn(Batch content) {
        content.close();
        throw new UnsupportedOperationException("rows that feed a pipeline have no state");
    }

    @Override
    public long reservedBytes() {
        return 0;
    }

    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        // Nothing is kept.
    }

    @Override
    public void close() {
        // The worker is the fed pipeline's.
    }
}
