/// The statistics that files keep on their columns: bounds, counts of NULLs, distinct values, sketches; they are
/// made batch by batch, merged, and written as text.
package dev.quarrel.core.arrow.stats;
