package dev.quarrel.tests;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Writes random statements with WITH RECURSIVE: walks of graphs with and without cycles, trees, closures, sequences of
/// numbers and texts; under joins, groups and limits.
///
/// Every statement has one right multiset of rows, and its recursion ends.
final class RecursiveQuery {
    private final Random random;

    RecursiveQuery(Random random) {
        this.random = random;
    }

    private String pick(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private boolean chance(int of) {
        return random.nextInt(of) == 0;
    }

    String next() {
        String outer = outer();
        return switch (random.nextInt(6)) {
            case 0 -> "WITH RECURSIVE " + edges(false) + ", " + closure() + outer;
            case 1 -> "WITH RECURSIVE " + walk() + ", " + edges(true) + outer;
            case 2 -> "WITH RECURSIVE " + numbers() + outer;
            case 3 -> "WITH RECURSIVE " + ofTables() + outer;
            case 4 -> nested(outer);
            default -> "WITH RECURSIVE " + edges(false) + ", " + reached() + outer;
        };
    }

    /// Pairs of small numbers, some of them NULL.
    private String edges(boolean isTree) {
        int count = 1 + random.nextInt(14);
        List<String> rows = IntStream.range(0, count)
                .mapToObj(_ -> {
                    int from = random.nextInt(8);
                    int to = isTree ? from + 1 + random.nextInt(3) : random.nextInt(8);
                    return "(" + (chance(12) ? "NULL::int" : from + "::int") + ", " + (chance(12) ? "NULL" : to) + ")";
                })
                .toList();
        return "e(a, b) AS " + pick("", "MATERIALIZED ", "NOT MATERIALIZED ") + "(VALUES " + String.join(", ", rows)
                + ")";
    }

    private String start() {
        return random.nextInt(8) + "";
    }

    /// UNION ends it, whatever the graph.
    private String reached() {
        String step = pick(
                "SELECT e.b, x FROM t JOIN e ON e.a = t.n",
                "SELECT e.b, t.x FROM e, t WHERE t.n = e.a AND e.b IS NOT NULL",
                "SELECT e.b, (t.x + 1) % 5 FROM t LEFT JOIN e ON e.a = t.n",
                "SELECT s.b, x FROM t CROSS JOIN LATERAL (SELECT e.b FROM e WHERE e.a = t.n) AS s",
                "SELECT DISTINCT e.b, t.x FROM e RIGHT JOIN t ON e.a = t.n",
                "SELECT n, (x + 1) % 4 FROM t WHERE n IN (SELECT b FROM e)",
                "SELECT s.b, x FROM (SELECT n AS b, x FROM t WHERE EXISTS (SELECT 1 FROM e WHERE e.a < t.n)) AS s",
                "SELECT e.b, x FROM t JOIN e ON e.a <= t.n",
                "SELECT g, x FROM t, generate_series(n, n + 1) AS g WHERE g < 9");
        return "t(n, x) AS (SELECT " + start() + ", 0 UNION " + step + ")";
    }

    private String closure() {
        return "t(n, x) AS (SELECT a, b FROM e" + pick("", " WHERE a > 2") + " UNION SELECT "
                + pick("t.n, e.b", "e.b, t.n") + " FROM t JOIN e ON t.x = e.a" + pick("", " WHERE e.b <> 3") + ")";
    }

    /// A tree's numbers grow, so its walk ends without UNION's help.
    private String walk() {
        return "t(n, x) AS (SELECT " + start() + ", 0 UNION ALL SELECT e.b, t.x + 1 FROM t JOIN e ON e.a = t.n WHERE "
                + pick("t.x < 4", "e.b < 12", "t.n < 6 AND t.x < 3") + ")";
    }

    private String numbers() {
        String bound = Integer.toString(5 + random.nextInt(60));
        return switch (random.nextInt(5)) {
            case 0 -> "t(n, x) AS (SELECT 0, 1 UNION ALL SELECT x, n + x FROM t WHERE x < " + bound + ")";
            case 1 -> "t(n, x) AS (VALUES (1, 0), (2, 1) UNION SELECT (n * 3 + x) % " + bound + ", x FROM t)";
            case 2 ->
                "t(n, x) AS (SELECT 1::numeric, 0.0 UNION SELECT n + " + pick("0.50", "1", "2.5")
                        + ", x FROM t WHERE n < " + bound + ")";
            case 3 ->
                "t(n, x) AS (SELECT 1, '' UNION ALL SELECT n + 1, x || n FROM t WHERE n < " + random.nextInt(12)
                        + "), u AS (SELECT x, count(*) FROM t GROUP BY x)";
            default ->
                "t(n, x) AS (SELECT 1, 1 UNION ALL SELECT n + v.i, x * 2 FROM t, (VALUES (1), (2)) AS v(i) WHERE n < "
                        + random.nextInt(9) + ")";
        };
    }

    private String ofTables() {
        return switch (random.nextInt(3)) {
            case 0 ->
                "t(n, x) AS (SELECT " + (1 + random.nextInt(200))
                        + ", 0 UNION ALL SELECT o.customer_id, x + 1 FROM t JOIN orders o ON o.id = t.n WHERE x < "
                        + random.nextInt(15) + ")";
            case 1 ->
                "t(n, x) AS (SELECT id, 0 FROM customers WHERE id < " + random.nextInt(20)
                        + " UNION SELECT c.id, 0 FROM customers c JOIN t ON c.id = t.n * 2 OR c.id = t.n + 100)";
            default ->
                "t(n, x) AS (SELECT name, city FROM customers WHERE id = " + random.nextInt(20)
                        + " UNION SELECT c.name, c.city FROM customers c JOIN t ON c.city = t.x WHERE c.id % 3 = 0)";
        };
    }

    private String nested(String outer) {
        String inner = "WITH RECURSIVE " + numbers() + " SELECT n, x FROM t";
        return switch (random.nextInt(2)) {
            case 0 -> "WITH t(n, x) AS (" + inner + ")" + outer;
            default ->
                "WITH t(n, x) AS (SELECT v.i, (WITH RECURSIVE r(m) AS (SELECT v.i UNION ALL SELECT m + 1 FROM r WHERE m < "
                        + random.nextInt(9) + ") SELECT sum(m) FROM r) FROM (VALUES (1), (3), (NULL), (6)) AS v(i))"
                        + outer;
        };
    }

    private String outer() {
        return IntStream.of(random.nextInt(8))
                .mapToObj(choice -> switch (choice) {
                    case 0 -> " SELECT count(*), count(n), count(DISTINCT x) FROM t";
                    case 1 -> " SELECT n, count(*) FROM t GROUP BY n";
                    case 2 -> " SELECT a.n, b.x FROM t a JOIN t b ON a.n = b.n";
                    case 3 -> " SELECT n FROM t UNION SELECT n FROM t";
                    case 4 -> " SELECT * FROM t ORDER BY n, x LIMIT 5";
                    case 5 -> " SELECT count(*) FROM (SELECT 1 FROM t LIMIT 7) AS s";
                    case 6 -> " SELECT n, x, row_number() OVER (ORDER BY n, x) FROM t";
                    default -> " SELECT * FROM t";
                })
                .collect(Collectors.joining());
    }
}
