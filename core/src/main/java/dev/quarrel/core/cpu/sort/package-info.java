/// ORDER BY and top-N: the sinks, the merge of the workers' rows, and sorted runs in temporary files.
package dev.quarrel.core.cpu.sort;
