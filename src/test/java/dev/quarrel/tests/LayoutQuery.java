package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Writes random statements over the tables of [LayoutData], each with one right multiset of rows.
///
/// Conditions lean towards those that NULL satisfies: they are where batches with NULLs and without go apart.
final class LayoutQuery {
    private enum Type {
        INT,
        NUMERIC,
        FLOAT,
        BOOL,
        DATE,
        TIMESTAMP,
        TEXT
    }

    private record Column(String name, Type type) {}

    private static final List<Column> FACT = List.of(
            new Column("id", Type.INT),
            new Column("i2", Type.INT),
            new Column("i4", Type.INT),
            new Column("i8", Type.INT),
            new Column("f8", Type.FLOAT),
            new Column("n", Type.NUMERIC),
            new Column("b", Type.BOOL),
            new Column("dt", Type.DATE),
            new Column("ts", Type.TIMESTAMP),
            new Column("t", Type.TEXT),
            new Column("s", Type.TEXT),
            new Column("c", Type.TEXT),
            new Column("e", Type.TEXT),
            new Column("k", Type.INT),
            new Column("g", Type.TEXT));

    private static final List<Column> DIMENSION = List.of(
            new Column("id", Type.INT),
            new Column("name", Type.TEXT),
            new Column("kind", Type.TEXT),
            new Column("w", Type.NUMERIC),
            new Column("z", Type.INT),
            new Column("day", Type.DATE));

    private static final List<String> JOINS = List.of("f.k = d.id", "f.e = d.name", "f.i4 = d.z", "f.s = d.kind");

    private final Random random;
    private List<Column> columns = FACT;

    LayoutQuery(Random random) {
        this.random = random;
    }

    private <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private boolean oneIn(int chances) {
        return random.nextInt(chances) == 0;
    }

    String next() {
        columns = FACT;
        return switch (random.nextInt(12)) {
            case 0, 1 -> aggregate("f" + where(), List.of());
            case 2, 3 -> aggregate("f" + where(), keys(1 + random.nextInt(3)));
            case 4 -> "SELECT DISTINCT " + String.join(", ", keys(1 + random.nextInt(3))) + " FROM f" + where();
            case 5 -> rows("f" + where());
            case 6, 7 -> {
                String from = "f " + pick(List.of("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")) + " d ON "
                        + pick(JOINS);
                columns = both();
                String filtered = from + where();
                yield switch (random.nextInt(3)) {
                    case 0 -> aggregate(filtered, List.of());
                    case 1 -> aggregate(filtered, keys(1 + random.nextInt(2)));
                    default -> rows(filtered);
                };
            }
            case 8 ->
                aggregate("f WHERE " + subQuery() + (oneIn(2) ? "" : " AND " + condition(1)), keys(random.nextInt(2)));
            case 9 -> top();
            case 10 -> window();
            default -> {
                String keys = String.join(", ", keys(1 + random.nextInt(2)));
                yield "SELECT " + keys + " FROM f" + where() + " "
                        + pick(List.of("UNION", "UNION ALL", "EXCEPT", "INTERSECT"))
                        + " SELECT " + keys + " FROM f" + where();
            }
        };
    }

    private static List<Column> both() {
        List<Column> both = new ArrayList<>();
        FACT.forEach(column -> both.add(new Column("f." + column.name(), column.type())));
        DIMENSION.forEach(column -> both.add(new Column("d." + column.name(), column.type())));
        return both;
    }

    private String where() {
        return oneIn(6) ? "" : " WHERE " + condition(2);
    }

    private Column column(Type... types) {
        List<Type> wanted = List.of(types);
        return pick(columns.stream()
                .filter(column -> wanted.isEmpty() || wanted.contains(column.type()))
                .toList());
    }

