/// Expressions: [dev.quarrel.core.cpu.expr.TileProgram] runs a program over a tile, one
/// [dev.quarrel.core.cpu.expr.Step] per instruction; [dev.quarrel.core.cpu.expr.Steps] chooses the step of an opcode,
/// with a class for each family of opcodes.
///
/// Casts (of text to date, say), arithmetic, comparisons, dates and intervals live here; functions of text are called
/// from here and live in `text`.
package dev.quarrel.core.cpu.expr;
