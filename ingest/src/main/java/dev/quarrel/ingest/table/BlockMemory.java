package dev.quarrel.ingest.table;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// Where blocks of rows have their memory from.
///
/// @param total bytes of all blocks
/// @param arenas makes the arena of a block
record BlockMemory(AtomicLong total, Supplier<Arena> arenas) {
    /// Of blocks that are retired when nobody reads them any more.
    static BlockMemory counted(AtomicLong total) {
        return new BlockMemory(total, Arena::ofShared);
    }

    /// Of blocks that go when nobody refers to them: plans hold tables for longer than the catalog's snapshot that
    /// they are of.
    static BlockMemory collected() {
        return new BlockMemory(new AtomicLong(), Arena::ofAuto);
    }
}
