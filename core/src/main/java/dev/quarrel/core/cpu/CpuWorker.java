package dev.quarrel.core.cpu;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.type.Schema;
import java.util.function.Consumer;

/// What one worker needs of a pipeline: registers, tile buffers, and the sink's state.
record CpuWorker(TileSink sink, TileRunner runner, BatchInput input, Mask all) implements SinkState {
    @Override
    public Schema layout() {
        return sink.layout();
    }

    @Override
    public void exportTo(Consumer<Batch> receiver) {
        sink.exportTo(receiver);
    }

    @Override
    public void transferIn(Batch content) {
        sink.transferIn(content);
    }

    @Override
    public long reservedBytes() {
        return sink.reservedBytes();
    }

    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        sink.exportPartitions(firstBit, partitionCount, receiver);
    }

    @Override
    public void close() {
        sink.close();
    }
}
