package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Writes random, well-typed SELECT statements over the tables of `fixtures/base.sql`.
///
/// Expressions mostly stay in range, so that few statements fail; every statement has one right multiset of rows.
final class RandomQuery {
    private enum Type {
        INT,
        BIGINT,
        NUMERIC,
        FLOAT,
        TEXT,
        BOOL,
        DATE,
        TIMESTAMP,
        TIME,
        INTERVAL,
        UUID,
        BYTES
    }

    private record Column(String name, Type type) {}

    private record Source(String name, List<Column> columns, String joinKey) {}

    private static final List<Source> SOURCES = List.of(
            new Source(
                    "types",
                    List.of(
                            new Column("id", Type.INT),
                            new Column("b", Type.BOOL),
                            new Column("i2", Type.INT),
                            new Column("i4", Type.INT),
                            new Column("i8", Type.BIGINT),
                            new Column("f8", Type.FLOAT),
                            new Column("n", Type.NUMERIC),
                            new Column("nl", Type.NUMERIC),
                            new Column("d", Type.DATE),
                            new Column("ts", Type.TIMESTAMP),
                            new Column("t", Type.TEXT),
                            new Column("vc", Type.TEXT),
                            new Column("c", Type.TEXT)),
                    "id"),
            new Source(
                    "orders",
                    List.of(
                            new Column("id", Type.BIGINT),
                            new Column("customer_id", Type.INT),
                            new Column("placed", Type.DATE),
                            new Column("amount", Type.NUMERIC),
                            new Column("quantity", Type.INT),
                            new Column("note", Type.TEXT)),
                    "customer_id"),
            new Source(
                    "scalars",
                    List.of(
                            new Column("id", Type.INT),
                            new Column("u", Type.UUID),
                            new Column("owner", Type.UUID),
                            new Column("b", Type.BYTES),
                            new Column("code", Type.BYTES),
                            new Column("note", Type.TEXT)),
                    "id"),
            new Source(
                    "customers",
                    List.of(
                            new Column("id", Type.INT),
                            new Column("name", Type.TEXT),
                            new Column("city", Type.TEXT),
                            new Column("credit", Type.NUMERIC)),
                    "id"),
            new Source(
                    "tags",
                    List.of(
                            new Column("customer_id", Type.INT),
                            new Column("tag", Type.TEXT),
                            new Column("weight", Type.FLOAT)),
                    "customer_id"),
            // Intervals of one span look alike here, and stay so: j is justified, and so is what is made of it.
            new Source(
                    "spans",
                    List.of(
                            new Column("id", Type.INT),
                            new Column("c", Type.TIME),
                            new Column("j", Type.INTERVAL),
                            new Column("d", Type.DATE),
                            new Column("ts", Type.TIMESTAMP),
                            new Column("f8", Type.FLOAT)),
                    "id"),
            new Source("nothing", List.of(new Column("id", Type.INT), new Column("t", Type.TEXT)), "id"));

    /// Tables whose pairs are few.
    private static final List<String> SMALL = List.of("customers", "tags", "nothing");

    private final Random random;
    private List<Column> columns = List.of();
    private boolean withSubQueries = true;

    RandomQuery(Random random) {
        this.random = random;
    }

    String next() {
        StringBuilder from = new StringBuilder();
        List<Column> scope = new ArrayList<>();
        int tables = 1 + (random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0);
        Source first = pick(SOURCES);
        for (int table = 0; table < tables; table++) {
            Source source = table == 0 ? first : pick(SOURCES.subList(1, SOURCES.size()));
            String alias = "q" + table;
            if (table == 0) {
                from.append(source.name()).append(" AS ").append(alias);
            } else {
                from.append(pick(List.of(" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ")))
                        .append(source.name())
                        .append(" AS ")
                        .append(alias);
            }
            for (Column column : source.columns()) {
                scope.add(new Column(alias + "." + column.name(), column.type()));
            }
            if (table > 0) {
                columns = scope;
                boolean areSmall = SMALL.contains(first.name()) && SMALL.contains(source.name()) && table == 1;
                boolean isKeyed = !areSmall || random.nextInt(4) > 0;
                String equality = "q0." + first.joinKey() + " = " + alias + '.' + source.joinKey();
                withSubQueries = false;
                String more = isKeyed && random.nextInt(3) > 0 ? "" : (isKeyed ? " AND " : "") + bool(1);
                withSubQueries = true;
                from.append(" ON ").append(isKeyed ? equality : "").append(more);
            }
        }
        columns = scope;
        String where = random.nextInt(4) == 0 ? "" : " WHERE " + bool(2);
        return switch (random.nextInt(5)) {
            case 0 -> aggregate("", List.of(), from + where);
            case 1 -> {
                List<String> keys = IntStream.range(0, 1 + random.nextInt(2))
                        .mapToObj(_ -> key())
                        .toList();
                yield aggregate(String.join(", ", keys), keys, from + where);
            }
            case 2 -> "SELECT DISTINCT " + key() + ", " + key() + " FROM " + from + where;
            // PostgreSQL's time for a frame with an exclusion is that of its rows.
            case 3 ->
                tables > 1
                        ? rows(from + where)
                        : windows(from + (where.isEmpty() ? " WHERE " : where + " AND ") + "q0." + first.joinKey()
                                + " % 8 = 1");
            default -> rows(from + where);
        };
    }

