/// The functions, operators and aggregates that a query may call, and the choice among those of one name.
///
/// `FunctionTable`, `Operators` and `AggregateTable` find the `Signature`s of a name, `Overloads` chooses, and a
/// signature builds the call; the operators that such a call can have are here too. It sees `sql.type`.
package dev.quarrel.calcite.sql.function;
