/// GROUP BY and aggregates: the hash aggregation's sink, its merge and its spill, and one
/// [dev.quarrel.core.cpu.group.Accumulator] per kind of aggregate.
package dev.quarrel.core.cpu.group;