    /// Window functions of one value in an order that the value itself completes: rows that are equal in all
    /// outputs may change places, and nobody can tell.
    private String windows(String fromWhere) {
        String partition = key();
        String order = key();
        Column value = pick(columns.stream()
                .filter(column -> column.type() != Type.FLOAT && column.type() != Type.BOOL)
                .toList());
        List<String> outputs = new ArrayList<>(List.of(partition, order, value.name()));
        // Several windows pair up their values row by row: then no two rows may change places.
        int windows = 1 + random.nextInt(3);
        String last = windows > 1 ? ", q0.id" : "";
        for (int index = 0; index < windows; index++) {
            String window = window(partition, order, value, last);
            // Arrays do not sort here.
            outputs.add(window.startsWith("array_agg") ? "array_to_string(" + window + ", ',', '-')" : window);
        }
        String all = IntStream.rangeClosed(1, outputs.size())
                .mapToObj(index -> index + pick(List.of("", " DESC", " NULLS FIRST")))
                .collect(Collectors.joining(", "));
        return "SELECT " + String.join(", ", outputs) + " FROM " + fromWhere + " ORDER BY " + all + " LIMIT "
                + (50 + random.nextInt(100)) + (random.nextInt(3) == 0 ? " OFFSET " + random.nextInt(500) : "");
    }

    private String window(String partition, String order, Column value, String last) {
        String direction = pick(List.of("", " DESC", " NULLS FIRST", " DESC NULLS LAST"));
        boolean isWhole = random.nextInt(4) == 0;
        String by = (isWhole ? "" : "PARTITION BY " + partition + " ") + "ORDER BY ";
        // Rows that are equal in the order must be equal in all outputs, for they may change places.
        String rest = (isWhole ? ", " + partition : "") + last;
        String total = by + order + direction + ", " + value.name() + pick(List.of("", " DESC")) + rest;
        String name = value.name();
        return switch (random.nextInt(6)) {
            case 0 ->
                pick(List.of("row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(5)"))
                        + " OVER (" + total + ")";
            case 1 ->
                pick(List.of("lag(" + name + ")", "lead(" + name + ", 3)", "lag(" + name + ", 2, " + name + ")"))
                        + " OVER (" + total + ")";
            case 2 ->
                pick(List.of("first_value(" + name + ")", "last_value(" + name + ")", "nth_value(" + name + ", 3)"))
                        + " OVER (" + total + frame() + ")";
            case 3 ->
                value.type() == Type.INT || value.type() == Type.BIGINT
                        ? framed(value) + " OVER (" + by + name + pick(List.of("", " DESC")) + " RANGE BETWEEN "
                                + random.nextInt(9) + " PRECEDING AND " + random.nextInt(30) + " FOLLOWING"
                                + exclusion() + ")"
                        : value.type() == Type.TIMESTAMP || value.type() == Type.DATE || value.type() == Type.INTERVAL
                                ? framed(value) + " OVER (" + by + name + pick(List.of("", " DESC"))
                                        + " RANGE BETWEEN interval '" + pick(List.of("1 day", "1 mon", "36 hours"))
                                        + "' PRECEDING AND interval '" + pick(List.of("0", "1 week", "1 year"))
                                        + "' FOLLOWING" + exclusion() + ")"
                                : joined(value, List.of("count(%s)", "count(*)"), false) + " OVER (" + by + order
                                        + direction + ")";
            default -> framed(value) + " OVER (" + total + frame() + ")";
        };
    }

