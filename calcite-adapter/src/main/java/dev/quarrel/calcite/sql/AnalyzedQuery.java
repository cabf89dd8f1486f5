package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.ColumnOrigin;
import dev.quarrel.calcite.sql.type.CollationUse;
import dev.quarrel.calcite.sql.type.LiteralOrigins;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.OtherType;
import java.util.List;
import org.apache.calcite.rel.RelNode;

/// A query as Calcite's logical relational expressions, with every name resolved and every type decided.
///
/// - `rel` has `columns().size()` fields in the same order. Where the query has ORDER BY, its rows are in
///   order; a LogicalProject may stand above the LogicalSort (it drops what was only sorted by), and keeps the
///   order.
/// - Parameters are RexDynamicParams: `$n` has index n − 1. Names of fields in `rel` are made distinct; those
///   of `columns` are PostgreSQL's.
///
/// @param parameterTypes one a parameter, none of them null
/// @param literals where the literals in `rel` come from
/// @param relations those that the query names, each as schema and name
public record AnalyzedQuery(
        RelNode rel,
        List<OutputColumn> columns,
        List<PgType> parameterTypes,
        CollationUse collations,
        LiteralOrigins literals,
        List<List<String>> relations) {
    public AnalyzedQuery {
        columns = List.copyOf(columns);
        parameterTypes = List.copyOf(parameterTypes);
        relations = List.copyOf(relations);
    }

    /// @param name as PostgreSQL names it; `?column?` where it has no name
    /// @param typmod `atttypmod`'s meaning, -1 for none
    /// @param other which type it is where `type` is OTHER; otherwise null
    /// @param origin the table's column that it is; null where it is none
    public record OutputColumn(String name, PgType type, int typmod, OtherType other, ColumnOrigin origin) {}
}
