package dev.quarrel.calcite.sql.type;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.pg.RowShape;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.apache.calcite.sql.SqlCollation;
import org.apache.calcite.sql.type.BasicSqlType;
import org.apache.calcite.sql.type.SqlTypeName;

/// A PostgreSQL type that Calcite either cannot tell from similar ones (`numeric` without a declared scale,
/// unbounded `varchar` and `bpchar`, `name`, `"char"`, `oid` and its aliases, `uuid`, `bytea`, arrays,
/// `unknown`, types held only as text) or lacks (`interval`, whose months, days and time are one value).
///
/// Its digest begins with PostgreSQL's name, so no other type equals it. `numeric` says precision 38 and scale
/// 19 to Calcite, which must not take them at their word: a value brings its own scale.
public final class PostgresRelType extends BasicSqlType {
    private static final long serialVersionUID = 1;
    private static final int NUMERIC_PRECISION = 38;
    private static final int NUMERIC_SCALE = 19;

    private final PgType pgType;
    private final transient OtherType other;
    private final transient RowShape.Row shape;

    PostgresRelType(PgType pgType, boolean nullable) {
        this(pgType, null, nullable);
    }

    PostgresRelType(PgType pgType, OtherType other, boolean nullable) {
        super(PostgresTypeSystem.INSTANCE, baseName(pgType), nullable);
        this.pgType = pgType;
        this.other = other;
        this.shape = other == null ? null : RowShape.ofRows(other.fields());
        computeDigest();
    }

    private static SqlTypeName baseName(PgType pgType) {
        return switch (pgType) {
            case NUMERIC -> SqlTypeName.DECIMAL;
            case OID, REGPROC, REGPROCEDURE, REGCLASS, REGTYPE, REGNAMESPACE, REGROLE, REGCOLLATION ->
                SqlTypeName.BIGINT;
            case NAME, CHAR, VARCHAR, UNKNOWN, OTHER, JSON, JSONB, JSONPATH -> SqlTypeName.VARCHAR;
            case BPCHAR -> SqlTypeName.CHAR;
            case UUID -> SqlTypeName.UUID;
            case BYTEA -> SqlTypeName.VARBINARY;
            case INTERVAL -> SqlTypeName.OTHER;
            default -> {
                if (!pgType.isArray() && pgType.form() == null) {
                    throw new IllegalArgumentException(pgType + " is a type of Calcite's own");
                }
                yield SqlTypeName.VARCHAR;
            }
        };
    }

    public PgType pgType() {
        return pgType;
    }

    /// Which type it is where `pgType` is OTHER; otherwise null.
    public OtherType other() {
        return other;
    }

    /// What rows, or an array's rows, are compared as; null for what is none, and where they cannot be.
    public RowShape.Row shape() {
        return shape;
    }

    @Override
    public PostgresRelType createWithNullability(boolean nullable) {
        return nullable == isNullable ? this : new PostgresRelType(pgType, other, nullable);
    }

    @Override
    public int getPrecision() {
        return pgType == PgType.NUMERIC ? NUMERIC_PRECISION : super.getPrecision();
    }

    @Override
    public int getScale() {
        return pgType == PgType.NUMERIC ? NUMERIC_SCALE : super.getScale();
    }

    @Override
    public Charset getCharset() {
        return isCharacter() ? StandardCharsets.UTF_8 : null;
    }

    @Override
    public SqlCollation getCollation() {
        return isCharacter() ? SqlCollation.IMPLICIT : null;
    }

    private boolean isCharacter() {
        return typeName == SqlTypeName.VARCHAR || typeName == SqlTypeName.CHAR;
    }

    @Override
    protected void generateTypeString(StringBuilder text, boolean withDetail) {
        // The superclass asks while it is being built.
        text.append(pgType == null ? typeName.getName() : "pg_" + pgType.typeName());
        if (other != null) {
            text.append('_')
                    .append(Integer.toUnsignedString(other.oid()))
                    .append('_')
                    .append(other.name());
            text.append(other.labels());
            appendFields(other, text);
        }
    }

    private static void appendFields(OtherType rows, StringBuilder text) {
        if (rows.fields().isEmpty()) {
            return;
        }
        text.append('(');
        for (Field field : rows.fields()) {
            text.append(field.name()).append(' ').append(field.pgType());
            if (field.other() != null) {
                text.append(field.other().labels());
                appendFields(field.other(), text);
            }
            text.append(field.collation() == null ? "," : field.collation() + ",");
        }
        text.append(')');
    }
}
