package dev.quarrel.calcite.sql;

import dev.quarrel.calcite.TablePrivileges;
import dev.quarrel.calcite.sql.convert.ObjectIds;
import dev.quarrel.core.pg.PgParse;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Collation;
import java.util.List;
import org.apache.calcite.jdbc.CalciteSchema;
import org.apache.calcite.plan.RelOptCluster;

/// The environment in which a query is analysed: schemas, search path, parameter types and so on.
///
/// @param cluster made over a [PostgresTypeFactory]: see [SqlFrontend#newCluster]
/// @param root the schemas, one level deep, under their PostgreSQL names
/// @param searchPath schemas in which unqualified tables are looked up, in order; `pg_catalog` comes before
/// them unless it is listed
/// @param database the only name that may stand before a schema's
/// @param declaredParameters types the client declares for `$1`, `$2`, …; null entries and missing ones are
/// inferred
/// @param objectIds finds the oid that a name has as regclass, regtype, …; see [ObjectIds#NONE]
/// @param moment how literals of times and intervals are read
/// @param collation of texts that have no other
/// @param privileges which tables may be read; others end in 42501
/// @param wideNumerics whether all numerics may have any number of digits
public record QueryContext(
        RelOptCluster cluster,
        CalciteSchema root,
        List<String> searchPath,
        String database,
        List<PgType> declaredParameters,
        ObjectIds objectIds,
        PgParse.Moment moment,
        Collation collation,
        TablePrivileges privileges,
        boolean wideNumerics) {
    public QueryContext {
        searchPath = List.copyOf(searchPath);
        declaredParameters = java.util.Collections.unmodifiableList(new java.util.ArrayList<>(declaredParameters));
    }
}
