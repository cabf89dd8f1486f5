package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Writes random statements in the manner of reports: joins along keys, CTEs that are read more than once, several
/// DISTINCT aggregates, grouping sets, UNION ALL of branches, first rows of a partition, thresholds from a sub-query,
/// ORs whose branches share what joins, over the tables of customers and orders.
///
/// Every statement has one right multiset of rows. Numbers are whole or numeric, so that sums are exact.
final class AnalyticQuery {
    private enum Type {
        INT,
        NUMERIC,
        TEXT,
        DATE
    }

    private record Column(String name, Type type) {
        Column of(String alias) {
            return new Column(alias + "." + name, type);
        }
    }

    /// What may stand in FROM.
    ///
    /// @param keys columns that others are joined by: few rows of a relation are equal in one of them
    private record Relation(String text, List<Column> columns, List<String> keys) {}

    /// FROM, and the condition that joins it where that stands in WHERE; empty otherwise.
    private record From(String text, String where, List<Column> columns) {}

    private static final Relation ORDERS = new Relation(
            "orders",
            List.of(
                    new Column("id", Type.INT),
                    new Column("customer_id", Type.INT),
                    new Column("placed", Type.DATE),
                    new Column("amount", Type.NUMERIC),
                    new Column("quantity", Type.INT),
                    new Column("note", Type.TEXT)),
            List.of("customer_id", "id"));

    private static final Relation CUSTOMERS = new Relation(
            "customers",
            List.of(
                    new Column("id", Type.INT),
                    new Column("name", Type.TEXT),
                    new Column("city", Type.TEXT),
                    new Column("credit", Type.NUMERIC)),
            List.of("id"));

    private static final Relation TAGS = new Relation(
            "tags", List.of(new Column("customer_id", Type.INT), new Column("tag", Type.TEXT)), List.of("customer_id"));

    private static final Relation NOTHING = new Relation(
            "nothing",
            List.of(new Column("id", Type.INT), new Column("t", Type.TEXT), new Column("n", Type.NUMERIC)),
            List.of("id"));

    private static final Relation TYPES = new Relation(
            "types",
            List.of(
                    new Column("id", Type.INT),
                    new Column("i2", Type.INT),
                    new Column("n", Type.NUMERIC),
                    new Column("d", Type.DATE),
                    new Column("vc", Type.TEXT),
                    new Column("t", Type.TEXT)),
            List.of("id"));

    private static final List<Relation> DIMENSIONS = List.of(CUSTOMERS, CUSTOMERS, TAGS, NOTHING, TYPES);
    private static final List<String> DIRECTIONS = List.of("", " DESC", " NULLS FIRST", " DESC NULLS LAST");

    private final Random random;
    private final List<Relation> shared = new ArrayList<>();
    private int aliases;

    AnalyticQuery(Random random) {
        this.random = random;
    }

    String next() {
        shared.clear();
        aliases = 0;
        List<String> ctes = new ArrayList<>();
        for (int count = random.nextInt(3); count > 0; count--) {
            String name = "c" + ctes.size();
            List<Type> types = types();
            String hint = oneIn(6) ? pick(List.of("MATERIALIZED ", "NOT MATERIALIZED ")) : "";
            ctes.add(
                    name + "(" + String.join(", ", names(types.size())) + ") AS " + hint + "(" + query(types, 1) + ")");
            shared.add(new Relation(name, columns(types), List.of("k")));
        }
        List<Type> types = types();
        String query = query(types, 2);
        String with = ctes.isEmpty() ? "" : "WITH " + String.join(", ", ctes) + " ";
        String order = IntStream.rangeClosed(1, types.size())
                .mapToObj(index -> index + pick(DIRECTIONS))
                .collect(Collectors.joining(", "));
        return with
                + switch (random.nextInt(4)) {
                    case 0 -> query;
                    case 1 -> "SELECT * FROM (" + query + ") AS whole ORDER BY " + order;
                    default ->
                        "SELECT * FROM (" + query + ") AS whole ORDER BY " + order + " LIMIT "
                                + (1 + random.nextInt(80)) + (oneIn(4) ? " OFFSET " + random.nextInt(20) : "");
                };
    }

    // ---- the columns of a query: the first is whole numbers, and joins it

    private List<Type> types() {
        List<Type> types = new ArrayList<>(List.of(Type.INT));
        for (int more = 1 + random.nextInt(3); more > 0; more--) {
            types.add(pick(List.of(Type.INT, Type.NUMERIC, Type.NUMERIC, Type.TEXT, Type.DATE)));
        }
        return types;
    }

