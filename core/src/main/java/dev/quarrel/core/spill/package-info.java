/// What does not fit a query's memory: temporary files that vanish on every path.
package dev.quarrel.core.spill;
