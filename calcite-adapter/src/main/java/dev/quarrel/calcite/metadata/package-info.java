/// What is known and estimated of relational expressions, as Calcite's metadata: rows, distinct values, selectivities,
/// from the tables' statistics and from samples of their rows.
package dev.quarrel.calcite.metadata;
