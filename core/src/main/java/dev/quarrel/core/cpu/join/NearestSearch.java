package dev.quarrel.core.cpu.join;

import dev.quarrel.core.cpu.rows.ValueStore;
import dev.quarrel.core.cpu.tile.Mask;
import dev.quarrel.core.cpu.tile.Vector;

/// How one worker finds the nearest build row of each probe row of an ASOF join.
sealed interface NearestSearch permits NearestRows.Search, SweepSearch {
    /// Puts the nearest build row of each of `hits` in the place of its key's number.
    ///
    /// @param values of the probe rows
    /// @param matches by row, the key's number; afterwards the row of [#payload], or -1
    /// @param found gets the rows that have one
    /// @return how many have
    int find(Vector values, int[] matches, Mask hits, int[] found);

    /// A payload column of the rows found; as it is until the next search.
    ValueStore payload(int column);
}
