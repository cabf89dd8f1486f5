/// Temporary files for rows that do not fit a query's memory; they vanish however the query ends.
package dev.quarrel.core.spill;
