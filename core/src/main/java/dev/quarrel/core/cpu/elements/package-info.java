/// Arrays whose elements lie one behind the other, as files have lists: which hold a value, and their elements by
// number.
package dev.quarrel.core.cpu.elements;
