package dev.quarrel.core.cpu.function;

import dev.quarrel.core.cpu.text.Arguments;
import dev.quarrel.core.cpu.text.RowFunction;
import dev.quarrel.core.cpu.tile.Vector;

/// A scalar function in plain Java over the rows of a tile, or over the entries of a dictionary.
///
/// - Threads: an instance belongs to one program of one worker, so it may keep what it has prepared from row to row.
@FunctionalInterface
public interface BatchFunction {
    /// Puts the result of each row that `in` goes to into that row of `out`, or makes it NULL there
    /// ([Vector#setAbsent]).
    ///
    /// - Errors: the `QueryException` of a row that fails; `in` stands at that row then.
    ///
    /// @param out of the function's result type; rows of which nothing is said are present. Text begins with an
    /// empty buffer, to which values are appended
    void compute(Arguments in, Vector out);

    /// Whether it reads the vectors of its arguments itself, by [Arguments#rows], and never asks for the next row.
    default boolean readsVectors() {
        return false;
    }

    /// A function of which each row is computed by itself.
    static BatchFunction eachRow(RowFunction function) {
        return (in, out) -> {
            while (in.next()) {
                function.compute(in, out, in.row());
            }
        };
    }
}
