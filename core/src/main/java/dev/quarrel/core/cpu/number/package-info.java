/// Arithmetic that Java's own types lack: 128- and 192-bit integers, decimals, the bits of floats, calendars, and hash
/// tables from integers to numbers.
///
/// It knows no rows and no columns.
package dev.quarrel.core.cpu.number;
