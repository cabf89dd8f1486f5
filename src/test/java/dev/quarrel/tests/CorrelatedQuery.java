package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Writes random SELECT statements whose sub-queries refer to rows around them, at several levels: LATERAL, EXISTS, IN,
/// ANY, ALL and scalar ones, with joins, groups, windows, limits and set operations in them, over small tables of
/// whole numbers and NULL.
///
/// Every statement has one right multiset of rows; one that fails may fail.
final class CorrelatedQuery {
    private static final int MAX_DEPTH = 3;
    private static final List<String> COMPARISONS = List.of("=", "<>", "<", "<=", ">", ">=");

    private final Random random;
    private int names;

    CorrelatedQuery(Random random) {
        this.random = random;
    }

    String next() {
        names = 0;
        return query(List.of(), 1 + random.nextInt(3), 0);
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private boolean chance(int of) {
        return random.nextInt(of) == 0;
    }

    private String name(String prefix) {
        return prefix + names++;
    }

    private String number() {
        return chance(8) ? "NULL" : Integer.toString(random.nextInt(5));
    }

    private static List<String> both(List<String> one, List<String> other) {
        List<String> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    // Queries

    /// A query of so many columns, named c0, c1, …
    ///
    /// @param around columns of the rows around
    private String query(List<String> around, int width, int depth) {
        return switch (random.nextInt(depth == 0 ? 9 : 12)) {
            case 0 -> grouped(around, width, depth);
            case 1 -> windows(around, width, depth);
            case 2 -> "SELECT DISTINCT " + outputs(plain(around, width, depth));
            case 3 ->
                "(" + query(around, width, depth + 1) + ") "
                        + pick(List.of("UNION ALL", "UNION", "EXCEPT", "INTERSECT")) + " ("
                        + query(around, width, depth + 1) + ")";
            case 9 -> values(around, width, depth);
            case 10 -> limited(around, width, depth);
            case 11 -> totals(around, width, depth);
            default -> "SELECT " + outputs(plain(around, width, depth));
        };
    }

    /// @param expressions of the select list
    /// @param rest FROM and what follows
    private record Plain(List<String> expressions, String rest) {}

    private static String outputs(Plain plain) {
        return named(plain.expressions()) + plain.rest();
    }

    private static String named(List<String> expressions) {
        return IntStream.range(0, expressions.size())
                .mapToObj(index -> expressions.get(index) + " AS c" + index)
                .collect(Collectors.joining(", "));
    }

    private Plain plain(List<String> around, int width, int depth) {
        List<String> columns = new ArrayList<>();
        String rest = from(around, columns, depth) + where(both(around, columns), columns, depth);
        List<String> expressions = list(width, () -> expression(both(around, columns), columns, depth));
        return new Plain(expressions, rest);
    }

    private static List<String> list(int count, Supplier<String> made) {
        return IntStream.range(0, count).mapToObj(_ -> made.get()).toList();
    }

    private String limited(List<String> around, int width, int depth) {
        String order = IntStream.rangeClosed(1, width)
                .mapToObj(index -> index + pick(List.of("", " DESC", " NULLS FIRST", " DESC NULLS LAST")))
                .collect(Collectors.joining(", "));
        return "SELECT " + outputs(plain(around, width, depth)) + " ORDER BY " + order + " LIMIT "
                + (1 + random.nextInt(2)) + (chance(3) ? " OFFSET 1" : "");
    }

    private String values(List<String> around, int width, int depth) {
        return IntStream.range(0, 1 + random.nextInt(3))
                .mapToObj(_ -> "("
                        + String.join(
                                ", ",
                                list(
                                        width,
                                        () -> around.isEmpty() || chance(2)
                                                ? "coalesce(" + number() + ", 1)"
                                                : expression(around, around, depth)))
                        + ")")
                .collect(Collectors.joining(", ", "VALUES ", ""));
    }

    private String aggregate(List<String> all, List<String> own, int depth) {
        String argument = chance(4) ? expression(all, own, depth + 1) : column(own);
        String filter = chance(6) ? " FILTER (WHERE " + simple(own, own) + ")" : "";
        return switch (random.nextInt(6)) {
            case 0 -> "count(*)" + filter;
            case 1 -> "count(" + argument + ")" + filter;
            case 2 -> "count(DISTINCT " + column(own) + ")" + filter;
            case 3 -> "max(" + argument + ")" + filter;
            case 4 -> "min(" + argument + ")" + filter;
            default -> "sum(" + argument + ")" + filter;
        };
    }

    /// Aggregates alone: one row.
    private String totals(List<String> around, int width, int depth) {
        List<String> columns = new ArrayList<>();
        String rest = from(around, columns, depth) + where(both(around, columns), columns, depth);
        // Of a query around alone they would be its aggregates.
        List<String> expressions = list(width, () -> {
            String call = aggregate(columns, columns, MAX_DEPTH);
            return around.isEmpty() || chance(2) ? call : "(" + call + " + " + column(around) + ")";
        });
        String having = chance(5) ? " HAVING count(*) > " + random.nextInt(3) : "";
        return "SELECT " + named(expressions) + rest + having;
    }

    private String grouped(List<String> around, int width, int depth) {
        List<String> columns = new ArrayList<>();
        String rest = from(around, columns, depth) + where(both(around, columns), columns, depth);
        String key = column(columns);
        List<String> expressions = list(width, () -> switch (random.nextInt(3)) {
            case 0 -> key;
            case 1 -> depth < MAX_DEPTH && chance(2) ? scalar(both(around, List.of(key)), depth + 1) : key;
            default -> aggregate(columns, columns, MAX_DEPTH);
        });
        String having =
                chance(4) ? " HAVING " + simple(both(around, List.of("count(*)")), List.of("max(" + key + ")")) : "";
        return "SELECT " + named(expressions) + rest + " GROUP BY "
                + (chance(5) ? pick(List.of("ROLLUP (", "CUBE (")) + key + ")" : key) + having;
    }

    /// Of windows whose rows may change places without anybody seeing it.
    private String windows(List<String> around, int width, int depth) {
        List<String> columns = new ArrayList<>();
        String rest = from(around, columns, depth) + where(both(around, columns), columns, depth);
        List<String> expressions = list(
                width,
                () -> chance(3)
                        ? column(columns)
                        : pick(List.of(
                                        "count(*)",
                                        "sum(" + column(columns) + ")",
                                        "rank()",
                                        "dense_rank()",
                                        "min(" + column(columns) + ")"))
                                + " OVER ("
                                + (chance(2)
                                        ? "PARTITION BY " + expression(both(around, columns), columns, MAX_DEPTH) + " "
                                        : "")
                                + "ORDER BY " + column(columns) + pick(List.of("", " DESC")) + ")");
        return "SELECT " + named(expressions) + rest;
    }

    // FROM, WHERE

    private String from(List<String> around, List<String> columns, int depth) {
        StringBuilder text = new StringBuilder(" FROM ").append(table(columns));
        int more = random.nextInt(depth == 0 ? 3 : 2);
        for (int index = 0; index < more; index++) {
            List<String> before = List.copyOf(columns);
            if (depth < MAX_DEPTH && chance(2)) {
                text.append(pick(List.of(", ", " CROSS JOIN ", " LEFT JOIN ")));
                boolean isLeft =
                        text.charAt(text.length() - 2) == 'N' && text.toString().endsWith("LEFT JOIN ");
                text.append("LATERAL ").append(derived(both(around, before), columns, depth + 1));
                text.append(isLeft ? " ON true" : "");
            } else if (depth < MAX_DEPTH && chance(4)) {
                text.append(" CROSS JOIN ").append(derived(around, columns, depth + 1));
            } else {
                String type = pick(List.of(" JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "));
                List<String> right = new ArrayList<>();
                String table = table(right);
                String equality = pick(before) + " = " + pick(right);
                columns.addAll(right);
                boolean isFull = type.equals(" FULL JOIN ");
                text.append(type).append(table).append(" ON ").append(equality);
                text.append(isFull || chance(2) ? "" : " AND " + condition(both(around, columns), columns, depth + 1));
            }
        }
        return text.toString();
    }

    private String table(List<String> columns) {
        String name = name("t");
        int width = 1 + random.nextInt(2);
        String rows = IntStream.range(0, 2 + random.nextInt(3))
                .mapToObj(row -> "(" + String.join(", ", list(width, () -> row == 0 ? "1" : number())) + ")")
                .collect(Collectors.joining(", "));
        List<String> own =
                IntStream.range(0, width).mapToObj(index -> "a" + index).toList();
        own.forEach(column -> columns.add(name + "." + column));
        return "(VALUES " + rows + ") " + name + "(" + String.join(", ", own) + ")";
    }

    private String derived(List<String> around, List<String> columns, int depth) {
        String name = name("d");
        int width = 1 + random.nextInt(2);
        String text = "(" + query(around, width, depth) + ") " + name;
        List<String> own =
                IntStream.range(0, width).mapToObj(index -> "c" + index).toList();
        own.forEach(column -> columns.add(name + "." + column));
        return text + "(" + String.join(", ", own) + ")";
    }

    private String where(List<String> all, List<String> own, int depth) {
        if (chance(4)) {
            return "";
        }
        String condition = condition(all, own, depth);
        // Most sub-queries refer to what is around by an equality.
        return " WHERE " + (all.size() > own.size() && chance(2) ? pick(own) + " = " + column(all) + " AND " : "")
                + condition;
    }

    private String column(List<String> columns) {
        return pick(columns);
    }

    private String simple(List<String> all, List<String> own) {
        return chance(5)
                ? pick(own) + pick(List.of(" IS NULL", " IS NOT NULL"))
                : pick(own) + " " + pick(COMPARISONS) + " " + (chance(3) ? number() : pick(all));
    }

    private String condition(List<String> all, List<String> own, int depth) {
        if (depth >= MAX_DEPTH) {
            return simple(all, own);
        }
        return switch (random.nextInt(12)) {
            case 0 -> "(" + condition(all, own, depth) + " AND " + condition(all, own, depth) + ")";
            case 1 -> "(" + condition(all, own, depth) + " OR " + condition(all, own, depth) + ")";
            case 2 -> "NOT " + "(" + condition(all, own, depth) + ")";
            case 3, 4 -> pick(List.of("", "NOT ")) + "EXISTS (" + query(all, 1, depth + 1) + ")";
            case 5 -> pick(all) + pick(List.of("", " NOT")) + " IN (" + query(all, 1, depth + 1) + ")";
            case 6 ->
                pick(all) + " " + pick(COMPARISONS) + pick(List.of(" ANY (", " ALL (")) + query(all, 1, depth + 1)
                        + ")";
            case 7 -> expression(all, own, depth) + " " + pick(COMPARISONS) + " " + scalar(all, depth + 1);
            case 8 -> "(" + condition(all, own, depth + 1) + ") IS " + pick(List.of("TRUE", "NOT TRUE", "NULL"));
            default -> simple(all, own);
        };
    }

    private String expression(List<String> all, List<String> own, int depth) {
        return switch (random.nextInt(depth >= MAX_DEPTH ? 5 : 8)) {
            case 0 -> "(" + column(own) + " + " + column(all) + ")";
            case 1 -> "coalesce(" + column(all) + ", " + column(own) + ")";
            case 2 -> "(" + column(all) + " % 2)";
            case 3, 4 -> column(own);
            case 5 ->
                "CASE WHEN " + condition(all, own, depth + 1) + " THEN " + column(all) + " ELSE " + column(own)
                        + " END";
            case 6 -> "(" + condition(all, own, depth + 1) + ")::int";
            default -> scalar(all, depth + 1);
        };
    }

    private String scalar(List<String> all, int depth) {
        return "("
                + switch (random.nextInt(8)) {
                    case 0 -> "SELECT " + pick(all);
                    case 1 -> chance(4) ? query(all, 1, depth) : totals(all, 1, depth);
                    case 2, 3 -> limited(all, 1, depth).replaceAll(" LIMIT \\d( OFFSET 1)?$", " LIMIT 1");
                    default -> totals(all, 1, depth);
                }
                + ")";
    }
}
