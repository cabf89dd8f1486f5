package dev.quarrel.export.snapshot;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.ExportConfig;
import dev.quarrel.export.ServerError;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What an export reads: every table's columns and page ranges, found in the catalog under the snapshot.
///
/// Columns that cannot be exported are refused here, all before anything is written.
public final class SnapshotPlan {
    // Statistics promise little enough that a dictionary of this many entries is still worth its codes.
    private static final long MAX_DICTIONARY_ENTRIES = 1 << 16;
    private static final int DICTIONARY_FRACTION = 100;

    private static final int NO_DOMAIN = 0;

    private final ExportSnapshot snapshot;
    private final ExportConfig config;
    private final ColumnFilter filter;

    private SnapshotPlan(ExportSnapshot snapshot, ExportConfig config) {
        this.snapshot = snapshot;
        this.config = config;
        this.filter = new ColumnFilter(config.excluded());
    }

    /// - Errors: `QueryException` 42P01 and 42703 for what does not exist, 0A000 for a column that has no Arrow
    ///   type here.
    public static List<ExportTable> make(ExportSnapshot snapshot, ExportConfig config) {
        return new SnapshotPlan(snapshot, config).tables();
    }

    private List<ExportTable> tables() {
        List<ExportTable> tables = new ArrayList<>();
        try {
            for (int index = 0; index < snapshot.relations().size(); index++) {
                tables.add(
                        table(snapshot.relations().get(index), config.tables().get(index)));
            }
            for (ExportConfig.Query query : config.queries()) {
                tables.add(query(query));
            }
        } catch (SQLException failure) {
            throw ServerError.of("could not read the catalog", failure);
        }
        filter.checkAllMatched();
        Set<String> names = new HashSet<>();
        for (ExportTable table : tables) {
            if (!names.add(table.qualifiedName())) {
                throw new QueryException(
                        SqlState.DUPLICATE_TABLE, "two exported tables are named " + table.qualifiedName());
            }
        }
        return tables;
    }

    private ExportTable table(String relation, String asked) throws SQLException {
        // Ranges hold for partitions and children too, since every one of them is cut at the same pages.
        String sql = """
                WITH RECURSIVE tree(oid) AS (
                    SELECT ?::regclass::oid
                    UNION ALL
                    SELECT i.inhrelid FROM tree t JOIN pg_inherits i ON i.inhparent = t.oid)
                SELECT n.nspname, c.relname, c.relkind::text,
                       (SELECT sum(greatest(m.reltuples, 0))::int8 FROM tree t JOIN pg_class m ON m.oid = t.oid
                        WHERE m.relkind <> 'p'),
                       (SELECT max(pg_relation_size(m.oid)) / current_setting('block_size')::int8
                        FROM tree t JOIN pg_class m ON m.oid = t.oid WHERE m.relkind IN ('r', 'm')),
                       (SELECT bool_or(m.relkind NOT IN ('r', 'm', 'p')) FROM tree t JOIN pg_class m ON m.oid = t.oid),
                       (SELECT count(*) > 1 FROM tree), c.oid
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.oid = ?::regclass""";
        try (PreparedStatement query = snapshot.leader().prepareStatement(sql)) {
            query.setString(1, relation);
            query.setString(2, relation);
            try (ResultSet rows = query.executeQuery()) {
                if (!rows.next()) {
                    throw new QueryException(SqlState.UNDEFINED_TABLE, "relation \"" + asked + "\" does not exist");
                }
                String kind = rows.getString(3);
                if (!"rpmvf".contains(kind)) {
                    throw new QueryException(
                            SqlState.FEATURE_NOT_SUPPORTED, "\"" + asked + "\" is not a table and not a view");
                }
                String schema = rows.getString(1);
                String name = rows.getString(2);
                long rowEstimate = rows.getLong(4);
                // A table that was never analyzed has no estimate.
                boolean known = rowEstimate > 0;
                // A materialized view cannot be locked, so it is read by one connection, which holds it from then on.
                boolean hasPages = !rows.getBoolean(6) && !kind.equals("m");
                long pages = rows.getLong(5);
                List<ExportColumn> columns = columns(rows.getLong(8), schema, name, rows.getBoolean(7), rowEstimate);
                return new ExportTable(
                        schema,
                        name,
                        relation,
                        null,
                        columns,
                        known ? rowEstimate : -1,
                        hasPages && canScanRanges()
                                ? PageRange.cut(pages, config.workers())
                                : List.of(PageRange.whole()));
            }
        }
    }

