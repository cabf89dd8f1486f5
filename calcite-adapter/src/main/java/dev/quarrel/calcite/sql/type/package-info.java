/// PostgreSQL's types as Calcite has them: what converts to what, how values are held, and nodes made of them.
///
/// `SqlType` has the types and their categories, `SqlTypes` their twins in Calcite and in columns, and `RexMaker`
/// makes nodes of a type. It sees no other room of the analyser.
package dev.quarrel.calcite.sql.type;
