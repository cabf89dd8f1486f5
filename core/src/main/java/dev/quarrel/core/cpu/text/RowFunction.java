package dev.quarrel.core.cpu.text;

import dev.quarrel.core.cpu.tile.Vector;

/// A function that computes each row by itself.
@FunctionalInterface
public interface RowFunction {
    /// Puts the result of the current row of `in` into row `row` of `out`. A strict function sees no NULL among its
    /// arguments.
    void compute(Arguments in, Vector out, int row);
}
