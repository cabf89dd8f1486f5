package dev.quarrel.core.cpu.text;

import dev.quarrel.core.cpu.tile.Vector;

/// A function that reads text and computes one row at a time.
public interface TextKernel {
    /// Puts the result into row `row` of `out`, whose NULLs are known already: none of the arguments is NULL.
    void compute(Arguments in, Vector out, int row);
}
