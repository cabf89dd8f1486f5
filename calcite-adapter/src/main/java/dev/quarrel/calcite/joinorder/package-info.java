/// The order of joins: a graph of relations, the rows expected of its parts, and the search for the cheapest tree. It
/// knows nothing of expressions; `rules.JoinOrder` makes the graph of a query, and the query of the tree.
package dev.quarrel.calcite.joinorder;
