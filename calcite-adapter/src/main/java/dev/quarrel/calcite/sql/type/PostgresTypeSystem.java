package dev.quarrel.calcite.sql.type;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.sql.type.SqlTypeName;

/// The type system with PostgreSQL's limits and its result types of sums and averages.
///
/// An application may name it as `typeSystem` of its Calcite connection.
public final class PostgresTypeSystem extends RelDataTypeSystemImpl {
    public static final PostgresTypeSystem INSTANCE = new PostgresTypeSystem();

    /// PostgreSQL's greatest n of varchar(n) and char(n).
    private static final int MAX_LENGTH = 10_485_760;

    @Override
    public int getMaxPrecision(SqlTypeName typeName) {
        return switch (typeName) {
            case DECIMAL -> DataType.Decimal.MAX_PRECISION;
            case CHAR, VARCHAR -> MAX_LENGTH;
            case TIME, TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE, TIMESTAMP_TZ -> 6;
            default -> super.getMaxPrecision(typeName);
        };
    }

    @Override
    public int getDefaultPrecision(SqlTypeName typeName) {
        return switch (typeName) {
            case TIME, TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> 6;
            case DECIMAL -> DataType.Decimal.MAX_PRECISION;
            default -> super.getDefaultPrecision(typeName);
        };
    }

    @Override
    public int getMaxScale(SqlTypeName typeName) {
        return typeName == SqlTypeName.DECIMAL ? DataType.Decimal.MAX_PRECISION : super.getMaxScale(typeName);
    }

    @Override
    public boolean shouldConvertRaggedUnionTypesToVarying() {
        return true;
    }

    @Override
    public RelDataType deriveSumType(RelDataTypeFactory typeFactory, RelDataType argument) {
        RelDataType sum =
                switch (argument.getSqlTypeName()) {
                    case TINYINT, SMALLINT, INTEGER -> typeFactory.createSqlType(SqlTypeName.BIGINT);
                    case BIGINT -> SqlTypes.numeric(typeFactory);
                    case DECIMAL ->
                        argument instanceof PostgresRelType
                                ? SqlTypes.numeric(typeFactory)
                                : typeFactory.createSqlType(
                                        SqlTypeName.DECIMAL, DataType.Decimal.MAX_PRECISION, argument.getScale());
                    default -> argument;
                };
        return typeFactory.createTypeWithNullability(sum, argument.isNullable());
    }

    @Override
    public RelDataType deriveAvgAggType(RelDataTypeFactory typeFactory, RelDataType argument) {
        RelDataType average =
                switch (argument.getSqlTypeName()) {
                    case TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL -> SqlTypes.numeric(typeFactory);
                    case REAL, FLOAT, DOUBLE -> typeFactory.createSqlType(SqlTypeName.DOUBLE);
                    default -> argument;
                };
        return typeFactory.createTypeWithNullability(average, argument.isNullable());
    }

    @Override
    public RelDataType deriveDecimalDivideType(RelDataTypeFactory typeFactory, RelDataType left, RelDataType right) {
        RelDataType plain = super.deriveDecimalDivideType(typeFactory, left, right);
        return plain == null
                ? null
                : typeFactory.createTypeWithNullability(SqlTypes.numeric(typeFactory), plain.isNullable());
    }

    /// Whether a type is held as `pgType` though Calcite has no name for it.
    static boolean isSpecial(PgType pgType) {
        return switch (pgType) {
            case BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, TEXT, VARCHAR, BPCHAR, DATE, TIME, TIMESTAMP, TIMESTAMPTZ ->
                false;
            default -> true;
        };
    }
}
