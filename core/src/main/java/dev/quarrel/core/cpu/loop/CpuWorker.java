package dev.quarrel.core.cpu.loop;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.sink.TileRunner;
import dev.quarrel.core.cpu.sink.TileSink;
import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.device.SinkState;
import dev.quarrel.core.type.Schema;
import java.util.function.Consumer;

/// The state that one worker needs to run a pipeline: registers, tile buffers, and the sink's state.
///
/// @param filters before the runner, or null
/// @param rows of another device, which come in place of the source's
public record CpuWorker(
        TileSink target, TileRunner runner, ScanFilters.Worker filters, BatchInput input, BatchInput rows, Mask all)
        implements SinkState {
    /// The sink, with all that the runner has gathered on its own.
    public TileSink sink() {
        runner.flush();
        return target;
    }

    @Override
    public Schema layout() {
        return target.layout();
    }

    @Override
    public void exportTo(Consumer<Batch> receiver) {
        sink().exportTo(receiver);
    }

    @Override
    public void transferIn(Batch content) {
        target.transferIn(content);
    }

    @Override
    public long reservedBytes() {
        return target.reservedBytes();
    }

    @Override
    public void exportPartitions(int firstBit, int partitionCount, PartitionReceiver receiver) {
        sink().exportPartitions(firstBit, partitionCount, receiver);
    }

    @Override
    public void close() {
        runner.close();
        target.close();
    }
}