    private String framed(Column value) {
        boolean isNumber = value.type() == Type.INT || value.type() == Type.BIGINT || value.type() == Type.NUMERIC;
        if (isNumber) {
            return joined(
                    value, List.of("count(%s)", "min(%s)", "max(%s)", "sum(%s)", "avg(%s)", "regr_count(%s, 1)"), true);
        }
        return switch (value.type()) {
            case INTERVAL -> joined(value, List.of("count(%s)", "min(%s)", "max(%s)", "sum(%s)", "avg(%s)"), true);
            case UUID -> joined(value, List.of("count(%s)", "count(*)"), true);
            default -> joined(value, List.of("count(%s)", "min(%s)", "max(%s)", "count(*)"), true);
        };
    }

    /// One of the functions, or one that joins its rows where their order is decided.
    private String joined(Column value, List<String> functions, boolean isDecided) {
        List<String> all = new ArrayList<>(functions);
        if (isDecided) {
            all.addAll(List.of(
                    "string_agg(%s::text, ',')", "array_agg(%s)", "array_agg(%s) FILTER (WHERE %<s IS NOT NULL)"));
        }
        return pick(all).formatted(value.name());
    }

    private String frame() {
        String start = pick(List.of("UNBOUNDED PRECEDING", "3 PRECEDING", "CURRENT ROW"));
        String end = pick(List.of("CURRENT ROW", "2 FOLLOWING", "40 FOLLOWING", "UNBOUNDED FOLLOWING"));
        return random.nextInt(4) == 0
                ? ""
                : pick(List.of(" ROWS", " GROUPS")) + " BETWEEN " + start + " AND " + end + exclusion();
    }

    private String exclusion() {
        return random.nextInt(3) > 0
                ? ""
                : pick(List.of(" EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE NO OTHERS"));
    }

    private String rows(String fromWhere) {
        int count = 1 + random.nextInt(4);
        String list = IntStream.range(0, count).mapToObj(_ -> any(2)).collect(Collectors.joining(", "));
        // Ordered by every output, so that a prefix is one multiset whatever ties there are.
        String order = IntStream.rangeClosed(1, count)
                .mapToObj(index -> index + pick(List.of("", " DESC", " NULLS FIRST", " DESC NULLS LAST")))
                .collect(Collectors.joining(", "));
        return "SELECT " + list + " FROM " + fromWhere + " ORDER BY " + order + " LIMIT " + random.nextInt(60)
                + (random.nextInt(3) == 0 ? " OFFSET " + random.nextInt(20) : "");
    }

    private String aggregate(String groupBy, List<String> keys, String fromWhere) {
        List<String> outputs = new ArrayList<>(keys);
        for (int index = 1 + random.nextInt(3); index > 0; index--) {
            outputs.add(call());
        }
        String having = random.nextInt(5) == 0 ? " HAVING count(*) > " + random.nextInt(20) : "";
        return "SELECT " + String.join(", ", outputs) + " FROM " + fromWhere
                + (groupBy.isEmpty() ? "" : " GROUP BY " + groupBy) + having;
    }

