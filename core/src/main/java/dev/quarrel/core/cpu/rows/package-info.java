/// Rows that operators keep: column stores, packed rows, keys and their codes, hash indexes over keys, and
/// in-memory sorting.
///
/// Stores reserve what they take from the query's budget, and give it back when they are closed.
package dev.quarrel.core.cpu.rows;
