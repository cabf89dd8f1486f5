package dev.quarrel.core.cpu.expr;

import dev.quarrel.core.cpu.tile.Mask;

/// One instruction made ready: its registers and constants are bound, its buffers exist.
interface Step {
    /// Computes the instruction's result for a tile.
    ///
    /// @param rows the instruction's mask
    void run(TileProgram tile, Mask rows);
}
