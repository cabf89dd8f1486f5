package dev.quarrel.tests;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A random join whose condition bounds a column of one side by expressions over the other, over rows of its own.
final class RangeJoinQuery {
    /// A type, some of its values and what may be added to one.
    private record Domain(String type, List<String> values, String step, List<String> special) {}

    private static final List<Domain> DOMAINS = List.of(
            new Domain("smallint", List.of(), "%d", List.of("32000", "-32768")),
            new Domain("integer", List.of(), "%d", List.of("2147480000", "-2147483646")),
            new Domain("bigint", List.of(), "%d", List.of("9223372036854770000", "-9223372036854770000")),
            new Domain("numeric(12,2)", List.of(), "%d.25", List.of("9999999999.99")),
            new Domain("numeric", List.of(), "%d.5", List.of("'NaN'", "'Infinity'", "1e30")),
            new Domain("double precision", List.of(), "%d.5", List.of("'NaN'", "'Infinity'", "'-Infinity'", "'-0'")),
            new Domain("real", List.of(), "%d.5", List.of("'NaN'", "'Infinity'", "'-Infinity'")),
            new Domain("date", List.of("date '2020-02-20' + %d"), "%d", List.of("'infinity'", "'-infinity'")),
            new Domain(
                    "timestamp",
                    List.of("timestamp '2020-02-20' + interval '%d minutes'"),
                    "interval '%d minutes'",
                    List.of("'infinity'", "'-infinity'", "'4714-11-24 00:02 BC'")),
            new Domain(
                    "timestamptz",
                    List.of("timestamptz '2020-03-28 20:00+00' + interval '%d hours'"),
                    "interval '%d hours'",
                    List.of("'infinity'")),
            new Domain("time", List.of("time '00:00' + interval '%d minutes'"), "interval '%d minutes'", List.of()));

    private RangeJoinQuery() {}

    static String of(Random random) {
        Domain domain = DOMAINS.get(random.nextInt(DOMAINS.size()));
        boolean hasKey = random.nextInt(3) > 0;
        String with = "WITH a(id, k, v, w) AS (" + rows(random, domain) + "), b(id, k, v, w) AS ("
                + rows(random, domain) + ") ";
        List<String> conditions = new ArrayList<>();
        if (hasKey) {
            conditions.add("a.k = b.k");
        }
        conditions.addAll(bounds(random, domain));
        if (random.nextInt(4) == 0) {
            conditions.add(random.nextBoolean() ? "a.id % 7 <> b.id % 5" : "a.w < b.w");
        }
        String on = String.join(" AND ", conditions);
        int kind = random.nextInt(8);
        return with
                + switch (kind) {
                    case 0, 1 -> "SELECT a.id, b.id, b.v FROM a JOIN b ON " + on + " ORDER BY 1, 2";
                    case 2 -> "SELECT a.id, a.v, b.id FROM a LEFT JOIN b ON " + on + " ORDER BY 1, 3";
                    case 3 -> "SELECT a.id, b.id FROM a RIGHT JOIN b ON " + on + " ORDER BY 2, 1";
                    case 4 ->
                        "SELECT a.id, b.id FROM a " + (hasKey ? "FULL" : "LEFT") + " JOIN b ON " + on
                                + " ORDER BY 1, 2";
                    case 5 -> "SELECT a.id FROM a WHERE EXISTS (SELECT FROM b WHERE " + on + ") ORDER BY 1";
                    case 6 -> "SELECT a.id FROM a WHERE NOT EXISTS (SELECT FROM b WHERE " + on + ") ORDER BY 1";
                    default ->
                        "SELECT a.id, (SELECT count(b.w) FROM b WHERE " + on + "), EXISTS (SELECT FROM b WHERE " + on
                                + ") FROM a ORDER BY 1";
                };
    }

    private static List<String> bounds(Random random, Domain domain) {
        String low = random.nextBoolean() ? ">=" : ">";
        String high = random.nextBoolean() ? "<=" : "<";
        String least = "a.v - " + step(random, domain);
        String most = "a.v + " + step(random, domain);
        return switch (random.nextInt(7)) {
            case 0 -> List.of("b.v BETWEEN " + least + " AND " + most);
            case 1 -> List.of("b.v " + low + " " + least, "b.v " + high + " " + most);
            case 2 -> List.of("a.v " + low + " b.v", "a.v " + high + " b.v + " + step(random, domain));
            case 3 -> List.of("b.v " + low + " a.v");
            case 6 ->
                List.of(
                        "a.v " + low + " b.v - " + step(random, domain),
                        random.nextBoolean()
                                ? "a.v " + high + " b.v"
                                : "b.v + " + step(random, domain) + " " + low + " a.v");
            case 4 -> List.of("b.v " + high + " a.v");
            default -> List.of(most + " " + low + " b.v", "b.v " + low + " a.v", "b.v " + low + " " + least);
        };
    }

    private static String step(Random random, Domain domain) {
        String step = domain.step.formatted(random.nextInt(6));
        return domain.type.equals("smallint") ? step + "::smallint" : step;
    }

    /// Rows (id, k, v, w).
    private static String rows(Random random, Domain domain) {
        int count = random.nextInt(10) == 0 ? random.nextInt(3) : 15 + random.nextInt(75);
        int keys = 1 + random.nextInt(3);
        boolean hasNulls = random.nextBoolean();
        boolean hasSpecial = random.nextInt(3) == 0;
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            String value = domain.values.isEmpty() ? "%d" : domain.values.getFirst();
            String shown = value.formatted(random.nextInt(60));
            if (hasSpecial && !domain.special.isEmpty() && random.nextInt(10) == 0) {
                shown = domain.special.get(random.nextInt(domain.special.size()));
            }
            if (hasNulls && random.nextInt(8) == 0) {
                shown = "NULL";
            }
            String key = hasNulls && random.nextInt(12) == 0 ? "NULL" : "'k" + random.nextInt(keys) + "'";
            rows.add("(" + row + ", " + key + "::text, (" + shown + ")::" + domain.type + ", " + random.nextInt(9)
                    + ")");
        }
        return rows.isEmpty()
                ? "SELECT 0, 'k0'::text, NULL::" + domain.type + ", 1 WHERE false"
                : "VALUES " + String.join(", ", rows);
    }
}