    private String call() {
        String call =
                switch (random.nextInt(24)) {
                    case 0 -> "count(*)";
                    case 1 -> "count(" + any(1) + ")";
                    case 2 -> "sum(" + of(pick(List.of(Type.INT, Type.BIGINT, Type.NUMERIC)), 1) + ")";
                    case 3 -> "avg(" + of(pick(List.of(Type.INT, Type.NUMERIC)), 1) + ")";
                    case 4 -> "min(" + comparable(1) + ")";
                    case 5 -> "max(" + comparable(1) + ")";
                    case 18, 19 -> pick(List.of("sum(", "avg(", "min(", "max(")) + of(Type.INTERVAL, 1) + ")";
                    case 6 -> "bool_and(" + bool(1) + ")";
                    case 7 -> "bool_or(" + bool(1) + ")";
                    case 8 -> pick(List.of("bit_and", "bit_or", "bit_xor")) + "(" + of(Type.INT, 1) + ")";
                    case 9 ->
                        pick(List.of("var_pop", "variance", "stddev_pop", "stddev")) + "("
                                + of(pick(List.of(Type.INT, Type.BIGINT)), 0) + ")";
                    // Squares of the widest column have more than 38 digits.
                    case 10 -> "stddev(" + narrowNumber() + ")";
                    case 11 -> "regr_count(" + leaf(Type.INT) + ", " + leaf(Type.NUMERIC) + ")";
                    case 12 -> pick(List.of("sum", "avg", "bit_xor")) + "(DISTINCT " + leaf(Type.INT) + ")";
                    case 13, 14 -> {
                        String text = leaf(Type.TEXT);
                        yield random.nextInt(3) == 0
                                ? "string_agg(DISTINCT " + text + ", ',')"
                                : "string_agg(" + text + ", " + pick(List.of("','", "''", "NULL", text)) + " ORDER BY "
                                        + (random.nextBoolean() ? "" : key() + pick(List.of(", ", " DESC, ")))
                                        + text + pick(List.of("", " DESC", " NULLS FIRST")) + ")";
                    }
                    // In PostgreSQL, too, equal numerics may look different.
                    case 15 ->
                        pick(List.of("percentile_cont(", "percentile_disc("))
                                + pick(List.of("0", "0.1", "0.5", "0.75", "1")) + ") WITHIN GROUP (ORDER BY "
                                + of(pick(List.of(Type.INT, Type.BIGINT)), 1) + pick(List.of("", " DESC")) + ")";
                    case 16 ->
                        pick(List.of("percentile_disc(0.4)", "mode()")) + " WITHIN GROUP (ORDER BY "
                                + of(pick(List.of(Type.INT, Type.TEXT, Type.DATE, Type.BOOL, Type.UUID, Type.BYTES)), 1)
                                + pick(List.of("", " DESC")) + ")";
                    case 17, 20 -> array();
                    case 21 -> {
                        String of = array();
                        yield pick(List.of(
                                        "array_length(%s, 1)",
                                        "cardinality(%s)",
                                        "array_to_string(%s, '; ', 'none')",
                                        "array_to_string(%s, ',')",
                                        "array_upper(%s, 1)"))
                                .formatted(of);
                    }
                    case 22 ->
                        pick(List.of("percentile_cont(", "percentile_disc("))
                                + pick(List.of("ARRAY[0.5]", "ARRAY[0, 0.25, NULL, 1]", "'{0.9,0.1}'::float8[]"))
                                + ") WITHIN GROUP (ORDER BY "
                                + of(pick(List.of(Type.INT, Type.BIGINT, Type.INTERVAL)), 1)
                                + pick(List.of("", " DESC")) + ")";
                    case 23 ->
                        "percentile_cont(" + pick(List.of("0", "0.3", "0.5", "1")) + ") WITHIN GROUP (ORDER BY "
                                + leaf(Type.INTERVAL) + pick(List.of("", " DESC")) + ")";
                    default -> "count(DISTINCT " + key() + ")";
                };
        boolean isPlain = !call.startsWith("array_") && !call.startsWith("cardinality");
        return isPlain && random.nextInt(5) == 0 ? call + " FILTER (WHERE " + bool(1) + ")" : call;
    }

    private String array() {
        String element = leaf(pick(List.of(
                Type.INT,
                Type.BIGINT,
                Type.NUMERIC,
                Type.TEXT,
                Type.DATE,
                Type.BOOL,
                Type.TIMESTAMP,
                Type.TIME,
                Type.INTERVAL,
                Type.UUID,
                Type.BYTES)));
        String call = random.nextInt(3) == 0
                ? "array_agg(DISTINCT " + element + ")"
                : "array_agg(" + element + " ORDER BY " + (random.nextBoolean() ? "" : key() + ", ") + element
                        + pick(List.of("", " DESC", " NULLS FIRST")) + ")";
        return random.nextInt(4) == 0 ? call + " FILTER (WHERE " + bool(1) + ")" : call;
    }

    private String narrowNumber() {
        List<String> narrow = columns.stream()
                .filter(column -> column.type() == Type.NUMERIC)
                .map(Column::name)
                .filter(name -> !name.endsWith(".nl"))
                .toList();
        return narrow.isEmpty() ? constant(Type.NUMERIC) : pick(narrow);
    }

    /// A grouping key: a column, so that it can be repeated word for word. No float: a group of -0 and 0 prints
    /// as either.
    private String key() {
        return pick(columns.stream()
                        .filter(column -> column.type() != Type.FLOAT)
                        .toList())
                .name();
    }

