package dev.quarrel.core.cpu.sink;

import dev.quarrel.core.cpu.tile.BatchInput;
import dev.quarrel.core.cpu.tile.Mask;

/// Pushes tiles of a source through a pipeline's programs and joins to its sink, on one worker.
public interface TileRunner extends AutoCloseable {
    /// Runs one tile.
    ///
    /// @param rows all of the tile's rows; read only
    void run(BatchInput source, Mask rows);

    /// Rows that came to compiled loops since the last call; the interpreter ran over the others.
    default long takeCompiledRows() {
        return 0;
    }

    /// Hands what the runner has gathered on its own to the sink.
    default void flush() {}

    @Override
    default void close() {}
}
