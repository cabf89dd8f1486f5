/// Lists of a column of an Arrow file: where each begins and ends, and columns made of that.
package dev.quarrel.core.arrow.lists;
