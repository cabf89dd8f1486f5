package dev.quarrel.core.cpu.loop;

/// A compiled loop that adds rows to dense group states: one class a shape, made by [LoopCompiler].
abstract class GroupLoop {
    /// Adds rows.
    ///
    /// @param rows the rows' places in their tile
    /// @param columns by number: the rows' values, `int[]` or `long[]`, one after the other
    /// @param arrays by number: `int[]` or `long[]`, of any length
    /// @param states a row's states start at its place
    abstract void add(int[] rows, int count, Object[] columns, Object[] arrays, long[] scalars, long[] states);
}
