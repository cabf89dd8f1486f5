package dev.quarrel.cuda.facts;

import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.column.ColumnCache;
import dev.quarrel.cuda.column.ResidentColumns.Resident;
import java.util.Map;

/// The tables of a build side that the device makes, for the programs that look its keys up.
///
/// - Memory: whoever asks for one closes the pin.
/// - Errors: `NoKernel`, `DeviceFault`.
public interface SideTables {
    /// The keys that there are, a bit each.
    ColumnCache<Resident>.Pin keys(CommandQueue queue);

    /// By key: what the columns of a row add to the number of the group.
    ///
    /// @param numberings of columns of the payload
    /// @param strides what a column's number counts
    /// @param name of the table, by which it is found again
    ColumnCache<Resident>.Pin digits(
            CommandQueue queue, Map<Integer, int[]> numberings, Map<Integer, Long> strides, String name);
}
