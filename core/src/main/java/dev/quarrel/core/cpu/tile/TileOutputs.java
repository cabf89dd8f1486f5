package dev.quarrel.core.cpu.tile;

/// A tile's values at the end of a program.
public interface TileOutputs {
    /// The values of an output.
    ///
    /// @param rows within the surviving rows: where values are wanted
    Vector get(int output, Mask rows);
}
