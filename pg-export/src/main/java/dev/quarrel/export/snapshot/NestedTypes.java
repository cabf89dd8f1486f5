package dev.quarrel.export.snapshot;

import dev.quarrel.core.arrow.NestedType;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.DataType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which columns files hold as lists and structs: arrays, composites, ranges and multiranges whose every value such a
/// list or struct can hold. PostgreSQL is asked where no declaration says so, all before a file is begun; others
/// stay texts.
///
/// Not thread-safe: the leader's connection is asked.
final class NestedTypes {
    private static final int MULTIRANGES_SINCE = 140_000;
    private static final int MAX_DEPTH = 16;

    private final Connection leader;
    private final int serverVersion;
    private final Map<Long, Facts> known = new HashMap<>();
    private int aliases;

    NestedTypes(Connection leader, int serverVersion) {
        this.leader = leader;
        this.serverVersion = serverVersion;
    }

    /// What `pg_type` says of a type.
    ///
    /// @param name of a base type; others' are no matter
    /// @param base of a domain, or 0
    /// @param element of an array whose elements commas divide, or 0
    /// @param bound a range's, or 0
    /// @param range a multirange's, or 0
    /// @param attributes of a composite; null for others
    private record Facts(
            String name, long base, int baseTypmod, long element, long bound, long range, List<Attribute> attributes) {}

    record Attribute(String name, long type, int typmod, long collation) {}

    /// A composite's fields; of the row that a domain has, too. None of other types.
    List<Attribute> attributesOf(int oid) throws SQLException {
        Facts facts = facts(Integer.toUnsignedLong(oid));
        return facts.attributes() == null ? List.of() : facts.attributes();
    }

    /// The columns, those that can be as lists or structs.
    ///
    /// @param relation where the columns are, as SQL names it; null where it may not be read twice
    List<ExportColumn> nested(String relation, List<ExportColumn> columns) throws SQLException {
        List<ExportColumn> result = new ArrayList<>(columns);
        List<Integer> asked = new ArrayList<>();
        List<String> questions = new ArrayList<>();
        for (int index = 0; index < result.size(); index++) {
            ExportColumn column = result.get(index);
            PgType.Declared declared = column.declared();
            boolean mayBe = column.outputFunction() != null
                    && (declared.other() == null || !declared.other().isEnum());
            NestedType type =
                    mayBe ? type(Integer.toUnsignedLong(declared.oid()), declared.typmod(), 0) : NestedType.TEXT;
            if (type instanceof NestedType.Leaf) {
                continue;
            }
            String expression = column.expression();
            String misfit = misfit(expression, type, true);
            boolean isArray = type instanceof NestedType.Array;
            if (misfit == null && !isArray) {
                result.set(index, column.withNested(type));
            } else if (relation != null) {
                result.set(index, column.withNested(type));
                asked.add(index);
                String dimensions = isArray ? "array_ndims(" + expression + ")" : "NULL::int";
                questions.add("coalesce(bool_or(" + (misfit == null ? "false" : misfit) + "), false), min(" + dimensions
                        + "), max(" + dimensions + ")");
            }
        }
        if (!asked.isEmpty()) {
            ask(relation, questions, asked, result);
        }
        return result;
    }

    private void ask(String relation, List<String> questions, List<Integer> asked, List<ExportColumn> columns)
            throws SQLException {
        String sql = "SELECT " + String.join(", ", questions) + " FROM " + relation;
        try (PreparedStatement query = leader.prepareStatement(sql);
                ResultSet rows = query.executeQuery()) {
            rows.next();
            for (int question = 0; question < asked.size(); question++) {
                int index = asked.get(question);
                ExportColumn column = columns.get(index);
                boolean fits = !rows.getBoolean(3 * question + 1);
                int least = rows.getInt(3 * question + 2);
                int most = rows.getInt(3 * question + 3);
                NestedType type = column.nested();
                if (fits && type instanceof NestedType.Array(NestedType element, int _)) {
                    fits = least == most;
                    type = new NestedType.Array(element, Math.max(1, most)); // 0: no array has an element
                }
                columns.set(index, column.withNested(fits ? type : null));
            }
        }
    }

    /// How values of a type can lie in a file; a leaf where they are no list and no struct.
    private NestedType type(long oid, int typmod, int depth) throws SQLException {
        PgType own = PgType.ofOid((int) oid).orElse(null);
        if (own != null && !own.isArray()) {
            return NestedType.leaf(new PgType.Declared(own, typmod));
        }
        if (depth > MAX_DEPTH) {
            return NestedType.TEXT;
        }
        Facts facts = facts(oid);
        if (facts.base() != 0) {
            return type(facts.base(), facts.baseTypmod(), depth + 1);
        }
        switch (facts.name()) {
            case "vector" -> {
                return new NestedType.Vector();
            }
            case "hstore" -> {
                return new NestedType.Hstore();
            }
            case "geometry", "geography" -> {
                return new NestedType.Hex();
            }
            default -> {}
        }
        if (facts.element() != 0) {
            NestedType element = type(facts.element(), typmod, depth + 1);
            // An array within an array, and a composite that `unnest` would not take apart, are behind domains.
            boolean isDomain = own == null && facts(facts.element()).base() != 0;
            return new NestedType.Array(
                    element instanceof NestedType.Array || isDomain && !(element instanceof NestedType.Leaf)
                            ? NestedType.TEXT
                            : element,
                    1);
        }
        if (facts.bound() != 0) {
            return range(facts.bound(), depth);
        }
        if (facts.range() != 0) {
            return new NestedType.Multirange(range(facts(facts.range()).bound(), depth));
        }
        if (facts.attributes() != null) {
            List<NestedType.Member> members = new ArrayList<>();
            for (Attribute attribute : facts.attributes()) {
                members.add(
                        new NestedType.Member(attribute.name(), type(attribute.type(), attribute.typmod(), depth + 1)));
            }
            return new NestedType.Composite(members);
        }
        return NestedType.TEXT;
    }