    private String comparable(int depth) {
        return of(
                pick(List.of(
                        Type.INT,
                        Type.BIGINT,
                        Type.NUMERIC,
                        Type.FLOAT,
                        Type.TEXT,
                        Type.DATE,
                        Type.TIMESTAMP,
                        Type.TIME,
                        Type.INTERVAL,
                        Type.BYTES)),
                depth);
    }

    private String any(int depth) {
        return of(pick(List.of(Type.values())), depth);
    }

    private String of(Type type, int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            return leaf(type);
        }
        if (random.nextInt(8) == 0) {
            return "CASE WHEN " + bool(depth - 1) + " THEN " + of(type, depth - 1) + " ELSE " + of(type, depth - 1)
                    + " END";
        }
        if (random.nextInt(10) == 0) {
            return "coalesce(" + of(type, depth - 1) + ", " + leaf(type) + ")";
        }
        return switch (type) {
            case INT -> integer(depth - 1);
            case BIGINT ->
                "(" + of(Type.BIGINT, depth - 1) + pick(List.of(" + ", " - ")) + of(Type.INT, depth - 1) + ")";
            case NUMERIC -> numeric(depth - 1);
            case FLOAT -> "(" + of(Type.FLOAT, depth - 1) + pick(List.of(" + ", " - ", " * ")) + leaf(Type.FLOAT) + ")";
            case TEXT -> text(depth - 1);
            case BOOL -> bool(depth);
            case DATE -> "(" + of(Type.DATE, depth - 1) + pick(List.of(" + ", " - ")) + random.nextInt(400) + ")";
            case TIME -> time(depth - 1);
            case INTERVAL -> "justify_interval(" + interval(depth - 1) + ")";
            case TIMESTAMP ->
                random.nextBoolean()
                        ? timestamp(depth - 1)
                        : "date_trunc('" + pick(List.of("year", "month", "day", "hour")) + "', " + leaf(Type.TIMESTAMP)
                                + ")";
            case UUID ->
                pick(List.of("greatest(", "least(", "nullif(")) + leaf(Type.UUID) + ", " + leaf(Type.UUID) + ")";
            case BYTES -> bytes(depth - 1);
        };
    }

    private String timestamp(int depth) {
        return switch (random.nextInt(4)) {
            case 0 -> "(" + leaf(Type.DATE) + " + " + of(Type.TIME, depth) + ")";
            case 1 -> "(" + leaf(Type.DATE) + pick(List.of(" + ", " - ")) + leaf(Type.INTERVAL) + ")";
            case 2 ->
                "date_bin('" + pick(List.of("1 day", "15 min", "1 week")) + "', " + leaf(Type.TIMESTAMP)
                        + ", timestamp '2001-02-03 04:05:06')";
            default -> "(" + leaf(Type.TIMESTAMP) + pick(List.of(" + ", " - ")) + leaf(Type.INTERVAL) + ")";
        };
    }

    private String time(int depth) {
        return switch (random.nextInt(3)) {
            case 0 -> "(" + leaf(Type.TIMESTAMP) + ")::time";
            case 1 -> "(" + of(Type.INTERVAL, depth) + ")::time";
            default -> "(" + leaf(Type.TIME) + pick(List.of(" + ", " - ")) + leaf(Type.INTERVAL) + ")";
        };
    }

    private String interval(int depth) {
        return switch (random.nextInt(7)) {
            case 0 -> "(" + of(Type.INTERVAL, depth) + pick(List.of(" + ", " - ")) + leaf(Type.INTERVAL) + ")";
            case 1 ->
                "(" + leaf(Type.INTERVAL) + pick(List.of(" * ", " / ")) + pick(List.of("2", "0.5", "-3", "7", "1.25"))
                        + ")";
            case 2 -> "(" + leaf(Type.TIMESTAMP) + " - " + leaf(Type.TIMESTAMP) + ")";
            case 3 -> "age(" + leaf(Type.TIMESTAMP) + ", " + leaf(Type.TIMESTAMP) + ")";
            case 4 -> "(" + of(Type.TIME, depth) + " - " + leaf(Type.TIME) + ")";
            case 5 ->
                "date_trunc('" + pick(List.of("year", "month", "day", "hour", "second")) + "', " + leaf(Type.INTERVAL)
                        + ")";
            default -> "(-" + leaf(Type.INTERVAL) + ")";
        };
    }

    private String integer(int depth) {
        return switch (random.nextInt(10)) {
            case 8 ->
                "extract(" + pick(List.of("year", "month", "day", "hour", "minute")) + " FROM "
                        + of(Type.INTERVAL, depth) + ")::int";
            case 9 ->
                "extract(" + pick(List.of("hour", "minute", "second")) + " FROM " + of(Type.TIME, depth) + ")::int";
            case 7 -> "length(" + of(Type.BYTES, depth) + ")";
            case 0 -> "(" + of(Type.INT, depth) + " + " + leaf(Type.INT) + ")";
            case 1 -> "(" + of(Type.INT, depth) + " - " + leaf(Type.INT) + ")";
            case 2 -> "(" + leaf(Type.INT) + " % " + (1 + random.nextInt(20)) + ")";
            case 3 -> "(" + leaf(Type.INT) + " / " + (1 + random.nextInt(20)) + ")";
            case 4 -> "length(" + of(Type.TEXT, depth) + ")";
            case 5 -> "(" + leaf(Type.DATE) + " - date '2000-01-01')";
            default -> "position('e' in " + leaf(Type.TEXT) + ")";
        };
    }

    private String numeric(int depth) {
        return switch (random.nextInt(6)) {
            case 0 -> "(" + of(Type.NUMERIC, depth) + " + " + leaf(Type.NUMERIC) + ")";
            case 1 -> "(" + of(Type.NUMERIC, depth) + " - " + leaf(Type.INT) + ")";
            case 2 -> "(" + leaf(Type.NUMERIC) + " * " + random.nextInt(1000) / 100.0 + ")";
            case 3 -> "(" + leaf(Type.NUMERIC) + " / " + (1 + random.nextInt(30)) + ")";
            case 4 -> "round(" + of(Type.NUMERIC, depth) + ", " + random.nextInt(4) + ")";
            default -> "abs(" + of(Type.NUMERIC, depth) + ")";
        };
    }

    private String text(int depth) {
        return switch (random.nextInt(8)) {
            case 6 -> "(" + leaf(Type.UUID) + ")::text";
            case 7 -> "encode(" + of(Type.BYTES, depth) + ", " + pick(List.of("'hex'", "'base64'", "'escape'")) + ")";
            case 0 -> "upper(" + of(Type.TEXT, depth) + ")";
            case 1 -> "(" + of(Type.TEXT, depth) + " || " + leaf(Type.TEXT) + ")";
            case 2 -> "substring(" + leaf(Type.TEXT) + " from " + random.nextInt(6) + " for " + random.nextInt(6) + ")";
            case 3 -> "replace(" + leaf(Type.TEXT) + ", 'e', 'é')";
            case 4 -> "trim(" + leaf(Type.TEXT) + ")";
            default -> "left(" + leaf(Type.TEXT) + ", " + (random.nextInt(10) - 3) + ")";
        };
    }

    private String bytes(int depth) {
        return switch (random.nextInt(5)) {
            case 0 -> "(" + of(Type.BYTES, depth) + " || " + leaf(Type.BYTES) + ")";
            case 1 ->
                "substring(" + leaf(Type.BYTES) + " from " + random.nextInt(4) + " for " + random.nextInt(6) + ")";
            case 2 -> "convert_to(" + of(Type.TEXT, depth) + ", 'UTF8')";
            case 3 -> "btrim(" + leaf(Type.BYTES) + ", '\\x0001'::bytea)";
            default -> "decode(md5(" + leaf(Type.BYTES) + "), 'hex')";
        };
    }

    private String bool(int depth) {
        if (depth > 0) {
            switch (random.nextInt(5)) {
                case 0 -> {
                    return "(" + bool(depth - 1) + " AND " + bool(depth - 1) + ")";
                }
                case 1 -> {
                    return "(" + bool(depth - 1) + " OR " + bool(depth - 1) + ")";
                }
                case 2 -> {
                    return "(NOT " + bool(depth - 1) + ")";
                }
                default -> {}
            }
        }
        if (withSubQueries && random.nextInt(9) == 0) {
            return subQuery();
        }
        Type type = pick(List.of(
                Type.INT,
                Type.INT,
                Type.BIGINT,
                Type.NUMERIC,
                Type.FLOAT,
                Type.TEXT,
                Type.DATE,
                Type.TIMESTAMP,
                Type.TIME,
                Type.INTERVAL,
                Type.UUID,
                Type.BYTES));
        int inner = Math.max(0, depth - 1);
        return switch (random.nextInt(7)) {
            case 0 -> "(" + of(type, inner) + " IS NULL)";
            case 1 -> "(" + of(type, inner) + " BETWEEN " + constant(type) + " AND " + constant(type) + ")";
            case 2 ->
                "(" + of(type, inner) + " IN (" + constant(type) + ", " + constant(type) + ", " + constant(type) + "))";
            case 3 ->
                "(" + leaf(Type.TEXT) + pick(List.of(" LIKE ", " NOT LIKE "))
                        + pick(List.of("'%1%'", "'v_'", "'text 1%'", "'%e%r%'", "''")) + ")";
            case 4 -> "(" + of(type, inner) + " IS DISTINCT FROM " + of(type, inner) + ")";
            default ->
                "(" + of(type, inner) + pick(List.of(" = ", " <> ", " < ", " <= ", " > ", " >= ")) + of(type, inner)
                        + ")";
        };
    }

    /// IN or EXISTS over a small table, whose conditions refer to the row around it.
    private String subQuery() {
        withSubQueries = false;
        List<Column> around = columns;
        Source source = pick(
                SOURCES.stream().filter(each -> SMALL.contains(each.name())).toList());
        List<Column> own = source.columns().stream()
                .map(column -> new Column("s." + column.name(), column.type()))
                .toList();
        List<Column> both = new ArrayList<>(around);
        both.addAll(own);
        String from = " FROM " + source.name() + " AS s";
        columns = both;
        String where = random.nextInt(3) == 0 ? "" : bool(1);
        columns = around;
        String text;
        if (random.nextBoolean()) {
            Column asked = pick(own);
            text = leaf(asked.type()) + pick(List.of(" IN ", " NOT IN ")) + "(SELECT " + asked.name() + from
                    + (where.isEmpty() ? "" : " WHERE " + where) + ")";
        } else {
            Type type = random.nextInt(3) == 0 ? Type.TEXT : Type.INT;
            List<Column> keys =
                    own.stream().filter(column -> column.type() == type).toList();
            String equality = leaf(type) + " = " + pick(keys).name();
            text = pick(List.of("EXISTS ", "NOT EXISTS ")) + "(SELECT 1" + from + " WHERE "
                    + (random.nextInt(4) == 0 && !where.isEmpty()
                            ? where
                            : equality + (where.isEmpty() ? "" : " AND " + where))
                    + ")";
        }
        withSubQueries = true;
        return "(" + text + ")";
    }

    private String leaf(Type type) {
        List<Column> fitting =
                columns.stream().filter(column -> column.type() == type).toList();
        return fitting.isEmpty() || random.nextInt(4) == 0
                ? constant(type)
                : pick(fitting).name();
    }

    private String constant(Type type) {
        return switch (type) {
            case INT -> Integer.toString(random.nextInt(10) == 0 ? random.nextInt(60000) : random.nextInt(60));
            case BIGINT -> random.nextInt(5000) + "::bigint";
            case NUMERIC -> random.nextInt(100000) / 100 + "." + (10 + random.nextInt(90));
            case FLOAT -> random.nextInt(2000) / 16.0 + "::float8";
            case TEXT -> "'" + pick(List.of("", "a", "v1", "text 5", "city 3", "tag 2", "note 12", "é")) + "'::text";
            case BOOL -> random.nextBoolean() ? "true" : "false";
            case DATE ->
                "date '" + (1990 + random.nextInt(34)) + "-0" + (1 + random.nextInt(9)) + "-1" + random.nextInt(10)
                        + "'";
            case TIMESTAMP -> "timestamp '200" + random.nextInt(6) + "-03-04 05:06:07'";
            case TIME ->
                "time '" + random.nextInt(10, 24) + ":" + random.nextInt(10, 60) + pick(List.of("", ":30", ":15.25"))
                        + "'";
            case INTERVAL ->
                "interval '"
                        + pick(List.of("0", "1 day", "-1 day", "1 mon", "3 days 04:05:06.7", "12:30:00.5", "-2 mons"))
                        + "'";
            case UUID ->
                random.nextBoolean()
                        ? "md5('" + random.nextInt(40) + "')::uuid"
                        : "'" + pick(List.of("0", "7", "8", "f")) + "0000000-0000-0000-8000-000000000000'::uuid";
            case BYTES -> "'\\x" + pick(List.of("", "00", "0001", "001f", "80", "c9", "ffff")) + "'::bytea";
        };
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
