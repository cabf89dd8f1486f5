package dev.quarrel.calcite.parse;

import java.util.function.Supplier;
import org.apache.calcite.sql.SqlNode;

/// A query's syntax tree, which is made when it is first asked for: a query whose plan is known needs none.
final class QueryTree {
    private Supplier<SqlNode> reader;
    private SqlNode node;

    QueryTree(SqlNode node) {
        this.node = node;
    }

    /// @param reader may raise the parser's errors
    QueryTree(Supplier<SqlNode> reader) {
        this.reader = reader;
    }

    synchronized SqlNode node() {
        if (node == null) {
            node = reader.get();
            reader = null;
        }
        return node;
    }
}
