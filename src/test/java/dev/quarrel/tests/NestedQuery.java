package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Writes random SELECT statements of few rows and many levels: LATERAL, sub-queries that refer to one or two queries
/// around them, ANY and ALL, windows and aggregates at every level, aggregates of outer queries, grouping sets with
/// constants, chains of USING, set operations, DISTINCT ON, LIMIT by expressions and WITH TIES, rows compared with a
/// query's.
///
/// Every statement has one right multiset of rows.
final class NestedQuery {
    private enum Type {
        INT,
        TEXT,
        BOOL
    }

    private record Column(String name, Type type) {}

    /// What expressions may name at one place.
    ///
    /// @param own columns of the query itself, or its keys where it is grouped
    /// @param grouped columns that aggregates of the query itself may take; none where it has no aggregates
    /// @param outer columns of the queries around
    /// @param outerGrouped columns that aggregates of a query around may take
    private record Names(List<Column> own, List<Column> grouped, List<Column> outer, List<Column> outerGrouped) {
        List<Column> all() {
            List<Column> all = new ArrayList<>(own);
            all.addAll(outer);
            return all;
        }

        /// As a sub-query here sees them.
        Names around() {
            List<Column> below = new ArrayList<>(outerGrouped);
            below.addAll(grouped);
            return new Names(List.of(), List.of(), all(), below);
        }
    }

    /// A FROM clause with the columns it has.
    private record From(String text, List<Column> columns) {}

    private static final List<String> COMPARISONS = List.of(" = ", " <> ", " < ", " <= ", " > ", " >= ");

    private final Random random;
    private int aliases;

    NestedQuery(Random random) {
        this.random = random;
    }

    String next() {
        aliases = 0;
        int depth = 1 + random.nextInt(3);
        Names names = new Names(List.of(), List.of(), List.of(), List.of());
        int width = 1 + random.nextInt(3);
        List<Type> types = IntStream.range(0, width).mapToObj(_ -> type()).toList();
        return query(types, depth, names);
    }

    /// A query with columns of the types.
    private String query(List<Type> types, int depth, Names around) {
        if (depth > 0 && chance(10)) {
            String operation = pick(
                    List.of(" UNION ", " UNION ALL ", " INTERSECT ", " INTERSECT ALL ", " EXCEPT ", " EXCEPT ALL "));
            return "(" + select(types, depth - 1, around) + ")" + operation + "(" + select(types, depth - 1, around)
                    + ")";
        }
        String all = IntStream.rangeClosed(1, types.size())
                .mapToObj(index -> index + pick(List.of("", " DESC", " NULLS FIRST")))
                .collect(Collectors.joining(", "));
        if (chance(15)) {
            return firsts(types, depth, around) + " ORDER BY " + all + (chance(4) ? " LIMIT 2" : "");
        }
        String select = select(types, depth, around);
        return chance(8) ? select + " ORDER BY " + all + limit(depth, around) : select;
    }

    /// Which of the rows that are equal in all columns are left does not show.
    private String limit(int depth, Names around) {
        int rows = random.nextInt(5);
        return switch (random.nextInt(8)) {
            case 0 -> " FETCH FIRST " + rows + " ROWS WITH TIES";
            case 1 -> " OFFSET " + random.nextInt(3) + " FETCH NEXT ROW WITH TIES";
            case 2 -> " LIMIT " + rows + " + 1 OFFSET 2 - 1";
            case 3 -> " LIMIT (SELECT " + rows + ")";
            case 4 ->
                depth > 0 && named(around.outer(), Type.INT).isEmpty()
                        ? " LIMIT (SELECT count(*) " + from(0, around.around()).text() + ")"
                        : " LIMIT NULL";
            default -> " LIMIT " + rows + (chance(4) ? " OFFSET " + random.nextInt(3) : "");
        };
    }

    /// What comes first in the order of all columns.
    private String firsts(List<Type> types, int depth, Names around) {
        From from = from(depth, around);
        Names rows = new Names(from.columns(), List.of(), around.outer(), around.outerGrouped());
        String keys = types.size() > 1 && chance(3) ? "2, 1" : "1";
        return "SELECT DISTINCT ON (" + keys + ") " + list(types, depth, rows) + from.text()
                + (chance(2) ? "" : " WHERE " + bool(depth, rows));
    }

