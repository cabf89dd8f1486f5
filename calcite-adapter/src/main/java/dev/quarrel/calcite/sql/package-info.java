/// The analysis of queries: from parsed text to Calcite's relational tree, with PostgreSQL's meaning and errors.
///
/// [SqlFrontend] begins it. `Analysis` is what one statement's parts share; `QueryAnalyzer` and `SelectAnalyzer`
/// have the clauses, `ExpressionAnalyzer` and the `…Calls` the expressions. Below it, and blind to it, are
/// `sql.convert`, `sql.function` and `sql.type`.
package dev.quarrel.calcite.sql;
