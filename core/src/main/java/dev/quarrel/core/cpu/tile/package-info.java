/// One tile of rows in memory: a [dev.quarrel.core.cpu.tile.Vector] per register, the
/// [dev.quarrel.core.cpu.tile.Mask] of the rows that are still wanted, and the loads of columns into vectors.
///
/// A vector's memory belongs to the worker that runs the tile and is used again for the next one.
package dev.quarrel.core.cpu.tile;
