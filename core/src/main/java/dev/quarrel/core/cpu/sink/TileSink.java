package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.TileOutputs;
import dev.quarrel.core.device.Morsel;
import dev.quarrel.core.device.SinkState;
import java.util.List;

/// The sink of a pipeline on one worker, which takes tiles of rows.
public interface TileSink extends SinkState {
    default void startMorsel(Morsel morsel) {}

    /// Whether a morsel's tiles come from its end to its start.
    default boolean readsBackwards() {
        return false;
    }

    /// @param firstRow of the batch
    default void startTile(int firstRow) {}

    /// Takes the rows of a tile.
    void consume(TileOutputs outputs, Mask rows);

    /// Whether the rest of the morsel cannot matter.
    default boolean isMorselDone() {
        return false;
    }

    /// Whether no further row can matter, whatever morsel it is in.
    default boolean isSpent() {
        return false;
    }

    default void endMorsel(Morsel morsel) {}

    /// Says that no row will come any more: what served to choose among them is freed.
    default void endRows() {}

    /// Rows that the sink let go on, for the counters.
    long takeRowsOut();

    /// Memory that all of these have reserved.
    static long reservedBytes(List<TileSink> sinks) {
        return sinks.stream().mapToLong(TileSink::reservedBytes).sum();
    }
}
