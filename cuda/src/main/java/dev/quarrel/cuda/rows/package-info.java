/// Pipelines whose rows leave the device: it marks and writes them, and the CPU's sink takes them.
package dev.quarrel.cuda.rows;