    private List<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(_ -> key()).toList();
    }

    private String key() {
        if (oneIn(4)) {
            String text = column(Type.TEXT).name();
            String number = column(Type.INT).name();
            return pick(List.of(
                    "coalesce(" + text + "::text, 'none')",
                    "upper(" + text + ")",
                    "length(" + text + ")",
                    text + " IS NULL",
                    number + " % 7",
                    "CASE WHEN " + condition(0) + " THEN " + text + "::text END",
                    "date_trunc('month', " + column(Type.DATE).name() + ")",
                    "coalesce(" + number + ", -1)"));
        }
        // Mostly those of few values.
        List<String> few = List.of("i4", "b", "s", "c", "g", "k", "dt", "e", "i2");
        return oneIn(3)
                ? column().name()
                : pick(columns.stream()
                                .filter(column -> few.contains(column.name().replace("f.", "")))
                                .toList())
                        .name();
    }

    private String aggregate(String fromWhere, List<String> keys) {
        List<String> outputs = new ArrayList<>(keys);
        for (int index = 0, count = 1 + random.nextInt(4); index < count; index++) {
            outputs.add(call() + (oneIn(6) ? " FILTER (WHERE " + condition(1) + ")" : ""));
        }
        String group = keys.isEmpty() ? "" : " GROUP BY " + String.join(", ", keys);
        String having = keys.isEmpty() || !oneIn(5) ? "" : " HAVING count(*) " + pick(List.of("> 1", "< 9", "<> 2"));
        return "SELECT " + String.join(", ", outputs) + " FROM " + fromWhere + group + having;
    }

    private String call() {
        Column any = column();
        String number = column(Type.INT, Type.NUMERIC).name();
        return pick(List.of(
                "count(*)",
                "count(*)",
                "count(" + any.name() + ")",
                "count(DISTINCT " + any.name() + ")",
                any.type() == Type.BOOL ? "bool_or(" + any.name() + ")" : "min(" + any.name() + ")",
                any.type() == Type.BOOL ? "bool_and(" + any.name() + ")" : "max(" + any.name() + ")",
                "sum(" + number + ")",
                "avg(" + number + ")",
                "sum(" + column(Type.INT).name() + " + 1)",
                "sum(" + column(Type.FLOAT).name() + ")",
                "sum(coalesce(" + number + ", 1))",
                "sum(CASE WHEN " + condition(1) + " THEN 1 ELSE 0 END)",
                "string_agg(" + column(Type.TEXT).name() + ", ',' ORDER BY f.id"
                        + (columns == FACT ? ")" : ", d.id)")));
    }

    private String rows(String fromWhere) {
        List<String> outputs = IntStream.range(0, 2 + random.nextInt(4))
                .mapToObj(_ -> oneIn(4) ? key() : column().name())
                .toList();
        return "SELECT " + String.join(", ", outputs) + " FROM " + fromWhere;
    }

    /// The first rows by an order that `id` completes.
    private String top() {
        List<String> order = new ArrayList<>();
        for (int index = 0, count = 1 + random.nextInt(2); index < count; index++) {
            order.add(column().name() + pick(List.of("", " DESC", " NULLS FIRST", " DESC NULLS LAST")));
        }
        return "SELECT id, " + column().name() + ", " + column().name() + " FROM f" + where() + " ORDER BY "
                + String.join(", ", order) + ", id LIMIT " + (1 + random.nextInt(60))
                + (oneIn(4) ? " OFFSET " + random.nextInt(40) : "");
    }

    private String window() {
        String value = column().name();
        String call = pick(List.of(
                "row_number()",
                "rank()",
                "lag(" + value + ")",
                "first_value(" + value + ")",
                "count(" + value + ")",
                "sum(" + column(Type.INT).name() + ")"));
        return "SELECT id, " + call + " OVER (PARTITION BY " + key() + " ORDER BY "
                + column(Type.INT, Type.TEXT, Type.DATE).name() + pick(List.of("", " DESC")) + ", id) FROM f" + where();
    }

    private String subQuery() {
        String filter = oneIn(2)
                ? ""
                : pick(List.of(
                        "d.z IS DISTINCT FROM 3",
                        "d.kind IS NULL OR d.kind = 'a'",
                        "coalesce(d.kind, 'b') = 'b'",
                        "d.w > 5",
                        "d.name LIKE 'n1%'",
                        "d.day IS NOT NULL"));
        String not = oneIn(2) ? "NOT " : "";
        return switch (random.nextInt(3)) {
            case 0 ->
                not + "EXISTS (SELECT 1 FROM d WHERE " + pick(JOINS) + (filter.isEmpty() ? "" : " AND (" + filter + ")")
                        + ")";
            case 1 -> {
                String pair = pick(List.of(
                        "k %sIN (SELECT id", "e %sIN (SELECT name", "i4 %sIN (SELECT z", "s %sIN (SELECT kind"));
                yield pair.formatted(not) + " FROM d" + (filter.isEmpty() ? "" : " WHERE " + filter) + ")";
            }
            default ->
                column(Type.INT).name() + pick(List.of(" < ", " >= ", " IS DISTINCT FROM ")) + "(SELECT max(z) FROM d"
                        + (filter.isEmpty() ? "" : " WHERE " + filter) + ")";
        };
    }

    // ---- conditions

    private String condition(int depth) {
        if (depth > 0 && oneIn(2)) {
            String one = condition(depth - 1);
            String other = condition(depth - 1);
            return switch (random.nextInt(7)) {
                case 0, 1 -> "(" + one + " AND " + other + ")";
                case 2, 3 -> "(" + one + " OR " + other + ")";
                case 4 -> "NOT (" + one + ")";
                case 5 -> "(" + one + ") IS " + pick(List.of("NOT TRUE", "TRUE", "UNKNOWN", "NOT FALSE"));
                default -> "CASE WHEN " + one + " THEN " + other + " ELSE " + condition(0) + " END";
            };
        }
        return atom();
    }

    private String atom() {
        Column column = oneIn(2) ? column(Type.TEXT) : column();
        String name = column.name();
        String constant = constant(column);
        List<String> atoms = new ArrayList<>(List.of(
                name + " IS DISTINCT FROM " + constant,
                name + " IS NOT DISTINCT FROM " + constant,
                name + " IS NULL",
                name + " IS NOT NULL",
                "(" + name + " IS NULL OR " + name + " = " + constant + ")",
                "coalesce(" + name + ", " + constant + ") = " + constant,
                "coalesce(" + name + ", " + constant + ") <> " + constant(column),
                name + pick(List.of(" = ", " <> ", " < ", " >= ")) + constant,
                name + " IN (" + constants(column) + ")",
                name + " NOT IN (" + constants(column) + ")",
                "(" + name + " IN (" + constants(column) + ")) IS NOT TRUE",
                "nullif(" + name + ", " + constant + ") IS NULL"));
        switch (column.type()) {
            case TEXT -> {
                atoms.add(name
                        + pick(List.of(" LIKE ", " NOT LIKE "))
                        + pick(List.of("'a%'", "'%1'", "'n_'", "'%ü%'", "''")));
                atoms.add("coalesce(" + name + ", 'n1') LIKE 'n%'");
                atoms.add("length(" + name + ") " + pick(List.of("> 2", "= 0", "IS DISTINCT FROM 1")));
                atoms.add("upper(" + name + ") = " + constant.toUpperCase(java.util.Locale.ROOT));
                atoms.add("substring(" + name + ", 1, 1) " + pick(List.of("= 'a'", "IS DISTINCT FROM 't'")));
                atoms.add(name
                        + pick(List.of(" = ", " <> ", " IS DISTINCT FROM "))
                        + column(Type.TEXT).name());
            }
            case INT -> {
                atoms.add(name + " BETWEEN -3 AND 12");
                atoms.add("(" + name + " NOT BETWEEN 0 AND 9) IS NOT FALSE");
                atoms.add(name
                        + pick(List.of(" = ", " < ", " IS DISTINCT FROM "))
                        + column(Type.INT).name());
                atoms.add(name + " % 3 = 1");
            }
            case BOOL -> {
                atoms.add(name);
                atoms.add(name + " IS NOT TRUE");
                atoms.add("NOT " + name);
            }
            case NUMERIC, FLOAT, DATE, TIMESTAMP -> {}
        }
        return pick(atoms);
    }

    private String constants(Column column) {
        return IntStream.range(0, 1 + random.nextInt(4))
                .mapToObj(_ -> oneIn(12) ? "NULL" : constant(column))
                .collect(Collectors.joining(", "));
    }

    private String constant(Column column) {
        return switch (column.type()) {
            case INT ->
                column.name().endsWith("i8")
                        ? pick(List.of("0", "1000000000", "-3000000000"))
                        : String.valueOf(random.nextInt(25) - 3);
            case NUMERIC -> pick(List.of("0", "1.5", "-20.25", "5.00", "99.99"));
            case FLOAT -> pick(List.of("0", "12.25", "-200.5", "'NaN'::float8"));
            case BOOL -> pick(List.of("true", "false"));
            case DATE -> "date '2020-0" + (2 + random.nextInt(2)) + "-" + (10 + random.nextInt(19)) + "'";
            case TIMESTAMP -> "timestamp '2020-02-" + (10 + random.nextInt(19)) + " 12:30:00'";
            case TEXT -> {
                String name = column.name();
                if (name.endsWith("e") || name.endsWith("name")) {
                    yield "'n" + random.nextInt(45) + "'";
                }
                yield switch (name.substring(name.length() - 1)) {
                    case "t" -> "'t" + random.nextInt(200) + "'";
                    case "c" -> pick(List.of("'x'", "'yy'", "'zzz'"));
                    case "g" -> pick(List.of("'eu'", "'us'", "'a=b/c'", "'Zürich'"));
                    default -> pick(List.of("'a'", "'b'", "'c'", "''", "'Zürich'", "'none'"));
                };
            }
        };
    }
}
