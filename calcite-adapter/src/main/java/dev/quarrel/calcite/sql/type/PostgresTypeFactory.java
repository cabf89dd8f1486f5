package dev.quarrel.calcite.sql.type;

import dev.quarrel.calcite.limits.PlanningLimits;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCollation;

/// The type factory of one planner: text is UTF-8, limits are PostgreSQL's, and it keeps a [PostgresRelType] as
/// it is.
public final class PostgresTypeFactory extends JavaTypeFactoryImpl {
    public PostgresTypeFactory() {
        super(PostgresTypeSystem.INSTANCE);
    }

    @Override
    public Charset getDefaultCharset() {
        return StandardCharsets.UTF_8;
    }

    @Override
    public RelDataType createTypeWithNullability(RelDataType type, boolean nullable) {
        PlanningLimits.tick();
        return type instanceof PostgresRelType special
                ? canonize(special.createWithNullability(nullable))
                : super.createTypeWithNullability(type, nullable);
    }

    @Override
    public RelDataType createTypeWithCharsetAndCollation(RelDataType type, Charset charset, SqlCollation collation) {
        return type instanceof PostgresRelType
                ? type
                : super.createTypeWithCharsetAndCollation(type, charset, collation);
    }

    RelDataType special(PostgresRelType type) {
        return canonize(type);
    }

    @Override
    public RelDataType leastRestrictive(List<RelDataType> types) {
        RelDataType first = createTypeWithNullability(types.get(0), false);
        boolean nullable = false;
        for (RelDataType type : types) {
            if (!createTypeWithNullability(type, false).equals(first)) {
                return super.leastRestrictive(types);
            }
            nullable |= type.isNullable();
        }
        return createTypeWithNullability(first, nullable);
    }
}
