package dev.quarrel.calcite;

import java.nio.file.Path;
import java.util.List;

/// Whether statements may change anything at all, and which files of this machine they may name.
///
/// @param isAllowed else each of them is 25006
/// @param importRoots folders; files below them, and below the dataset's own, may be named (others: 42501)
public record WriteAccess(boolean isAllowed, List<Path> importRoots) {
    /// Everything is only read.
    public static final WriteAccess NONE = new WriteAccess(false, List.of());

    public WriteAccess {
        importRoots = List.copyOf(importRoots);
    }
}
