/// Analysed expressions, and what makes one into a value of another type: casts, literals, parameters.
///
/// `Expr` is the expression, `Conversions` converts it, `CommonTypes` finds the type that several share, and
/// `StatementText` has the errors that point into the text. It sees `sql.type` and `sql.function`.
package dev.quarrel.calcite.sql.convert;
