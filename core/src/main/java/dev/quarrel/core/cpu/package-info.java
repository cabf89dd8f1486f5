/// The CPU device, which runs programs over cache-sized tiles of rows.
///
/// [dev.quarrel.core.cpu.expr.TileProgram] is the interpreter tier: it executes a program's instructions one
/// after another, each over all rows of a tile, on typed arrays ([dev.quarrel.core.cpu.tile.Vector]) under a
/// selection ([dev.quarrel.core.cpu.tile.Mask]).
package dev.quarrel.core.cpu;
