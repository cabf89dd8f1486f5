package dev.quarrel.export.snapshot;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.Field;
import dev.quarrel.core.type.OtherType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The server's types, and as which of them columns are exported: a domain as its base type, one that Quarrel has no
/// values of as its text.
///
/// Not thread-safe: the leader's connection is asked.
final class ServerTypes {
    private static final long NO_DOMAIN = 0;
    private static final int MULTIRANGES_SINCE = 140_000;
    private static final int JSON = 114;
    private static final int XML = 142;

    private final Connection leader;
    private final int serverVersion;
    private final ServerCollations collations;
    private final Map<Long, PgType.Declared> known = new HashMap<>();

    ServerTypes(Connection leader, int serverVersion, ServerCollations collations) {
        this.leader = leader;
        this.serverVersion = serverVersion;
        this.collations = collations;
    }

    /// How a column declared so is exported.
    PgType.Declared declared(long oid, int typmod) throws SQLException {
        PgType type = PgType.ofOid((int) oid).orElse(null);
        if (type != null && isExported(type)) {
            return new PgType.Declared(type, typmod);
        }
        PgType.Declared found = known.get(oid);
        if (found == null) {
            found = find(oid);
            known.put(oid, found);
        }
        return found;
    }

    /// As the driver names the type of a query's column: `typname`, or in quotes with its schema.
    PgType.Declared named(String typeName) throws SQLException {
        // A serial column is told by its alias.
        String plain =
                switch (typeName) {
                    case "serial" -> "int4";
                    case "bigserial" -> "int8";
                    case "smallserial" -> "int2";
                    default -> typeName;
                };
        String quoted = plain.startsWith("\"") ? plain : ExportTable.quoted(plain);
        try (PreparedStatement query =
                leader.prepareStatement("SELECT coalesce(to_regtype(?), 'text'::regtype)::oid::int8")) {
            query.setString(1, quoted);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return declared(rows.getLong(1), PgType.NO_TYPMOD);
            }
        }
    }

    /// What COPY is to send, if not the type's own binary form: that of json, xml and enums is the text. Null for that.
    String outputFunction(PgType.Declared declared) throws SQLException {
        OtherType other = declared.other();
        boolean isAsked = other == null
                ? declared.type().isArray() || declared.type().form() != null
                : !other.isEnum() && other.oid() != JSON && other.oid() != XML;
        if (!isAsked) {
            return null;
        }
        String sql = """
                SELECT quote_ident(n.nspname) || '.' || quote_ident(p.proname)
                FROM pg_type t JOIN pg_proc p ON p.oid = t.typoutput JOIN pg_namespace n ON n.oid = p.pronamespace
                WHERE t.oid = ?::int8::oid""";
        try (PreparedStatement query = leader.prepareStatement(sql)) {
            query.setLong(1, Integer.toUnsignedLong(declared.oid()));
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getString(1);
            }
        }
    }

    private PgType.Declared find(long oid) throws SQLException {
        String sql = """
                SELECT t.typbasetype::int8, t.typtypmod, format_type(t.oid, NULL),
                       (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e
                        WHERE e.enumtypid = t.oid),
                       t.typtype = 'c' OR t.oid = 'record'::regtype,
                       coalesce(e.typrelid, t.typrelid)::int8
                FROM pg_type t
                LEFT JOIN pg_type e ON e.oid = t.typelem AND e.typarray = t.oid AND e.typtype = 'c'
                WHERE t.oid = ?::int8::oid""";
        long base;
        int baseTypmod;
        String name;
        List<String> labels;
        boolean isRow;
        long relation;
        try (PreparedStatement query = leader.prepareStatement(sql)) {
            query.setLong(1, oid);
            try (ResultSet rows = query.executeQuery()) {
                if (!rows.next()) {
                    throw new QueryException(
                            SqlState.UNDEFINED_OBJECT, "the server has no type with OID " + oid + " any more");
                }
                base = rows.getLong(1);
                baseTypmod = rows.getInt(2);
                name = rows.getString(3);
                Array array = rows.getArray(4);
                labels = array == null ? List.of() : List.of((String[]) array.getArray());
                isRow = rows.getBoolean(5);
                relation = rows.getLong(6);
            }
        }
        return base != NO_DOMAIN
                ? declared(base, baseTypmod)
                : PgType.Declared.of(new OtherType(
                        (int) oid, name, labels, isStyled(oid), isRow, relation == 0 ? List.of() : fields(relation)));
    }

    /// The fields of a composite, as columns of their types would be.
    private List<Field> fields(long relation) throws SQLException {
        record Attribute(String name, long type, int typmod, long collation) {}
        String sql = """
                SELECT attname, atttypid::int8, atttypmod, attcollation::int8 FROM pg_attribute
                WHERE attrelid = ?::int8::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum""";
        List<Attribute> attributes = new ArrayList<>();
        try (PreparedStatement query = leader.prepareStatement(sql)) {
            query.setLong(1, relation);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    attributes.add(new Attribute(rows.getString(1), rows.getLong(2), rows.getInt(3), rows.getLong(4)));
                }
            }
        }
        List<Field> fields = new ArrayList<>();
        for (Attribute attribute : attributes) {
            PgType.Declared declared = declared(attribute.type(), attribute.typmod());
            fields.add(new Field(
                    attribute.name(),
                    declared.dataType(),
                    true,
                    declared.text(),
                    declared.other(),
                    collations.of(declared, attribute.collation())));
        }
        return fields;
    }

    /// Whether a value may hold timestamps with time zone, intervals or bytea.
    private boolean isStyled(long oid) throws SQLException {
        String multiranges = serverVersion >= MULTIRANGES_SINCE
                ? "UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE r.rngmultitypid = t.oid"
                : "";
        String sql = """
                WITH RECURSIVE parts(oid) AS (
                    SELECT ?::int8::oid
                    UNION
                    SELECT part.oid FROM parts p JOIN pg_type t ON t.oid = p.oid CROSS JOIN LATERAL (
                        SELECT t.typelem
                        UNION ALL SELECT t.typbasetype
                        UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE r.rngtypid = t.oid
                        %s
                        UNION ALL SELECT a.atttypid FROM pg_attribute a
                            WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped) part(oid)
                    WHERE part.oid <> 0)
                SELECT bool_or(oid IN ('timestamptz'::regtype, 'interval'::regtype, 'bytea'::regtype)
                               OR oid = 'record'::regtype) FROM parts""".formatted(multiranges);
        try (PreparedStatement query = leader.prepareStatement(sql)) {
            query.setLong(1, oid);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getBoolean(1);
            }
        }
    }

    private static boolean isExported(PgType type) {
        return switch (type) {
            case BOOL,
                    BYTEA,
                    CHAR,
                    NAME,
                    INT8,
                    INT2,
                    INT4,
                    TEXT,
                    OID,
                    FLOAT4,
                    FLOAT8,
                    BPCHAR,
                    VARCHAR,
                    DATE,
                    TIMESTAMP,
                    TIMESTAMPTZ,
                    TIME,
                    INTERVAL,
                    NUMERIC,
                    UUID -> true;
            default -> type.isArray() && !type.isOfCatalogs() || type.form() != null;
        };
    }
}
