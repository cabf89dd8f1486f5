package dev.quarrel.core.cpu.loop;

/// What a compiled loop reads, by number: the rows' values, arrays of int or long, and scalars.
final class LoopInput {
    final Object[] columns;
    final Object[] arrays;
    final long[] scalars;

    LoopInput(int columnCount, int arrayCount, long[] scalars) {
        this.columns = new Object[columnCount];
        this.arrays = new Object[arrayCount];
        this.scalars = scalars;
    }
}
