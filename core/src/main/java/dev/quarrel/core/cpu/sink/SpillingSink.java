package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.column.Batch;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.type.Schema;
import java.util.function.Consumer;

/// Watches a worker's sink tile by tile, and makes it spill when memory runs short.
public record SpillingSink(TileSink sink, SinkSpill spill) implements TileSink {
    @Override
    public void consume(TileOutputs outputs, Mask rows) {
        sink.consume(outputs, rows);
        if (spill.isDue(sink)) {
            spill.spill(sink);
        }
    }

    @Override
    public void startMorsel(Morsel morsel) {
        sink.startMorsel(morsel);
    }

    @Override
    public boolean readsBackwards() {
        return sink.readsBackwards();
    }

    @Override
    public void startTile(int firstRow) {
        sink.startTile(firstRow);
    }

    @Override
    public boolean isSpent() {
        return sink.isSpent();
    }

    @Override
    public boolean isMorselDone() {
        return sink.isMorselDone();
    }

    @Override
    public void endMorsel(Morsel morsel) {
        sink.endMorsel(morsel);
    }

    @Override
    public long takeRowsOut() {
        return sink.takeRowsOut();
    }

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
        if (spill.isDue(sink)) {
            spill.spill(sink);
        }
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
