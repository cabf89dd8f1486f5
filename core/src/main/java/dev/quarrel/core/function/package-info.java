/// The functions of SQL, one row per function: name, types, null rule, volatility, errors, and the way in which
/// it is computed.
///
/// The planner, the server's `pg_proc` and the documentation read [dev.quarrel.core.function.FunctionCatalog]; a device
/// finds the kernel by its id. Nothing here parses SQL or computes a value.
package dev.quarrel.core.function;