    /// Before PostgreSQL 14 a condition on ctid reads the whole table.
    private boolean canScanRanges() {
        return snapshot.serverVersion() >= 140_000;
    }

    private List<ExportColumn> columns(long oid, String schema, String table, boolean inherited, long rowEstimate)
            throws SQLException {
        // PostgreSQL 18 has NOT NULL constraints that existing rows need not satisfy yet.
        String validated = snapshot.serverVersion() >= 180_000
                ? "NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'n'"
                        + " AND k.conkey = ARRAY[a.attnum] AND NOT k.convalidated)"
                : "true";
        String sql = """
                SELECT a.attname, a.atttypid::int8, a.atttypmod, a.attnotnull AND %s, format_type(a.atttypid, a.atttypmod),
                       (SELECT s.n_distinct FROM pg_stats s
                        WHERE s.schemaname = ? AND s.tablename = ? AND s.attname = a.attname AND s.inherited = ?)
                FROM pg_attribute a
                WHERE a.attrelid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped
                ORDER BY a.attnum""".formatted(validated);
        List<ExportColumn> columns = new ArrayList<>();
        List<Found> found = new ArrayList<>();
        try (PreparedStatement query = snapshot.leader().prepareStatement(sql)) {
            query.setString(1, schema);
            query.setString(2, table);
            query.setBoolean(3, inherited);
            query.setLong(4, oid);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    float distinct = rows.getFloat(6);
                    long estimate = rows.wasNull() || distinct == 0
                            ? -1
                            : (long) (distinct > 0 ? distinct : -distinct * rowEstimate);
                    found.add(new Found(
                            rows.getString(1),
                            rows.getLong(2),
                            rows.getInt(3),
                            rows.getBoolean(4),
                            rows.getString(5),
                            estimate));
                }
            }
        }
        for (Found column : found) {
            if (!filter.excludes(schema, table, column.name())) {
                columns.add(column(column, table));
            }
        }
        if (columns.isEmpty()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "table " + table + " has no column to export");
        }
        return columns;
    }

    private record Found(
            String name, long typeOid, int typmod, boolean notNull, String typeText, long distinctEstimate) {}

    private ExportColumn column(Found found, String table) throws SQLException {
        PgType.Declared declared = declared(found.typeOid(), found.typmod())
                .orElseThrow(() -> unsupported(table, found.name(), found.typeText()));
        DataType dataType = dataType(declared, table, found.name());
        return new ExportColumn(found.name(), declared, dataType, !found.notNull(), found.distinctEstimate());
    }

    /// The type that COPY sends: a domain's base type.
    private Optional<PgType.Declared> declared(long oid, int typmod) throws SQLException {
        long typeOid = oid;
        int modifier = typmod;
        while (true) {
            Optional<PgType> known = PgType.ofOid((int) typeOid);
            if (known.isPresent()) {
                return isExported(known.get())
                        ? Optional.of(new PgType.Declared(known.get(), modifier))
                        : Optional.empty();
            }
            try (PreparedStatement query = snapshot.leader()
                    .prepareStatement("SELECT typbasetype::int8, typtypmod FROM pg_type WHERE oid = ?::int8::oid")) {
                query.setLong(1, typeOid);
                try (ResultSet rows = query.executeQuery()) {
                    if (!rows.next() || rows.getLong(1) == NO_DOMAIN) {
                        return Optional.empty();
                    }
                    typeOid = rows.getLong(1);
                    modifier = rows.getInt(2);
                }
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
            default -> false;
        };
    }

    private DataType dataType(PgType.Declared declared, String table, String column) {
        if (declared.type() != PgType.NUMERIC || declared.dataType() instanceof DataType.Decimal) {
            return declared.dataType();
        }
        if (config.numeric().isPresent()) {
            return config.numeric().get();
        }
        String problem = declared.typmod() < 0 ? "without a precision" : "of more than 38 digits";
        throw new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "column " + table + "." + column + " has type " + declared.text() + " " + problem
                                + ", which Arrow's decimal cannot hold")
                .withHint("say what it should become with --numeric precision,scale (such as --numeric 38,10), or leave"
                        + " it out with --exclude " + table + "." + column);
    }

    private static QueryException unsupported(String table, String column, String type) {
        return new QueryException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "column " + table + "." + column + " has type " + type + ", which the exporter cannot write")
                .withHint("leave it out with --exclude " + table + "." + column);
    }

    private ExportTable query(ExportConfig.Query query) throws SQLException {
        String sql = query.sql().strip();
        while (sql.endsWith(";")) {
            sql = sql.substring(0, sql.length() - 1).stripTrailing();
        }
        List<ExportColumn> columns = new ArrayList<>();
        try (PreparedStatement statement = snapshot.leader().prepareStatement(sql)) {
            ResultSetMetaData described = statement.getMetaData();
            if (described == null) {
                throw new QueryException(
                        SqlState.SYNTAX_ERROR, "the query of table " + query.name() + " gives no rows");
            }
            Set<String> names = new HashSet<>();
            for (int index = 1; index <= described.getColumnCount(); index++) {
                String name = described.getColumnLabel(index);
                if (filter.excludes("public", query.name(), name)) {
                    throw new QueryException(
                                    SqlState.FEATURE_NOT_SUPPORTED,
                                    "column " + query.name() + "." + name + " of a query cannot be excluded")
                            .withHint("leave it out of the query");
                }
                if (!names.add(name)) {
                    throw new QueryException(
                                    SqlState.DUPLICATE_COLUMN,
                                    "the query of table " + query.name() + " has two columns named " + name)
                            .withHint("give one of them another name with AS");
                }
                columns.add(queryColumn(described, index, name, query.name()));
            }
        }
        return new ExportTable("public", query.name(), null, sql, columns, -1, List.of(PageRange.whole()));
    }

    private ExportColumn queryColumn(ResultSetMetaData described, int index, String name, String table)
            throws SQLException {
        String typeName = described.getColumnTypeName(index);
        // The driver gives typname; a serial column is told by its alias.
        PgType type =
                switch (typeName) {
                    case "serial" -> PgType.INT4;
                    case "bigserial" -> PgType.INT8;
                    case "smallserial" -> PgType.INT2;
                    case "char" -> PgType.CHAR;
                    default -> PgType.named(typeName).orElseThrow(() -> unsupported(table, name, typeName));
                };
        if (!isExported(type)) {
            throw unsupported(table, name, typeName);
        }
        int precision = described.getPrecision(index);
        int scale = described.getScale(index);
        int typmod =
                switch (type) {
                    case NUMERIC -> precision > 0 ? PgType.numericTypmod(precision, scale) : PgType.NO_TYPMOD;
                    case VARCHAR, BPCHAR ->
                        precision > 0 && precision < Integer.MAX_VALUE ? precision + 4 : PgType.NO_TYPMOD;
                    default -> PgType.NO_TYPMOD;
                };
        PgType.Declared declared = new PgType.Declared(type, typmod);
        return new ExportColumn(name, declared, dataType(declared, table, name), true, -1);
    }

    /// Whether a column is worth a dictionary, by PostgreSQL's statistics: few values, each many times.
    public static boolean isWorthDictionary(ExportColumn column, long rowEstimate) {
        return column.dataType() instanceof DataType.Utf8
                && column.distinctEstimate() > 0
                && column.distinctEstimate() <= MAX_DICTIONARY_ENTRIES
                && column.distinctEstimate() <= rowEstimate / DICTIONARY_FRACTION;
    }
}
