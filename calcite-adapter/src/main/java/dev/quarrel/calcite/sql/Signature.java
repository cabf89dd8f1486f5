package dev.quarrel.calcite.sql;

import java.util.List;
import org.apache.calcite.rex.RexNode;

/// An operator or function for given types of arguments: a row of PostgreSQL's `pg_operator` or `pg_proc`.
///
/// @param build makes the expression; its arguments have been converted to `arguments`
record Signature(String name, List<SqlType> arguments, SqlType result, Build build) {
    @FunctionalInterface
    interface Build {
        RexNode apply(RexMaker maker, List<RexNode> arguments);
    }
}