    private NestedType.Range range(long boundOid, int depth) throws SQLException {
        return new NestedType.Range(
                type(boundOid, PgType.NO_TYPMOD, depth + 1) instanceof NestedType.Leaf leaf ? leaf : NestedType.TEXT);
    }

    private Facts facts(long oid) throws SQLException {
        Facts found = known.get(oid);
        if (found == null) {
            found = find(oid);
            known.put(oid, found);
        }
        return found;
    }

    private Facts find(long oid) throws SQLException {
        String range = serverVersion >= MULTIRANGES_SINCE
                ? "(SELECT m.rngtypid::int8 FROM pg_range m WHERE m.rngmultitypid = t.oid)"
                : "NULL::int8";
        String sql = """
                SELECT t.typbasetype::int8, t.typtypmod, e.oid::int8, r.rngsubtype::int8, %s, t.typrelid::int8,
                       CASE WHEN t.typtype = 'b' THEN t.typname::text ELSE '' END
                FROM pg_type t
                LEFT JOIN pg_type e ON e.oid = t.typelem AND e.typarray = t.oid AND e.typdelim = ','
                LEFT JOIN pg_range r ON r.rngtypid = t.oid
                WHERE t.oid = ?::int8::oid""".formatted(range);
        try (PreparedStatement query = leader.prepareStatement(sql)) {
            query.setLong(1, oid);
            try (ResultSet rows = query.executeQuery()) {
                if (!rows.next()) {
                    return new Facts("", 0, PgType.NO_TYPMOD, 0, 0, 0, null);
                }
                long relation = rows.getLong(6);
                return new Facts(
                        rows.getString(7),
                        rows.getLong(1),
                        rows.getInt(2),
                        rows.getLong(3),
                        rows.getLong(4),
                        rows.getLong(5),
                        relation == 0 ? null : attributes(relation));
            }
        }
    }

    private List<Attribute> attributes(long relation) throws SQLException {
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
        return attributes;
    }

    /// A condition that is true of values that the type cannot hold; null where it can hold all.
    ///
    /// @param isColumn whether the value is a column's, whose arrays may have several dimensions
    private String misfit(String value, NestedType type, boolean isColumn) {
        return switch (type) {
            case NestedType.Leaf(PgType _, DataType dataType) ->
                switch (dataType) {
                    case DataType.Decimal _ -> value + " = 'NaN'";
                    case DataType.Timestamp _ -> "isfinite(" + value + ") AND " + value + " >= '294247-01-09 00:00+00'";
                    default -> null;
                };
            case NestedType.Array(NestedType element, int _) -> {
                String counted = Stream.iterate(1, dimension -> dimension + 1)
                        .limit(isColumn ? NestedType.Array.MAX_DIMENSIONS : 1)
                        .map(dimension -> "array_lower(" + value + ", " + dimension + ") <> 1")
                        .collect(Collectors.joining(" OR "));
                yield either(counted, isColumn ? null : "array_ndims(" + value + ") > 1", misfitOfAny(value, element));
            }
            case NestedType.Composite(List<NestedType.Member> members) ->
                either(members.stream()
                        .map(member ->
                                misfit("(" + value + ")." + ExportTable.quoted(member.name()), member.type(), false))
                        .toArray(String[]::new));
            case NestedType.Range(NestedType.Leaf bound) ->
                either(misfit("lower(" + value + ")", bound, false), misfit("upper(" + value + ")", bound, false));
            case NestedType.Multirange(NestedType.Range range) -> misfitOfAny(value, range);
            case NestedType.Hstore _ -> null;
            case NestedType.Pairs _ -> throw new IllegalArgumentException("no type of PostgreSQL is " + type);
            // Types are known by their names alone: another one of that name has other texts.
            case NestedType.Hex _ -> value + "::text !~ '^([0-9A-F]{2})*$'";
            case NestedType.Vector _ ->
                "CASE WHEN " + value + "::text ~ '^\\[-?[0-9.]+(e[-+]?[0-9]+)?(,-?[0-9.]+(e[-+]?[0-9]+)?)*\\]$' THEN "
                        + value + "::text <> '[' || array_to_string(string_to_array(btrim(" + value
                        + "::text, '[]'), ',')::float4[], ',') || ']' ELSE " + value + " IS NOT NULL END";
        };
    }

    private String misfitOfAny(String values, NestedType element) {
        String alias = "e" + aliases++;
        boolean isRow = element instanceof NestedType.Composite;
        String misfit = misfit(isRow ? alias : alias + ".v", element, false);
        return misfit == null
                ? null
                : "EXISTS (SELECT FROM unnest(" + values + ") AS " + alias + (isRow ? "" : "(v)") + " WHERE " + misfit
                        + ")";
    }

    private static String either(String... conditions) {
        List<String> present = Stream.of(conditions).filter(Objects::nonNull).toList();
        return present.isEmpty()
                ? null
                : present.stream().map(each -> "(" + each + ")").collect(Collectors.joining(" OR "));
    }
}
