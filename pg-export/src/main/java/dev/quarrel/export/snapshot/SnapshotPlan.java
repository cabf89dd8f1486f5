package dev.quarrel.export.snapshot;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ExportConfig;
import dev.quarrel.export.copy.Unfit;
import dev.quarrel.export.source.ServerError;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// The plan of what an export reads: every table's columns and page ranges, found in the catalog under the
/// snapshot.
///
/// Columns that cannot be exported are refused here, all before anything is written.
public final class SnapshotPlan {
    // Statistics promise little enough that a dictionary of this many entries is still worth its codes.
    /// Whether rows of a table lie in foreign ones, of which nobody enforces NOT NULL.
    private static final String FOREIGN = """
            WITH RECURSIVE below (oid) AS (
                SELECT ?::int8::oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN below b ON i.inhparent = b.oid)
            SELECT pg_catalog.bool_or(c.relkind = 'f') AS isforeign FROM pg_class c JOIN below b ON c.oid = b.oid""";

    private static final long MAX_DICTIONARY_ENTRIES = 1 << 16;

    // A table in folders has a dictionary in each, and all of them are in memory until the last row has come.
    private static final long MAX_FOLDER_ENTRIES = 1 << 10;

    private static final int DICTIONARY_FRACTION = 100;

    private final ExportSnapshot snapshot;
    private final ExportConfig config;
    private final ColumnFilter filter;
    private final ColumnFilter keys;
    private final ServerTypes types;
    private final ShapedColumns shapes;
    private final PartitionedTables partitions;
    private final DeclaredKeys declaredKeys;
    private final TableTexts conditions;
    private final CastColumns casts;
    private final Increments increments;

    private SnapshotPlan(ExportSnapshot snapshot, ExportConfig config) {
        this.snapshot = snapshot;
        this.config = config;
        this.filter = ColumnFilter.of("excluded", config.excluded());
        this.keys = ColumnFilter.of("split by", config.splitBy());
        this.types = new ServerTypes(snapshot.leader(), snapshot.serverVersion(), snapshot.collations());
        this.partitions =
                new PartitionedTables(snapshot.leader(), types, config.columns().partitionBy());
        this.declaredKeys = new DeclaredKeys(snapshot.leader(), snapshot.serverVersion(), config);
        this.conditions = new TableTexts("the condition", config.rows().where());
        this.casts = new CastColumns(snapshot.leader(), config.values());
        this.increments = new Increments(snapshot, config.rows());
        this.shapes = new ShapedColumns(
                config.columns(),
                new NestedTypes(snapshot.leader(), snapshot.serverVersion()),
                (name, oid, typmod, collation) -> column(name, types.declared(oid, typmod), true, -1, collation));
    }

    /// - Errors: `QueryException` 42P01 and 42703 for what does not exist; 55P03 for a table that was dropped while the
    ///   snapshot was taken.
    public static List<ExportTable> make(ExportSnapshot snapshot, ExportConfig config) {
        return new SnapshotPlan(snapshot, config).tables();
    }

    private List<ExportTable> tables() {
        List<ExportTable> tables = new ArrayList<>();
        Set<String> names = new HashSet<>();
        try {
            for (SelectedTable table : snapshot.selected()) {
                add(table(table), names, tables);
            }
            for (ExportConfig.Query query : config.queries()) {
                add(query(query), names, tables);
            }
        } catch (SQLException failure) {
            throw ServerError.of("could not read the catalog", failure);
        }
        filter.checkAllMatched();
        keys.checkAllMatched();
        shapes.checkAllMatched();
        conditions.checkAllMatched();
        casts.checkAllMatched();
        increments.checkAllMatched();
        return tables;
    }

    private static void add(ExportTable table, Set<String> names, List<ExportTable> tables) {
        String name = table.qualifiedName();
        if (!names.add(name)) {
            throw new QueryException(SqlState.DUPLICATE_TABLE, "two exported tables are named " + name);
        }
        tables.add(table);
    }

