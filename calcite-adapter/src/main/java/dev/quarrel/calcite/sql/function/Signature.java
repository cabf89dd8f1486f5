package dev.quarrel.calcite.sql.function;

import dev.quarrel.calcite.sql.type.RexMaker;
import dev.quarrel.calcite.sql.type.SqlType;
import java.util.List;
import org.apache.calcite.rex.RexNode;

/// An operator or function for particular argument types: a row of PostgreSQL's `pg_operator` or `pg_proc`.
///
/// @param build makes the expression; its arguments have been converted to `arguments`
public record Signature(String name, List<SqlType> arguments, SqlType result, Build build) {
    @FunctionalInterface
    public interface Build {
        RexNode apply(RexMaker maker, List<RexNode> arguments);
    }
}
