package dev.quarrel.core.cpu;

import java.lang.foreign.MemorySegment;

/// What a compiled loop reads, by number: memory of columns, arrays of int or long, and scalars.
final class LoopInput {
    final MemorySegment[] columns;
    final Object[] arrays;
    final long[] scalars;
    /// The row of the batch that the tile starts at.
    long firstRow;

    LoopInput(int columnCount, int arrayCount, long[] scalars) {
        this.columns = new MemorySegment[columnCount];
        this.arrays = new Object[arrayCount];
        this.scalars = scalars;
    }
}