    private ExportTable table(SelectedTable selected) throws SQLException {
        TableTree tree = TableTree.read(snapshot.leader(), selected, snapshot.serverVersion());
        if (snapshot.isLockedBefore()) {
            tree.checkLocked(snapshot.leader());
        }
        String schema;
        String name;
        String sql = "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE c.oid = ?::int8::oid";
        try (PreparedStatement query = snapshot.leader().prepareStatement(sql)) {
            query.setLong(1, selected.oid());
            try (ResultSet rows = query.executeQuery()) {
                if (!rows.next()) {
                    if (snapshot.isLockedBefore()) {
                        // It was there a moment ago: what is locked is another table of that name.
                        throw new QueryException(
                                        SqlState.LOCK_NOT_AVAILABLE,
                                        "table " + selected.relation() + " was dropped while it was being locked")
                                .withHint("run the export again");
                    }
                    throw new QueryException(
                            SqlState.UNDEFINED_TABLE, "relation \"" + selected.relation() + "\" does not exist");
                }
                schema = rows.getString(1);
                name = rows.getString(2);
            }
        }
        long rowEstimate = tree.rowEstimate();
        List<Found> found = found(selected.oid(), schema, name, tree.isParent(), rowEstimate);
        String where = where(schema, name);
        String all = TableTree.both(tree.unwanted(), where);
        String whole = selected.relation() + (all.isEmpty() ? "" : " WHERE " + all);
        List<ExportColumn> columns =
                casts.cast(selected.relation(), schema, name, columns(found, schema, name), this::queryColumn);
        if ("rpm".contains(selected.kind())) {
            columns = casts.fitted(whole, columns);
        }
        // A view might have other rows when it is read again.
        String readable = "rpm".contains(selected.kind()) ? selected.relation() : null;
        columns = shapes.shaped(readable, schema, name, columns);
        ExportColumn key = key(found, schema, name);
        List<RowRange> ranges;
        if (key == null) {
            ranges = tree.ranges(config.workers(), canScanRanges());
        } else {
            ranges = new ArrayList<>();
            List<String> conditions = new KeyRanges(snapshot.leader(), config.workers())
                    .ofTable(selected.oid(), tree.isParent(), selected.relation(), key);
            for (String condition : conditions) {
                ranges.add(new RowRange.OfRelation(
                        ranges.size(),
                        selected.relation(),
                        TableTree.both(condition, tree.unwanted()),
                        RowRange.UNKNOWN));
            }
        }
        ExportTable table = new ExportTable(schema, name, columns, rowEstimate, only(where, ranges))
                .withUniqueKeys(declaredKeys.of(selected, tree, columns))
                .withWhole(whole);
        table = partitions.of(selected.relation(), table);
        // To look into an index, a range must not be one of pages.
        List<RowRange> uncut = only(where, tree.ranges(1, false)).stream()
                .<RowRange>map(range -> ((RowRange.OfRelation) range).withoutWeight())
                .toList();
        return increments.of(new Increments.Known(selected, tree, table, where, uncut));
    }

    /// The condition of a table's rows that the user has given, or empty.
    private String where(String schema, String name) {
        // A condition's last line may end in a comment.
        return conditions.of(schema, name).stream()
                .map(condition -> "(" + condition + "\n)")
                .collect(Collectors.joining(" AND "));
    }

    private static List<RowRange> only(String where, List<RowRange> ranges) {
        return where.isEmpty()
                ? ranges
                : ranges.stream().map(range -> range.withCondition(where)).toList();
    }

