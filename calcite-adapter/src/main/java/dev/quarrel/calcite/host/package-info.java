/// What no device runs: functions written in Java, UNION ALL, sub-queries run once a row. It works on
/// batches, row by row, in the thread that reads the result, with PostgreSQL's semantics.
package dev.quarrel.calcite.host;
