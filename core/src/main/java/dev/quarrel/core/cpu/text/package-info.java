/// Functions of text and bytes, row by row: patterns, search, casing, encodings, arrays in their text form.
///
/// [dev.quarrel.core.cpu.text.RowFunction] is their shape. They see the bytes of one row at a time and know no
/// programs.
package dev.quarrel.core.cpu.text;
