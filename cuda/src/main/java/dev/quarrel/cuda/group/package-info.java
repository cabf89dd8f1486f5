/// Aggregates and GROUP BY on the device: the pipeline, its passes over large join tables, and the way of the
/// groups back to the CPU.
package dev.quarrel.cuda.group;
