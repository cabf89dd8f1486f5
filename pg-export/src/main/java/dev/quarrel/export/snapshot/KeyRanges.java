package dev.quarrel.export.snapshot;

import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/// Cuts rows by the values of a column, into conditions of which every row meets one: a NULL the last.
///
/// The places to cut at are PostgreSQL's statistics of the column; where it has none, they lie between the
/// least and the greatest value, which PostgreSQL is asked for.
final class KeyRanges {
    private static final int RANGES_PER_WORKER = 4;

    private final Connection connection;
    private final int count;

    KeyRanges(Connection connection, int workers) {
        this.connection = connection;
        this.count = workers == 1 ? 1 : workers * RANGES_PER_WORKER;
    }

    /// @param column of a table, a view or a foreign table
    /// @param inherited whether statistics of the table with its partitions and children are meant
    /// @param from what FROM takes
    List<String> ofTable(long oid, boolean inherited, String from, ExportColumn column) throws SQLException {
        List<String> cuts = byStatistics(oid, inherited, column);
        return conditions(column, cuts == null ? byExtremes(from, column) : cuts);
    }

    List<String> ofQuery(String query, ExportColumn column) throws SQLException {
        return conditions(column, byExtremes(ExportTable.subquery(query), column));
    }

    private static List<String> conditions(ExportColumn column, List<String> cuts) {
        if (cuts.isEmpty()) {
            return List.of("");
        }
        String name = ExportTable.quoted(column.name());
        List<String> conditions = new ArrayList<>();
        conditions.add(name + " < " + cuts.getFirst());
        for (int index = 1; index < cuts.size(); index++) {
            conditions.add(name + " >= " + cuts.get(index - 1) + " AND " + name + " < " + cuts.get(index));
        }
        conditions.add(name + " >= " + cuts.getLast());
        conditions.add(name + " IS NULL");
        return conditions;
    }

    private static String type(ExportColumn column) {
        return column.declared().other() != null
                ? column.declared().other().name()
                : column.declared().type().formatName();
    }

    /// @return literals, ascending; null where there are no statistics
    private List<String> byStatistics(long oid, boolean inherited, ExportColumn column) throws SQLException {
        String collation = collation(oid, column);
        String sql = """
                WITH s AS (
                    SELECT p.most_common_vals::text::%1$s[] AS common, p.most_common_freqs AS frequencies,
                           p.histogram_bounds::text::%1$s[] AS bounds, p.null_frac AS nulls
                    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    JOIN pg_stats p ON p.schemaname = n.nspname AND p.tablename = c.relname
                    WHERE c.oid = ?::int8::oid AND p.attname = ? AND p.inherited = ?)
                SELECT quote_literal(v::text), sum(share) FROM (
                    SELECT u.v, u.share::float8 FROM s, unnest(s.common, s.frequencies) AS u(v, share)
                    UNION ALL
                    SELECT u.v, (1 - s.nulls - coalesce((SELECT sum(f) FROM unnest(s.frequencies) f), 0))::float8
                                / array_length(s.bounds, 1)
                    FROM s, unnest(s.bounds) AS u(v)) AS found
                GROUP BY v ORDER BY v %2$s""".formatted(type(column), collation);
        List<String> values = new ArrayList<>();
        List<Double> shares = new ArrayList<>();
        double all = 0;
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setLong(1, oid);
            query.setString(2, column.name());
            query.setBoolean(3, inherited);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    values.add(rows.getString(1));
                    shares.add(rows.getDouble(2));
                    all += rows.getDouble(2);
                }
            }
        }
        if (values.isEmpty()) {
            return null;
        }
        List<String> cuts = new ArrayList<>();
        double before = 0;
        double next = all / count;
        for (int index = 0; index < values.size(); index++) {
            if (index > 0 && before >= next && cuts.size() < count - 1) {
                cuts.add(values.get(index) + "::" + type(column));
                next = Math.max(next + all / count, before);
            }
            before += shares.get(index);
        }
        return cuts;
    }

    /// How texts of the column are ordered, for ORDER BY.
    private String collation(long oid, ExportColumn column) throws SQLException {
        String sql = """
                SELECT 'COLLATE ' || quote_ident(n.nspname) || '.' || quote_ident(l.collname)
                FROM pg_attribute a JOIN pg_collation l ON l.oid = a.attcollation
                JOIN pg_namespace n ON n.oid = l.collnamespace
                WHERE a.attrelid = ?::int8::oid AND a.attname = ?""";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setLong(1, oid);
            query.setString(2, column.name());
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? rows.getString(1) : "";
            }
        }
    }

    private List<String> byExtremes(String from, ExportColumn column) throws SQLException {
        if (count == 1) {
            return List.of();
        }
        String name = ExportTable.quoted(column.name());
        PgType type = column.declared().other() != null
                ? PgType.OTHER
                : column.declared().type();
        String number = "numeric";
        String between = "lo + (hi - lo) * i / " + count;
        String isOrdinary =
                switch (type) {
                    case INT2, INT4, INT8 -> {
                        between = "floor(" + between + ")";
                        yield "true";
                    }
                    case NUMERIC -> name + "::text NOT IN ('NaN', 'Infinity', '-Infinity')";
                    case FLOAT4, FLOAT8 -> {
                        number = "float8";
                        // The difference of two large ones would overflow.
                        between = "lo * (1 - i::float8 / " + count + ") + hi * (i::float8 / " + count + ")";
                        yield name + "::text NOT IN ('NaN', 'Infinity', '-Infinity')";
                    }
                    case DATE -> {
                        number = "date";
                        between = "lo + ((hi - lo)::numeric * i / " + count + ")::int";
                        yield "isfinite(" + name + ")";
                    }
                    case TIMESTAMP, TIMESTAMPTZ -> {
                        number = type.formatName();
                        between = "lo + (hi - lo) * (i::float8 / " + count + ")";
                        yield "isfinite(" + name + ")";
                    }
                    default ->
                        throw new QueryException(
                                        SqlState.FEATURE_NOT_SUPPORTED,
                                        "column " + column.name() + " of type "
                                                + column.declared().text()
                                                + " has no statistics to split by")
                                .withHint("split by a number, a date or a timestamp; or ANALYZE the table first");
                };
        String sql = "WITH e AS (SELECT min(" + name + ") FILTER (WHERE " + isOrdinary + ")::" + number + " AS lo, max("
                + name + ") FILTER (WHERE " + isOrdinary + ")::" + number + " AS hi FROM " + from + ")"
                + " SELECT quote_literal(v::text) FROM (SELECT DISTINCT (" + between + ")::" + type.formatName()
                + " AS v FROM e, generate_series(1, " + (count - 1) + ") AS g(i) WHERE lo < hi) AS found ORDER BY v";
        List<String> cuts = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                cuts.add(rows.getString(1) + "::" + type.formatName());
            }
        }
        return cuts;
    }
}
