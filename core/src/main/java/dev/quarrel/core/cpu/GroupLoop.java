package dev.quarrel.core.cpu;

import java.lang.foreign.MemorySegment;

/// A compiled loop that adds rows to dense group states: one class a shape, made by [LoopCompiler].
abstract class GroupLoop {
    /// Adds rows.
    ///
    /// @param rows the rows, within the tile; null for rows 0 to `count - 1`
    /// @param input what the loop reads
    /// @param states a row's states start at its place
    final void add(int[] rows, int count, LoopInput input, long[] states) {
        if (rows == null) {
            all(null, count, input.firstRow, input.columns, input.arrays, input.scalars, states);
        } else {
            some(rows, count, input.firstRow, input.columns, input.arrays, input.scalars, states);
        }
    }

    abstract void all(
            int[] none,
            int count,
            long firstRow,
            MemorySegment[] columns,
            Object[] arrays,
            long[] scalars,
            long[] states);

    abstract void some(
            int[] rows,
            int count,
            long firstRow,
            MemorySegment[] columns,
            Object[] arrays,
            long[] scalars,
            long[] states);
}
