/// Rows that are in no file yet: columns in memory that grow, and what makes them of MessagePack.
package dev.quarrel.ingest.table;
