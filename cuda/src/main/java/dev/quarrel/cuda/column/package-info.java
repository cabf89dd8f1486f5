/// Columns in the device's memory: their copy to it, in the form that kernels read, and the cache that keeps
/// them from query to query.
package dev.quarrel.cuda.column;