    private static List<String> names(int width) {
        return IntStream.range(0, width)
                .mapToObj(index -> index == 0 ? "k" : "v" + index)
                .toList();
    }

    private static List<Column> columns(List<Type> types) {
        List<String> names = names(types.size());
        return IntStream.range(0, types.size())
                .mapToObj(index -> new Column(names.get(index), types.get(index)))
                .toList();
    }

    // ---- queries

    private String query(List<Type> types, int depth) {
        return switch (random.nextInt(depth > 0 ? 12 : 7)) {
            case 0, 1 -> plain(types, depth);
            case 2, 3, 4 -> grouped(types, depth);
            case 5 -> "SELECT DISTINCT " + plain(types, depth).substring("SELECT ".length());
            case 6 -> firsts(types, depth);
            case 7, 8 -> union(types, depth);
            case 9 ->
                "(" + query(types, depth - 1) + ") " + pick(List.of("UNION", "INTERSECT", "EXCEPT")) + " ("
                        + query(types, depth - 1) + ")";
            case 10 -> overUnion(types, depth);
            default -> windows(types, depth);
        };
    }

    private String plain(List<Type> types, int depth) {
        From from = from(depth);
        return "SELECT " + list(types, from.columns()) + from.text() + where(from, depth);
    }

    private String list(List<Type> types, List<Column> columns) {
        List<String> names = names(types.size());
        return IntStream.range(0, types.size())
                .mapToObj(index -> expression(types.get(index), columns) + " AS " + names.get(index))
                .collect(Collectors.joining(", "));
    }

    private String union(List<Type> types, int depth) {
        String all = IntStream.range(0, 2 + random.nextInt(3))
                .mapToObj(_ -> "(" + query(types, depth - 1) + ")")
                .collect(Collectors.joining(" UNION ALL "));
        if (oneIn(3)) {
            String order = IntStream.rangeClosed(1, types.size())
                    .mapToObj(index -> index + pick(DIRECTIONS))
                    .collect(Collectors.joining(", "));
            return all + " ORDER BY " + order + " LIMIT " + (1 + random.nextInt(50));
        }
        return all;
    }

    /// What reports over several channels are: groups of a UNION ALL, sifted above it.
    private String overUnion(List<Type> types, int depth) {
        List<Type> inner = types();
        String alias = alias("u");
        List<Column> columns =
                columns(inner).stream().map(column -> column.of(alias)).toList();
        From from = new From(
                " FROM (" + union(inner, depth) + ") AS " + alias + "(" + String.join(", ", names(inner.size())) + ")",
                "",
                columns);
        return oneIn(3) ? "SELECT " + list(types, columns) + from.text() + where(from, 0) : grouped(types, from, 0);
    }

    private String grouped(List<Type> types, int depth) {
        return grouped(types, from(depth), depth);
    }

