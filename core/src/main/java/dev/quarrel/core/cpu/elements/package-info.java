/// Arrays whose elements lie one behind the other, as files have lists: which hold a value, and what they have at a
/// subscript.
package dev.quarrel.core.cpu.elements;
