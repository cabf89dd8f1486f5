/// The Star Schema Benchmark: its tables, generated from a scale factor and a seed, and its 13 queries; and two
/// wide tables, `lineorder_flat` and `readings`.
///
/// - Source: O'Neil, O'Neil and Chen, "The Star Schema Benchmark" (revision 3, 2009), and its generator
///   ssb-dbgen, whose formulas for prices, keys and dates are kept; the random numbers are our own, so rows
///   differ from ssb-dbgen's.
package dev.quarrel.samples.ssb;
