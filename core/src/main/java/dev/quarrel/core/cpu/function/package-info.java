/// Kernels of functions that are not opcodes: batch functions in Java over the vectors of a tile, and functions
/// that give rows.
///
/// [dev.quarrel.core.cpu.function.Kernels] finds a kernel by the id in its function's row (`core.function`). A
/// family of functions is a class; a function is a method.
package dev.quarrel.core.cpu.function;