    /// The column that the table's rows are cut by, if one was named.
    private ExportColumn key(List<Found> found, String schema, String name) throws SQLException {
        Found key = null;
        for (Found column : found) {
            if (keys.matches(schema, name, column.name())) {
                if (key != null) {
                    throw new QueryException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "table " + schema + "." + name + " is to be split by " + key.name() + " and by "
                                    + column.name());
                }
                key = column;
            }
        }
        return key == null ? null : column(key);
    }

    /// Before PostgreSQL 14 a condition on ctid reads the whole table.
    private boolean canScanRanges() {
        return snapshot.serverVersion() >= 140_000;
    }

    private List<Found> found(long oid, String schema, String table, boolean inherited, long rowEstimate)
            throws SQLException {
        // PostgreSQL 18 has NOT NULL constraints that existing rows need not satisfy yet.
        String validated = snapshot.serverVersion() >= 180_000
                ? "NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'n'"
                        + " AND k.conkey = ARRAY[a.attnum] AND NOT k.convalidated)"
                : "true";
        String sql = """
                SELECT a.attname, a.atttypid::int8, a.atttypmod, a.attnotnull AND %s AND NOT isforeign, a.attcollation::int8,
                       (SELECT s.n_distinct FROM pg_stats s
                        WHERE s.schemaname = ? AND s.tablename = ? AND s.attname = a.attname AND s.inherited = ?)
                FROM pg_attribute a, (%s) f
                WHERE a.attrelid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped
                ORDER BY a.attnum""".formatted(validated, FOREIGN);
        List<Found> found = new ArrayList<>();
        try (PreparedStatement query = snapshot.leader().prepareStatement(sql)) {
            query.setString(1, schema);
            query.setString(2, table);
            query.setBoolean(3, inherited);
            query.setLong(4, oid);
            query.setLong(5, oid);
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
                            rows.getLong(5),
                            estimate));
                }
            }
        }
        return found;
    }

    private List<ExportColumn> columns(List<Found> found, String schema, String table) throws SQLException {
        List<ExportColumn> columns = new ArrayList<>();
        for (Found column : found) {
            if (!filter.matches(schema, table, column.name())) {
                columns.add(column(column));
            }
        }
        if (columns.isEmpty()) {
            throw new QueryException(SqlState.FEATURE_NOT_SUPPORTED, "table " + table + " has no column to export");
        }
        return columns;
    }

    private record Found(
            String name, long typeOid, int typmod, boolean notNull, long collationOid, long distinctEstimate) {}

    private ExportColumn column(Found found) throws SQLException {
        return column(
                found.name(),
                types.declared(found.typeOid(), found.typmod()),
                !found.notNull(),
                found.distinctEstimate(),
                found.collationOid());
    }

    private ExportColumn column(
            String name, PgType.Declared inServer, boolean sendsNull, long distinctEstimate, long collationOid)
            throws SQLException {
        boolean isFree = inServer.type() == PgType.NUMERIC && !(inServer.dataType() instanceof DataType.Decimal);
        boolean isWide = isFree
                && config.numeric().isEmpty()
                && switch (config.unfit().numeric()) {
                    case TEXT -> true;
                    case ERROR -> inServer.numericPrecision() > DataType.Decimal.MAX_PRECISION;
                    case NULL -> false;
                };
        DataType dataType = isWide
                ? DataType.UTF8
                : isFree && config.numeric().isPresent() ? config.numeric().get() : inServer.dataType();
        PgType.Declared sent = isWide ? new PgType.Declared(PgType.WIDE_NUMERIC, PgType.NO_TYPMOD) : inServer;
        boolean mayTurnNull =
                switch (dataType) {
                    case DataType.Decimal _, DataType.Numeric _ ->
                        config.unfit().numeric() == Unfit.Overflow.NULL;
                    case DataType.Float32 _, DataType.Float64 _ ->
                        config.unfit().numeric() == Unfit.Overflow.NULL
                                && !config.columns().halves().isEmpty();
                    case DataType.Date _, DataType.Timestamp _ -> config.unfit().infinity() == Unfit.Infinity.NULL;
                    default -> false;
                };
        return ExportColumn.of(
                name,
                inServer,
                dataType,
                types.outputFunction(sent),
                sendsNull,
                sendsNull || mayTurnNull,
                distinctEstimate,
                snapshot.collations().of(inServer, collationOid));
    }

    private ExportTable query(ExportConfig.Query query) throws SQLException {
        QueryJoins joins = new QueryJoins(snapshot.leader());
        List<ExportColumn> columns = null;
        List<RowRange> ranges = new ArrayList<>();
        for (String part : QueryParts.of(query, config.workers())) {
            String sql = joins.joined(part, query.joins());
            List<ExportColumn> described = described(query, sql);
            if (columns != null && !columns.equals(described)) {
                throw new QueryException(
                                SqlState.DATATYPE_MISMATCH,
                                "the parts of the query of table " + query.name() + " have different columns")
                        .withDetail(
                                "the first has " + columnTexts(columns) + ", another one " + columnTexts(described));
            }
            columns = described;
            ranges.add(new RowRange.OfQuery(ranges.size(), sql, ""));
        }
        List<ExportColumn> key = columns.stream()
                .filter(column -> keys.matches("public", query.name(), column.name()))
                .toList();
        if (!key.isEmpty()) {
            if (ranges.size() > 1 || key.size() > 1) {
                throw new QueryException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "the query of table " + query.name() + " is to be split in several ways");
            }
            String sql = ((RowRange.OfQuery) ranges.getFirst()).query();
            ranges.clear();
            for (String condition : new KeyRanges(snapshot.leader(), config.workers()).ofQuery(sql, key.getFirst())) {
                ranges.add(new RowRange.OfQuery(ranges.size(), sql, condition));
            }
        }
        String first = ((RowRange.OfQuery) ranges.getFirst()).query();
        columns = casts.cast(ExportTable.subquery(first), "public", query.name(), columns, this::queryColumn);
        columns = shapes.shaped(null, "public", query.name(), columns);
        if (config.dictionaries() && config.columns().dictionaries().isEmpty()) {
            columns = new SampledDictionaries(snapshot.leader()).of(first, columns);
        }
        boolean isOne = ranges.stream()
                .allMatch(range -> ((RowRange.OfQuery) range).query().equals(first));
        String where = where("public", query.name());
        ExportTable table = new ExportTable("public", query.name(), columns, -1, only(where, ranges));
        if (isOne) {
            table = table.withWhole(ExportTable.subquery(first) + (where.isEmpty() ? "" : " WHERE " + where));
        }
        return partitions.of(ExportTable.subquery(first), table);
    }

    private static String columnTexts(List<ExportColumn> columns) {
        return columns.stream()
                .map(column -> column.name() + " " + column.declared().text())
                .collect(Collectors.joining(", "));
    }

    private List<ExportColumn> described(ExportConfig.Query query, String sql) throws SQLException {
        List<ExportColumn> columns = new ArrayList<>();
        // No prepared statement: there the driver would take operators such as ? for parameters.
        try (Statement statement = snapshot.leader().createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM " + ExportTable.subquery(sql) + " LIMIT 0")) {
            ResultSetMetaData described = rows.getMetaData();
            Set<String> names = new HashSet<>();
            for (int index = 1; index <= described.getColumnCount(); index++) {
                String name = described.getColumnLabel(index);
                if (filter.matches("public", query.name(), name)) {
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
                columns.add(queryColumn(described, index, name));
            }
        }
        List<String> texts = columns.stream()
                .filter(column -> ServerCollations.isOfTexts(column.declared()))
                .map(ExportColumn::name)
                .toList();
        Map<String, Long> oids = snapshot.collations().ofQuery(sql, texts);
        for (int index = 0; index < columns.size(); index++) {
            ExportColumn column = columns.get(index);
            long oid = oids.getOrDefault(column.name(), ServerCollations.DEFAULT_OID);
            columns.set(index, column.withCollation(snapshot.collations().of(column.declared(), oid)));
        }
        return columns;
    }

    private ExportColumn queryColumn(ResultSetMetaData described, int index, String name) throws SQLException {
        PgType.Declared named = types.named(described.getColumnTypeName(index));
        PgType type = named.type();
        int precision = described.getPrecision(index);
        int scale = described.getScale(index);
        int typmod =
                switch (type) {
                    case NUMERIC -> precision > 0 ? PgType.numericTypmod(precision, scale) : PgType.NO_TYPMOD;
                    case VARCHAR, BPCHAR ->
                        precision > 0 && precision < Integer.MAX_VALUE ? precision + 4 : PgType.NO_TYPMOD;
                    default -> PgType.NO_TYPMOD;
                };
        PgType.Declared declared = new PgType.Declared(type, typmod, named.other());
        return column(name, declared, true, -1, 0);
    }

    /// Whether a column is worth a dictionary: an enum, or by PostgreSQL's statistics of few values, each many times.
    public static boolean isWorthDictionary(ExportTable table, ExportColumn column) {
        if (column.declared().other() != null && column.declared().other().isEnum()) {
            return true;
        }
        if (column.layout().dictionary() != ExportColumn.DictionaryChoice.AUTO) {
            return column.layout().dictionary() == ExportColumn.DictionaryChoice.ALWAYS && column.nested() == null;
        }
        return column.dataType() instanceof DataType.Utf8
                && column.nested() == null
                && column.distinctEstimate() > 0
                && column.distinctEstimate() <= (table.isPartitioned() ? MAX_FOLDER_ENTRIES : MAX_DICTIONARY_ENTRIES)
                && column.distinctEstimate() <= table.rowEstimate() / DICTIONARY_FRACTION;
    }
}