    private String select(List<Type> types, int depth, Names around) {
        From from = from(depth, around);
        Names rows = new Names(from.columns(), List.of(), around.outer(), around.outerGrouped());
        String where = chance(2) ? "" : " WHERE " + bool(depth, rows);
        return switch (random.nextInt(6)) {
            case 0, 1 -> grouped(types, depth, around, from, where);
            case 2 -> {
                String list = types.stream()
                        .map(type -> type == Type.INT ? window(depth, rows) : of(type, depth, rows))
                        .collect(Collectors.joining(", "));
                yield "SELECT " + list + from.text() + where;
            }
            default -> "SELECT " + (chance(6) ? "DISTINCT " : "") + list(types, depth, rows) + from.text() + where;
        };
    }

    private String list(List<Type> types, int depth, Names names) {
        return types.stream().map(type -> of(type, depth, names)).collect(Collectors.joining(", "));
    }

    /// Aggregates, without or with keys, or over grouping sets of which some keys may be constants.
    private String grouped(List<Type> types, int depth, Names around, From from, String where) {
        List<Column> keys = new ArrayList<>();
        List<Column> candidates = new ArrayList<>(from.columns());
        for (int count = random.nextInt(3); count > 0 && !candidates.isEmpty(); count--) {
            keys.add(candidates.remove(random.nextInt(candidates.size())));
        }
        Names names = new Names(keys, from.columns(), around.outer(), around.outerGrouped());
        List<String> outputs = new ArrayList<>();
        List<String> items = new ArrayList<>(keys.stream().map(Column::name).toList());
        for (int index = 0; index < types.size(); index++) {
            if (chance(5)) {
                outputs.add(constant(types.get(index)));
                items.add(Integer.toString(index + 1));
            } else {
                outputs.add(of(types.get(index), depth, names));
            }
        }
        String having = chance(4) ? " HAVING " + bool(depth, names) : "";
        return "SELECT " + String.join(", ", outputs) + from.text() + where + groupBy(items, keys) + having;
    }

    private String groupBy(List<String> items, List<Column> keys) {
        if (items.isEmpty()) {
            return chance(4) ? " GROUP BY ()" : "";
        }
        String all = String.join(", ", items);
        return " GROUP BY "
                + switch (random.nextInt(6)) {
                    case 0 -> "ROLLUP (" + all + ")";
                    case 1 -> "CUBE (" + all + ")";
                    case 2 ->
                        "GROUPING SETS ((" + all + "), (" + pick(items) + "), ()" + (chance(3) ? ", ()" : "") + ")";
                    case 3 -> items.getFirst() + ", GROUPING SETS ((" + all + "), (" + pick(items) + "))";
                    default -> all;
                };
    }

    // FROM

    private From from(int depth, Names around) {
        if (chance(12)) {
            return new From("", List.of());
        }
        if (chance(4)) {
            return chain(depth, around);
        }
        From first = item(depth, around, List.of());
        String text = first.text();
        List<Column> columns = new ArrayList<>(first.columns());
        for (int more = random.nextInt(depth > 0 ? 3 : 2); more > 0; more--) {
            boolean isLateral = depth > 0 && chance(3);
            From next = item(depth, around, isLateral ? columns : List.of());
            String lateral = isLateral ? "LATERAL " : "";
            if (isLateral) {
                text += pick(List.of(", LATERAL ", " CROSS JOIN LATERAL ", " LEFT JOIN LATERAL "));
                boolean needsCondition = text.endsWith("LEFT JOIN LATERAL ");
                columns.addAll(next.columns());
                Names names = new Names(columns, List.of(), around.outer(), around.outerGrouped());
                String condition = chance(2) ? "true" : chance(6) ? bool(0, names) : plainBool(names);
                text += next.text() + (needsCondition ? " ON " + condition : "");
                continue;
            }
            String join = pick(List.of(", ", " JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "));
            if (join.equals(", ")) {
                // A comma would end what joins before it; LATERAL after it sees all the same.
                text += " CROSS JOIN " + lateral + next.text();
            } else {
                String equality = column(columns, Type.INT) + " = " + column(next.columns(), Type.INT);
                List<Column> both = new ArrayList<>(columns);
                both.addAll(next.columns());
                Names names = new Names(both, List.of(), around.outer(), around.outerGrouped());
                String rest = join.equals(" FULL JOIN ") || chance(2)
                        ? ""
                        : " AND " + (depth > 0 && chance(8) ? subQuery(1, names) : plainBool(names));
                text += join + next.text() + " ON " + equality + rest;
            }
            columns.addAll(next.columns());
        }
        return new From(" FROM " + text, columns);
    }

