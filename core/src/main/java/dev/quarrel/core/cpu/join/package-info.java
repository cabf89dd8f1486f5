/// Hash joins: the build side's sink, table and spill, and the probe inside a pipeline.
package dev.quarrel.core.cpu.join;
