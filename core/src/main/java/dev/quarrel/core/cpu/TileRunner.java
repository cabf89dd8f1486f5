package dev.quarrel.core.cpu;

/// Pushes tiles of a source through a pipeline's programs and joins to its sink, on one worker.
interface TileRunner {
    /// Runs one tile.
    ///
    /// @param rows all of the tile's rows; read only
    void run(BatchInput source, Mask rows);
}