    /// Items that all have a column k, joined by it.
    private From chain(int depth, Names around) {
        StringBuilder text = new StringBuilder();
        List<Column> columns = new ArrayList<>();
        Type type = pick(List.of(Type.INT, Type.TEXT));
        columns.add(new Column("k", type));
        int count = 2 + random.nextInt(3);
        for (int index = 0; index < count; index++) {
            String alias = "u" + aliases++;
            List<Type> types = List.of(type, type());
            text.append(
                    index == 0
                            ? ""
                            : pick(List.of(" FULL JOIN ", " FULL JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " JOIN ")));
            text.append(depth > 0 && chance(4) ? "(" + query(types, depth - 1, around) + ")" : values(types))
                    .append(" AS ")
                    .append(alias)
                    .append("(k, ")
                    .append(alias)
                    .append("v)")
                    .append(index == 0 ? "" : " USING (k)");
            columns.add(new Column(alias + "." + alias + "v", types.get(1)));
            if (chance(3)) {
                columns.add(new Column(alias + ".k", type));
            }
        }
        // The merged column has no name but k, which queries further in may have, too.
        String alias = "c" + aliases++;
        List<String> list = new ArrayList<>();
        List<Column> named = new ArrayList<>();
        for (Column column : columns) {
            String name = alias + "v" + named.size();
            list.add(column.name() + " AS " + name);
            named.add(new Column(alias + "." + name, column.type()));
        }
        return new From(" FROM (SELECT " + String.join(", ", list) + " FROM " + text + ") AS " + alias, named);
    }

    /// @param before columns that a lateral item sees
    private From item(int depth, Names around, List<Column> before) {
        String alias = "t" + aliases++;
        List<Type> types = new ArrayList<>(List.of(Type.INT, type()));
        if (chance(2)) {
            types.add(type());
        }
        List<Column> columns = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int index = 0; index < types.size(); index++) {
            names.add(alias + (char) ('a' + index));
            columns.add(new Column(alias + "." + names.getLast(), types.get(index)));
        }
        String rows;
        if (before.isEmpty() && (depth == 0 || !chance(4))) {
            rows = values(types);
        } else {
            List<Column> outer = new ArrayList<>(around.outer());
            outer.addAll(before);
            rows = "(" + query(types, depth - 1, new Names(List.of(), List.of(), outer, around.outerGrouped())) + ")";
        }
        return new From(rows + " AS " + alias + "(" + String.join(", ", names) + ")", columns);
    }

    private String values(List<Type> types) {
        if (chance(10)) {
            // Rows of a table, which are not known when the statement is planned.
            String list = types.stream()
                    .map(type -> switch (type) {
                        case INT -> pick(List.of("id", "id % 3"));
                        case TEXT -> pick(List.of("city", "name"));
                        case BOOL -> "id % 2 = 0";
                    })
                    .collect(Collectors.joining(", "));
            return "(SELECT " + list + " FROM customers WHERE id BETWEEN 1 AND " + random.nextInt(6) + ")";
        }
        String rows = IntStream.range(0, 1 + random.nextInt(4))
                .mapToObj(row -> types.stream()
                        .map(type -> row > 0 && chance(5) ? "NULL" : constant(type))
                        .collect(Collectors.joining(", ", "(", ")")))
                .collect(Collectors.joining(", "));
        return "(VALUES " + rows + ")";
    }

    // Expressions

    private String of(Type type, int depth, Names names) {
        if (!names.grouped().isEmpty() && chance(2)) {
            return aggregate(type, depth, names);
        }
        if (depth > 0 && chance(5)) {
            return scalar(type, depth, names);
        }
        if (chance(12)) {
            return "CASE WHEN " + bool(depth - 1, names) + " THEN " + of(type, depth - 1, names) + " ELSE "
                    + of(type, depth - 1, names) + " END";
        }
        if (chance(12)) {
            return "coalesce(" + of(type, depth - 1, names) + ", " + constant(type) + ")";
        }
        return switch (type) {
            case INT ->
                chance(3)
                        ? "(" + leaf(type, names) + pick(List.of(" + ", " - ")) + leaf(type, names) + ")"
                        : leaf(type, names);
            case TEXT -> chance(3) ? "(" + leaf(type, names) + " || " + leaf(type, names) + ")" : leaf(type, names);
            case BOOL -> bool(depth, names);
        };
    }

    /// An aggregate of the query's own columns, or of those of a query around.
    private String aggregate(Type type, int depth, Names names) {
        // What names columns of outer queries alone would be theirs, and they may stand where no aggregate may.
        Names own = new Names(names.grouped(), List.of(), List.of(), List.of());
        boolean isOwn = !named(names.grouped(), type).isEmpty();
        Names inside = isOwn ? new Names(names.grouped(), List.of(), names.outer(), List.of()) : own;
        String call =
                switch (type) {
                    case INT ->
                        pick(List.of(
                                        "count(%s)",
                                        "count(%s)", "sum(%s)::int", "min(%s)", "max(%s)", "count(DISTINCT %s)"))
                                .formatted(argument(Type.INT, own));
                    case TEXT ->
                        pick(List.of("min(%s)", "max(%s)", "string_agg(%s, ',' ORDER BY %<s)"))
                                .formatted(argument(Type.TEXT, own));
                    case BOOL -> pick(List.of("bool_and(%s)", "bool_or(%s)")).formatted(argument(Type.BOOL, own));
                };
        if (type == Type.INT && !names.own().isEmpty() && chance(5)) {
            return "grouping(" + pick(names.own()).name() + ")";
        }
        boolean isCast = call.endsWith("::int");
        String plain = isCast ? call.substring(0, call.length() - 5) : call;
        String filtered = chance(4) ? plain + " FILTER (WHERE " + bool(Math.min(depth - 1, 1), inside) + ")" : plain;
        return isCast ? "(" + filtered + ")::int" : filtered.startsWith("count") ? filtered + "::int" : filtered;
    }

    private String argument(Type type, Names own) {
        List<Column> columns = named(own.own(), type);
        return columns.isEmpty() ? constant(type) : pick(columns).name();
    }

    /// Of rows that are equal all columns are, so the order of ties does not show.
    private String window(int depth, Names names) {
        if (names.own().isEmpty()) {
            return of(Type.INT, depth, names);
        }
        String order = names.own().stream().map(Column::name).collect(Collectors.joining(", "));
        String partition = chance(2) ? "PARTITION BY " + pick(names.own()).name() + " " : "";
        String call = pick(List.of(
                        "row_number()", "rank()", "sum(%s)", "count(*)", "max(%s)", "lag(%s)", "first_value(%s)"))
                .formatted(leaf(Type.INT, names));
        boolean needsOrder = !call.startsWith("sum") && !call.startsWith("count") && !call.startsWith("max");
        String by = needsOrder || chance(2) ? "ORDER BY " + order : "";
        String filter = call.startsWith("count") && chance(3) ? " FILTER (WHERE " + plainBool(names) + ")" : "";
        String frame = by.isEmpty() || needsOrder || chance(2) ? "" : " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW";
        return "(" + call + filter + " OVER (" + partition + by + frame + "))::int";
    }

    /// A sub-query of one row at most.
    private String scalar(Type type, int depth, Names names) {
        Names around = names.around();
        List<Type> one = List.of(type);
        if (chance(3)) {
            return "(" + select(one, depth - 1, around) + " ORDER BY 1 LIMIT 1)";
        }
        From from = from(depth - 1, around);
        if (from.columns().isEmpty()) {
            return "(SELECT " + of(type, depth - 1, around) + ")";
        }
        Names rows = new Names(from.columns(), List.of(), around.outer(), around.outerGrouped());
        Names groups = new Names(List.of(), from.columns(), around.outer(), around.outerGrouped());
        String where = chance(3) ? "" : " WHERE " + bool(depth - 1, rows);
        return "(SELECT " + aggregate(type, depth - 1, groups) + from.text() + where
                + (chance(6) ? " HAVING " + bool(0, groups) : "") + ")";
    }

    private String bool(int depth, Names names) {
        if (depth < 0) {
            return plainBool(names);
        }
        return switch (random.nextInt(9)) {
            case 0 -> "(" + bool(depth - 1, names) + " AND " + bool(depth - 1, names) + ")";
            case 1 -> "(" + bool(depth - 1, names) + " OR " + bool(depth - 1, names) + ")";
            case 2 -> "(NOT " + bool(depth - 1, names) + ")";
            case 3, 4, 5 -> depth > 0 ? subQuery(depth, names) : plainBool(names);
            default -> {
                Type type = pick(List.of(Type.INT, Type.INT, Type.TEXT));
                yield "(" + of(type, depth - 1, names) + pick(COMPARISONS) + of(type, depth - 1, names) + ")";
            }
        };
    }

    private String subQuery(int depth, Names names) {
        Names around = names.around();
        Type type = pick(List.of(Type.INT, Type.INT, Type.TEXT));
        return switch (random.nextInt(9)) {
            case 8 ->
                "((" + leaf(Type.INT, names) + ", " + leaf(type, names) + ")" + pick(COMPARISONS) + "("
                        + select(List.of(Type.INT, type), depth - 1, around) + " ORDER BY 1, 2 LIMIT 1))";
            case 0, 4 -> "(" + pick(List.of("", "NOT ")) + "EXISTS (" + query(List.of(type), depth - 1, around) + "))";
            case 1, 5 ->
                "(" + of(type, depth - 1, names) + pick(List.of(" IN ", " NOT IN ")) + "("
                        + query(List.of(type), depth - 1, around) + "))";
            case 2, 6 -> {
                List<Type> types = List.of(Type.INT, type);
                yield "((" + list(types, depth - 1, names) + ")" + pick(COMPARISONS) + pick(List.of("ANY (", "ALL ("))
                        + query(types, depth - 1, around) + "))";
            }
            default ->
                "(" + of(type, depth - 1, names) + pick(COMPARISONS) + pick(List.of("ANY (", "ALL ("))
                        + query(List.of(type), depth - 1, around) + "))";
        };
    }

    private String plainBool(Names names) {
        Type type = pick(List.of(Type.INT, Type.INT, Type.TEXT));
        return switch (random.nextInt(5)) {
            case 0 -> "(" + leaf(type, names) + " IS" + pick(List.of("", " NOT")) + " NULL)";
            case 1 -> leaf(Type.BOOL, names);
            case 2 -> "(" + leaf(type, names) + " IS DISTINCT FROM " + leaf(type, names) + ")";
            default -> "(" + leaf(type, names) + pick(COMPARISONS) + leaf(type, names) + ")";
        };
    }

    private String leaf(Type type, Names names) {
        List<Column> outerGrouped = named(names.outerGrouped(), type);
        if (!outerGrouped.isEmpty() && chance(6)) {
            String column = pick(outerGrouped).name();
            return (type == Type.BOOL ? pick(List.of("bool_and(", "bool_or(")) : pick(List.of("min(", "max("))) + column
                    + ")";
        }
        List<Column> own = named(names.own(), type);
        List<Column> outer = named(names.outer(), type);
        if (!own.isEmpty() && (outer.isEmpty() || !chance(3)) && !chance(6)) {
            return pick(own).name();
        }
        return outer.isEmpty() || chance(4) ? constant(type) : pick(outer).name();
    }

    private static List<Column> named(List<Column> columns, Type type) {
        return columns.stream().filter(column -> column.type() == type).toList();
    }

    private String column(List<Column> columns, Type type) {
        return pick(named(columns, type)).name();
    }

    private Type type() {
        return pick(List.of(Type.INT, Type.INT, Type.TEXT, Type.BOOL));
    }

    private String constant(Type type) {
        return switch (type) {
            case INT -> Integer.toString(random.nextInt(5));
            case TEXT -> "'" + pick(List.of("a", "b", "c", "")) + "'";
            case BOOL -> random.nextBoolean() ? "true" : "false";
        };
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
