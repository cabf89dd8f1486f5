/// The sources of a pipeline's rows: batches of a table, with the ranges that let batches be skipped, and the
/// rows of an earlier pipeline.
package dev.quarrel.core.cpu.scan;
