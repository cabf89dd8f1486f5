/// ORDER BY on the device: the pipeline, and the sort of the rows in the device's memory.
package dev.quarrel.cuda.sort;
