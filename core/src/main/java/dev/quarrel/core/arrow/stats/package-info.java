/// What files say of their columns: bounds, counts of NULLs, distinct values, sketches; made batch by batch, merged,
/// and written as text.
package dev.quarrel.core.arrow.stats;