    private String grouped(List<Type> types, From from, int depth) {
        List<String> names = names(types.size());
        Set<String> keys = new LinkedHashSet<>();
        List<String> outputs = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            Type type = types.get(index);
            List<String> ofType = named(from.columns(), type);
            String output;
            if (!ofType.isEmpty() && (index == 0 ? !oneIn(4) : oneIn(3))) {
                output = type == Type.INT && oneIn(5) ? pick(ofType) + " % 7" : pick(ofType);
                keys.add(output);
            } else {
                output = aggregate(type, from.columns());
            }
            outputs.add(output + " AS " + names.get(index));
        }
        if (oneIn(5)) {
            keys.add(pick(from.columns()).name());
        }
        String having =
                switch (random.nextInt(8)) {
                    case 0 -> " HAVING count(*) > " + random.nextInt(20);
                    case 1 -> {
                        Relation other = relation();
                        yield " HAVING " + aggregate(Type.NUMERIC, from.columns()) + " > (SELECT "
                                + aggregate(Type.NUMERIC, other.columns()) + " FROM " + other.text() + ")";
                    }
                    default -> "";
                };
        return "SELECT " + String.join(", ", outputs) + from.text() + where(from, depth) + groupBy(keys) + having;
    }

    private String groupBy(Set<String> keys) {
        if (keys.isEmpty()) {
            return oneIn(6) ? " GROUP BY ()" : "";
        }
        List<String> items = List.copyOf(keys);
        String all = String.join(", ", items);
        return " GROUP BY "
                + switch (random.nextInt(9)) {
                    case 0 -> "ROLLUP (" + all + ")";
                    case 1 -> "CUBE (" + all + ")";
                    case 2 -> "GROUPING SETS ((" + all + "), (" + pick(items) + "), ())";
                    case 3 ->
                        "GROUPING SETS ((" + pick(items) + "), (" + pick(items) + "))"
                                + items.stream().map(item -> ", " + item).collect(Collectors.joining());
                    default -> all;
                };
    }

    private String aggregate(Type type, List<Column> columns) {
        List<Column> numbers = columns.stream()
                .filter(column -> column.type() == Type.INT || column.type() == Type.NUMERIC)
                .toList();
        String filter = oneIn(6) ? " FILTER (WHERE " + condition(columns) + ")" : "";
        String distinct = oneIn(4) ? "DISTINCT " : "";
        return switch (type) {
            case INT ->
                switch (random.nextInt(4)) {
                    case 0 -> "count(*)" + filter;
                    case 1 -> "count(DISTINCT " + pick(columns).name() + ")" + filter;
                    case 2 -> {
                        List<String> whole = named(columns, Type.INT);
                        yield whole.isEmpty() ? "count(*)" : pick(List.of("min(", "max(")) + pick(whole) + ")" + filter;
                    }
                    default -> "count(" + distinct + pick(columns).name() + ")" + filter;
                };
            case NUMERIC -> {
                if (numbers.isEmpty()) {
                    yield "count(*)::numeric";
                }
                String call = pick(List.of("sum(", "sum(", "avg(", "min(", "max("));
                String argument = oneIn(4)
                        ? "CASE WHEN " + condition(columns) + " THEN "
                                + pick(numbers).name() + " ELSE 0 END"
                        : pick(numbers).name();
                yield call + distinct + argument + ")" + filter + "::numeric";
            }
            case TEXT, DATE -> {
                List<String> values = named(columns, type);
                yield pick(List.of("min(", "max(")) + (values.isEmpty() ? constant(type) : pick(values)) + ")" + filter;
            }
        };
    }

    /// The first rows of each partition; rows that are equal in the order are equal in all outputs, or ranked alike.
    private String firsts(List<Type> types, int depth) {
        From from = from(depth);
        List<String> names = names(types.size());
        String rows = "SELECT " + list(types, from.columns()) + from.text() + where(from, depth);
        String partition = oneIn(4) ? "" : "PARTITION BY " + pick(names) + " ";
        boolean isRank = oneIn(2);
        String order = isRank
                ? pick(names) + pick(DIRECTIONS)
                : names.stream().map(name -> name + pick(DIRECTIONS)).collect(Collectors.joining(", "));
        String call = isRank ? pick(List.of("rank()", "dense_rank()")) : "row_number()";
        String alias = alias("w");
        String bound = pick(List.of(" <= 3", " < 2", " = 1", " BETWEEN 2 AND 4", " <= 10"));
        return "SELECT " + String.join(", ", names) + " FROM (SELECT *, " + call + " OVER (" + partition + "ORDER BY "
                + order + ") AS r FROM (" + rows + ") AS " + alias + "i) AS " + alias + " WHERE r" + bound
                + (oneIn(4) ? " AND k > 3" : "");
    }

    private String windows(List<Type> types, int depth) {
        List<Type> inner = types();
        List<String> innerNames = names(inner.size());
        List<String> names = names(types.size());
        List<Column> columns = columns(inner);
        String order = innerNames.stream().map(name -> name + pick(DIRECTIONS)).collect(Collectors.joining(", "));
        List<String> outputs = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            String partition = oneIn(2) ? "PARTITION BY " + pick(innerNames) + " " : "";
            String by = partition + (oneIn(2) ? "ORDER BY " + pick(innerNames) : "");
            outputs.add((oneIn(3)
                            ? expression(types.get(index), columns)
                            : switch (types.get(index)) {
                                case INT -> pick(List.of("count(*) OVER (", "count(k) OVER (")) + by + ")";
                                case NUMERIC ->
                                    pick(List.of("sum(k) OVER (", "avg(k) OVER (", "max(k) OVER (")) + by
                                            + ")::numeric";
                                case TEXT, DATE -> {
                                    List<String> values = named(columns, types.get(index));
                                    yield values.isEmpty()
                                            ? constant(types.get(index))
                                            : "lag(" + pick(values) + ") OVER (" + partition + "ORDER BY " + order
                                                    + ")";
                                }
                            })
                    + " AS " + names.get(index));
        }
        return "SELECT " + String.join(", ", outputs) + " FROM (" + query(inner, depth - 1) + ") AS " + alias("w") + "("
                + String.join(", ", innerNames) + ")";
    }

    // ---- FROM

    private Relation relation() {
        return !shared.isEmpty() && oneIn(2) ? pick(shared) : oneIn(2) ? ORDERS : pick(DIMENSIONS);
    }

    private From from(int depth) {
        Relation first = relation();
        String alias = alias("t");
        StringBuilder text =
                new StringBuilder(" FROM ").append(first.text()).append(" AS ").append(alias);
        List<Column> columns = new ArrayList<>();
        first.columns().forEach(column -> columns.add(column.of(alias)));
        // Two rows of each of the relations are equal in a key at most a few times, but not in three joins.
        int joins = random.nextInt(first == ORDERS ? 4 : 3);
        List<String> where = new ArrayList<>();
        boolean isByComma = oneIn(4);
        List<String> keys = new ArrayList<>(
                first.keys().stream().map(key -> alias + "." + key).toList());
        for (int join = 0; join < joins; join++) {
            // A self-join by a key is one that could be left out.
            Relation other = oneIn(4) ? CUSTOMERS : !shared.isEmpty() && oneIn(3) ? pick(shared) : pick(DIMENSIONS);
            String name = alias("t");
            List<Column> own =
                    other.columns().stream().map(column -> column.of(name)).toList();
            String source = other.text();
            if (depth > 0 && oneIn(5)) {
                List<Type> types = types();
                source = "(" + query(types, depth - 1) + ")";
                own = columns(types).stream().map(column -> column.of(name)).toList();
                other = new Relation(source, columns(types), List.of("k"));
                text.append(isByComma ? ", " : joinType())
                        .append(source)
                        .append(" AS ")
                        .append(name)
                        .append("(")
                        .append(String.join(", ", names(types.size())))
                        .append(")");
            } else {
                text.append(isByComma ? ", " : joinType())
                        .append(source)
                        .append(" AS ")
                        .append(name);
            }
            String key = name + "." + pick(other.keys());
            String condition = pick(keys) + " = " + key;
            List<Column> both = new ArrayList<>(columns);
            both.addAll(own);
            if (isByComma) {
                where.add(oneIn(4) ? branches(condition, both) : condition);
            } else {
                boolean isFull = text.toString().contains(" FULL JOIN ");
                text.append(" ON ").append(condition).append(!isFull && oneIn(3) ? " AND " + condition(both) : "");
            }
            columns.addAll(own);
            if (oneIn(2)) {
                keys.add(key);
            }
        }
        return new From(text.toString(), String.join(" AND ", where), columns);
    }

    /// An OR of which each branch says what joins.
    private String branches(String condition, List<Column> columns) {
        return IntStream.range(0, 2 + random.nextInt(2))
                .mapToObj(_ -> "(" + condition + " AND " + condition(columns) + ")")
                .collect(Collectors.joining(" OR ", "(", ")"));
    }

    private String joinType() {
        return pick(List.of(" JOIN ", " JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "));
    }

    // ---- conditions

    private String where(From from, int depth) {
        List<String> conditions = new ArrayList<>();
        if (!from.where().isEmpty()) {
            conditions.add(from.where());
        }
        for (int count = random.nextInt(3); count > 0; count--) {
            conditions.add(oneIn(5) ? ofSubQuery(from.columns(), depth) : condition(from.columns()));
        }
        return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
    }

    private String ofSubQuery(List<Column> columns, int depth) {
        Relation other = relation();
        String name = alias("s");
        List<Column> own =
                other.columns().stream().map(column -> column.of(name)).toList();
        List<String> whole = named(columns, Type.INT);
        String outer = whole.isEmpty() ? "1" : pick(whole);
        String from = " FROM " + other.text() + " AS " + name;
        String key = name + "." + pick(other.keys());
        String filter = oneIn(2) ? condition(own) : "";
        return switch (random.nextInt(6)) {
            case 0, 1 -> {
                List<Column> both = new ArrayList<>(own);
                both.addAll(columns);
                String more = oneIn(4) ? " AND " + condition(both) : filter.isEmpty() ? "" : " AND " + filter;
                yield pick(List.of("", "NOT ")) + "EXISTS (SELECT 1" + from + " WHERE " + key + " = " + outer + more
                        + ")";
            }
            case 2 ->
                outer + pick(List.of(" IN (", " NOT IN (")) + "SELECT " + key + from + " WHERE " + key + " IS NOT NULL"
                        + (filter.isEmpty() ? "" : " AND " + filter) + ")";
            case 3 -> {
                List<String> numbers = named(columns, Type.NUMERIC);
                yield (numbers.isEmpty() ? outer : pick(numbers)) + pick(List.of(" > ", " <= "))
                        + "(SELECT 1.2 * avg(" + pickNumber(own) + ")" + from + " WHERE " + key + " = " + outer
                        + ")";
            }
            case 4 ->
                outer + " > (SELECT " + pick(List.of("min(", "avg(", "count(")) + pickNumber(own) + ")" + from
                        + (filter.isEmpty() ? "" : " WHERE " + filter) + ")";
            default ->
                "(" + condition(columns) + " OR EXISTS (SELECT 1" + from + " WHERE " + key + " = " + outer
                        + (filter.isEmpty() ? "" : " AND " + filter) + "))";
        };
    }

    private String pickNumber(List<Column> columns) {
        List<String> numbers = new ArrayList<>(named(columns, Type.NUMERIC));
        numbers.addAll(named(columns, Type.INT));
        return pick(numbers);
    }

    private String condition(List<Column> columns) {
        Column column = pick(columns);
        String name = column.name();
        return switch (random.nextInt(12)) {
            case 0 -> name + " IS NOT NULL";
            case 1 -> name + " IS NULL";
            case 2 -> "(" + condition(columns) + " OR " + condition(columns) + ")";
            case 3 -> "NOT (" + condition(columns) + " AND " + condition(columns) + ")";
            case 4 -> {
                List<String> others = named(columns, column.type());
                yield name + pick(List.of(" <> ", " < ", " >= ", " IS DISTINCT FROM ")) + pick(others);
            }
            case 5 -> "coalesce(" + name + ", " + constant(column.type()) + ") <> " + constant(column.type());
            case 6 -> {
                List<String> whole = named(columns, Type.INT);
                yield whole.isEmpty()
                        ? name + " IS NOT NULL"
                        : "CASE WHEN %1$s <> 0 THEN 1000 / %1$s > 20 ELSE false END".formatted(pick(whole));
            }
            case 7 -> name + " BETWEEN " + constant(column.type()) + " AND " + constant(column.type());
            default ->
                switch (column.type()) {
                    case INT ->
                        pick(List.of(
                                name + " < " + random.nextInt(4000),
                                name + " % 5 = " + random.nextInt(5),
                                name + " IN (1, 5, 17, " + random.nextInt(200) + ")",
                                name + " >= " + random.nextInt(60)));
                    case NUMERIC -> name + pick(List.of(" > ", " < ")) + constant(Type.NUMERIC);
                    case TEXT ->
                        pick(List.of(
                                name + " LIKE '%" + random.nextInt(10) + "'",
                                name + " = " + constant(Type.TEXT),
                                name + " IN (" + constant(Type.TEXT) + ", " + constant(Type.TEXT) + ")",
                                name + " > " + constant(Type.TEXT)));
                    case DATE -> name + pick(List.of(" > ", " <= ", " = ")) + constant(Type.DATE);
                };
        };
    }

    private String expression(Type type, List<Column> columns) {
        List<String> values = named(columns, type);
        if (values.isEmpty()) {
            return constant(type);
        }
        String value = pick(values);
        return switch (random.nextInt(8)) {
            case 0 -> "coalesce(" + value + ", " + constant(type) + ")";
            case 1 -> "CASE WHEN " + condition(columns) + " THEN " + value + " END";
            case 2 ->
                switch (type) {
                    case INT -> value + " % 10";
                    case NUMERIC -> "(" + value + " * 2)";
                    case TEXT -> "upper(" + value + ")";
                    case DATE -> "(" + value + " + 1)";
                };
            default -> value;
        };
    }

    private String constant(Type type) {
        return switch (type) {
            case INT -> Integer.toString(random.nextInt(100));
            case NUMERIC -> random.nextInt(900) + "." + (10 + random.nextInt(90));
            case TEXT ->
                "'" + pick(List.of("city ", "note ", "tag ", "customer ", "v", "text ")) + random.nextInt(8) + "'";
            case DATE -> "date '20" + pick(List.of("20", "21", "22")) + "-0" + (1 + random.nextInt(9)) + "-15'";
        };
    }

    private static List<String> named(List<Column> columns, Type type) {
        return columns.stream()
                .filter(column -> column.type() == type)
                .map(Column::name)
                .toList();
    }

    private String alias(String prefix) {
        return prefix + aliases++;
    }

    private boolean oneIn(int count) {
        return random.nextInt(count) == 0;
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
